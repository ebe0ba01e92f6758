package textsafe

import (
	"strings"
	"unicode/utf8"
)

// Closest returns the known word that is most like the given one, case aside, or "" if
// none is alike. Alike are words that begin with the given one, if that has three letters
// or more, and words that a few slips of the hand make of it: a letter too many, one too
// few, another one, or two in the wrong order. Of equally close words it is the first.
func Closest(word string, known []string) string {
	word = strings.ToLower(word)
	letters := utf8.RuneCountInString(word)
	closest, least := "", min(max(letters/3, 1), 3)+1
	for _, each := range known {
		candidate := strings.ToLower(each)
		far := slips([]rune(word), []rune(candidate))
		if letters >= 3 && far > 1 && strings.HasPrefix(candidate, word) {
			far = 1
		}
		if far < least && far < letters {
			closest, least = each, far
		}
	}
	return closest
}

// mostLetters is the length from which on words are not compared.
const mostLetters = 100

// slips returns the number of slips that make one word of the other: the distance of
// Damerau and Levenshtein, in which no letter is part of two slips.
func slips(a, b []rune) int {
	if max(len(a), len(b)) > mostLetters {
		return mostLetters
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			other := 1
			if a[i] == b[j] {
				other = 0
			}
			row[j+1] = min(last[j]+other, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
