package roamtext

import "strings"

// CodeRanges returns the ranges of inline code and fences, delimiters included.
func CodeRanges(text string) Ranges {
	var out Ranges
	at := strings.IndexByte(text, '`')
	if at < 0 {
		return nil
	}
	var unpaired map[int]bool // lengths of which no further run follows
	for i := at; i < len(text); {
		if text[i] != '`' {
			next := strings.IndexByte(text[i:], '`')
			if next < 0 {
				break
			}
			i += next
		}
		n := runLength(text, i)
		if escaped(text, i) { // of "\``" the second one is a run
			i, n = i+1, n-1
		}
		end := -1
		if n > 0 && !unpaired[n] { // so that many runs do not cost a search of the rest of the text each
			end = closingRun(text, i+n, n)
		}
		if end < 0 {
			if unpaired == nil {
				unpaired = map[int]bool{}
			}
			unpaired[n] = true
			i += n
			continue
		}
		out = append(out, Range{i, end})
		i = end
	}
	return out
}

// escaped reports whether an odd number of backslashes stands before a byte.
func escaped(text string, i int) bool {
	n := i
	for n > 0 && text[n-1] == '\\' {
		n--
	}
	return (i-n)%2 == 1
}

// runLength returns the number of equal bytes that follow each other at i.
func runLength(text string, i int) int {
	n := i
	for n < len(text) && text[n] == text[i] {
		n++
	}
	return n - i
}

// closingRun returns the end of the next run of exactly n backticks, or -1.
func closingRun(text string, i, n int) int {
	for i < len(text) {
		next := strings.IndexByte(text[i:], '`')
		if next < 0 {
			return -1
		}
		i += next
		run := runLength(text, i)
		i += run
		if run == n {
			return i
		}
	}
	return -1
}
