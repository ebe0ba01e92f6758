package textsafe

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/lazyregexp"
)

const (
	scheme    = "data:"
	longHead  = 100 // bytes of the longest media type with its parameters
	leastData = 100 // bytes of data from which on an address is shortened
	cutMark   = "…"
)

// shortData matches a data address that ShortenData has shortened, in a text and in JSON.
var shortData = lazyregexp.New(`data:[\w./+;=\\-]{0,100},(?:…|\\+u2026)(?:([0-9]+) bytes ([0-9a-f]{16}))?`)

// ShortenData returns a text, which may be JSON, with long data: addresses shortened to
// their type, size and hash: "data:image/png;base64,…21400 bytes 3f2a9c0d11ee5b7a". One that
// is cut off has neither size nor hash.
func ShortenData(text string) string {
	if !strings.Contains(text, scheme) {
		return text
	}
	var out strings.Builder
	done := 0
	for run, end := longRun(text, 0); run >= 0; run, end = longRun(text, end) {
		for start := run + 1; start < end; start++ {
			at := headStart(text, start)
			if at < 0 || dataEnd(text, start) == start {
				continue
			}
			data := strings.TrimRight(text[start:end], ".")
			out.WriteString(text[done:start] + cutMark)
			if done = start + len(data); !strings.HasPrefix(text[done:], "...") {
				fmt.Fprintf(&out, "%d bytes %s", sizeOfData(text[at:start], data), hashOfData(text[at:start]+data))
			}
			break
		}
	}
	if done == 0 {
		return text
	}
	return out.String() + text[done:]
}

// longRun returns where the next leastData bytes and more begin and end, from a place on,
// that are all of data or of the head of an address; -1 where there are none.
func longRun(text string, from int) (start, end int) {
	for i := from + leastData - 1; i < len(text); {
		before := i
		for before >= from && isData[text[before]] {
			before--
		}
		if end = i + 1; end-before <= leastData {
			i = before + leastData
			continue
		}
		for end < len(text) && isData[text[end]] {
			end++
		}
		return before + 1, end
	}
	return -1, len(text)
}

// RestoreData returns a text, which may be JSON, with the whole data: addresses in the place
// of shortened ones. texts returns texts that hold addresses with a head, such as
// "data:image/png;base64,". It reports the first that is in none.
func RestoreData(text string, texts func(head string) ([]string, error)) (restored, missing string, err error) {
	if !strings.Contains(text, scheme) {
		return text, "", nil
	}
	found := map[string][]string{}
	restored = shortData.ReplaceAllStringFunc(text, func(short string) string {
		comma := strings.IndexByte(short, ',') + 1
		head := strings.ReplaceAll(short[:comma], `\`, "")
		_, hash, _ := strings.Cut(short[comma:], " bytes ")
		if _, asked := found[head]; !asked && hash != "" && err == nil {
			found[head], err = texts(head)
		}
		for _, each := range found[head] {
			for _, data := range strings.Split(each, head)[1:] {
				data = strings.TrimRight(data[:dataEnd(head+data, len(head))-len(head)], ".")
				if hashOfData(head+data) == hash {
					return head + data
				}
			}
		}
		missing = cmp.Or(missing, short)
		return short
	})
	return restored, missing, err
}

// FirstShown returns the start of a text that shows at most n characters (code points). The
// data of a data: address counts nothing, and is not cut.
func FirstShown(text string, n int) string {
	for at := 0; at < len(text); n-- {
		if n <= 0 {
			return text[:at]
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		if at += size; text[at-1] == ',' {
			at = dataEnd(text, at)
		}
	}
	return text
}

// headStart returns where the head of a data: address begins that ends at a place with a
// comma; -1 where none does.
func headStart(text string, end int) int {
	if end == 0 || text[end-1] != ',' {
		return -1
	}
	at := end - 1
	for at > 0 && end-at < longHead && isHead[text[at-1]] {
		at--
	}
	if at -= len(scheme); at < 0 || text[at:at+len(scheme)] != scheme {
		return -1
	}
	return at
}

// dataEnd returns where the data of a data: address ends that begins at a place; the place
// itself where it begins there with none, or with little.
func dataEnd(text string, start int) int {
	if headStart(text, start) < 0 {
		return start
	}
	end := start
	for end < len(text) && isData[text[end]] {
		end++
	}
	if end-start < leastData {
		return start
	}
	return end
}

// isHead has the bytes that may stand in the head of an address, behind "data:", and isData
// those of its data. Nothing changes them.
var (
	isHead = bytesOf("+./;=-_")
	isData = bytesOf("+./;=-_%~!$&*,:@?#")
)

// bytesOf returns a set of ASCII letters, digits and some signs.
func bytesOf(signs string) (is [256]bool) {
	for c := range is {
		is[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(signs, byte(c)) >= 0
	}
	return is
}

func sizeOfData(head, data string) int {
	if strings.HasSuffix(head, ";base64,") {
		return len(strings.TrimRight(data, "=")) * 3 / 4
	}
	return len(data)
}

func hashOfData(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}
