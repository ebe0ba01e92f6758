package search

import "strings"

// Stem returns the stem of an English word in lower case, by the algorithm of M. F. Porter
// (1980). Words with other letters than a to z
// are returned unchanged.
func Stem(word string) string {
	if len(word) < 3 || strings.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return word
	}
	word = stemPlural(word)
	word = stemPast(word)
	if base, ok := strings.CutSuffix(word, "y"); ok && hasVowel(base) {
		word = base + "i"
	}
	word = replaceSuffix(word, doubleSuffixes[:])
	word = replaceSuffix(word, lastSuffixes[:])
	word = dropSuffix(word)
	return stemEnd(word)
}

func stemPlural(w string) string {
	switch {
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ies"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"):
		return w
	}
	return strings.TrimSuffix(w, "s")
}

func stemPast(w string) string {
	if base, ok := strings.CutSuffix(w, "eed"); ok {
		if measure(base) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	base, ok := strings.CutSuffix(w, "ed")
	if !ok {
		base, ok = strings.CutSuffix(w, "ing")
	}
	if !ok || !hasVowel(base) {
		return w
	}
	switch n := len(base); {
	case strings.HasSuffix(base, "at"), strings.HasSuffix(base, "bl"), strings.HasSuffix(base, "iz"):
		return base + "e"
	case doubled(base) && strings.IndexByte("lsz", base[n-1]) < 0:
		return base[:n-1]
	case measure(base) == 1 && shortEnd(base):
		return base + "e"
	}
	return base
}

func stemEnd(w string) string {
	if base, ok := strings.CutSuffix(w, "e"); ok {
		if m := measure(base); m > 1 || m == 1 && !shortEnd(base) {
			w = base
		}
	}
	if doubled(w) && strings.HasSuffix(w, "l") && measure(w) > 1 {
		w = w[:len(w)-1]
	}
	return w
}

// change is a suffix and its replacement.
type change struct{ from, to string }

var doubleSuffixes = [...]change{
	{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"},
	{"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"},
	{"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
	{"iviti", "ive"}, {"biliti", "ble"},
}

var lastSuffixes = [...]change{{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}

// replaceSuffix replaces the first suffix that the word has, if the rest is long
// enough.
func replaceSuffix(w string, changes []change) string {
	for _, c := range changes {
		if base, ok := strings.CutSuffix(w, c.from); ok {
			if measure(base) > 0 {
				return base + c.to
			}
			return w
		}
	}
	return w
}

var finalSuffixes = [...]string{
	"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
	"iti", "ous", "ive", "ize",
}

func dropSuffix(w string) string {
	for _, suffix := range finalSuffixes {
		base, ok := strings.CutSuffix(w, suffix)
		if !ok {
			continue
		}
		if measure(base) > 1 && (suffix != "ion" || strings.HasSuffix(base, "s") || strings.HasSuffix(base, "t")) {
			return base
		}
		return w
	}
	return w
}

// consonant reports whether the letter is one; y is one after a vowel only.
func consonant(w string, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !consonant(w, i-1)
	}
	return true
}

// measure counts the sequences of a vowel and a consonant.
func measure(w string) int {
	m := 0
	for i := 1; i < len(w); i++ {
		if consonant(w, i) && !consonant(w, i-1) {
			m++
		}
	}
	return m
}

func hasVowel(w string) bool {
	for i := range len(w) {
		if !consonant(w, i) {
			return true
		}
	}
	return false
}

func doubled(w string) bool {
	n := len(w)
	return n > 1 && w[n-1] == w[n-2] && consonant(w, n-1)
}

// shortEnd reports whether the word ends in consonant, vowel, consonant, the last
// not w, x or y.
func shortEnd(w string) bool {
	n := len(w)
	return n > 2 && consonant(w, n-1) && !consonant(w, n-2) && consonant(w, n-3) && strings.IndexByte("wxy", w[n-1]) < 0
}
