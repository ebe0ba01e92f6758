package search

import (
	"regexp"
	"slices"
	"strings"
)

// Pattern returns a regular expression, without a flag for case, that each text matches in
// which something wanted stands, but for what is skipped; and other texts too, for words
// are compared by stem. Empty: nothing is left to look for. It is of the syntax that
// JavaScript and Go have in common, and begins with letters, which is what makes it fast.
// Texts that have a letter with a mark where the query has none match MarkedPattern.
func (q *Question) Pattern(skip func(label string) bool) string {
	return q.patterns(skip, func(text string) string { return regexp.QuoteMeta(text) })
}

// MarkedPattern is a Pattern whose letters may have marks.
func (q *Question) MarkedPattern(skip func(label string) bool) string {
	return q.patterns(skip, variants)
}

func (q *Question) patterns(skip func(label string) bool, of func(text string) string) string {
	var parts []string
	for i := range q.terms {
		if t := &q.terms[i]; skip == nil || !skip(t.label) {
			if t.short() && len(q.terms) > 1 {
				continue // it is in nearly each text
			}
			for j := range t.any {
				if p := t.any[j].pattern(of); p != "" && !slices.Contains(parts, p) {
					parts = append(parts, p)
				}
			}
		}
	}
	return strings.Join(parts, "|")
}

// TitlePattern returns a regular expression that the titles match that meet the first
// condition on titles; empty where there is none.
func (q *Question) TitlePattern() string {
	for i := range q.titles {
		f := &q.titles[i]
		switch {
		case f.not:
		case f.prefix != "":
			return "^" + regexp.QuoteMeta(f.prefix)
		default:
			return f.words.pattern(variants)
		}
	}
	return ""
}

// short reports whether a thing is a word of one or two letters.
func (t *questionTerm) short() bool {
	for _, s := range t.any {
		if len(s.words) > 1 || len(s.words[0].text) > 2 {
			return false
		}
	}
	return true
}

// pattern returns the expression of the longest word of a sequence.
func (s *sequence) pattern(of func(text string) string) string {
	var longest wantedWord
	for _, w := range s.words {
		if len(w.text) > len(longest.text) {
			longest = w
		}
	}
	text := longest.text
	if !s.exact && !longest.prefix && isStem(text) { // a stem changes the last letter of what it keeps
		text = text[:max(min(3, len(text)), len(text)-1)]
	}
	out := of(text)
	if raw := []rune(longest.raw); len(raw) > 0 {
		out += "|" + regexp.QuoteMeta(string(raw[:min(len(raw), max(3, len([]rune(text))))]))
	}
	return out
}

// isStem reports whether words with other endings have the stem, too.
func isStem(text string) bool { return Stem(text+"s") != text+"s" }

// variants returns the expression of a folded text: letters with marks are the same.
func variants(text string) string {
	var b strings.Builder
	for _, r := range text {
		if with := marked(r); with != "" {
			b.WriteString("[" + string(r) + with + "]")
			continue
		}
		b.WriteString(regexp.QuoteMeta(string(r)))
	}
	return strings.ReplaceAll(b.String(), "[sśŝşš][sśŝşš]", "(?:[sśŝşš][sśŝşš]|ß)")
}

// marked returns the letters that are a letter with a mark, in lower case.
func marked(r rune) string {
	switch r {
	case 'a':
		return "àáâãäåāăąǎạảấầẩẫậắằẳẵặ"
	case 'c':
		return "çćĉċč"
	case 'd':
		return "ďḍ"
	case 'e':
		return "èéêëēĕėęěẹẻẽếềểễệ"
	case 'g':
		return "ĝğġģǧ"
	case 'h':
		return "ĥḥ"
	case 'i':
		return "ìíîïĩīĭįǐỉị"
	case 'j':
		return "ĵ"
	case 'k':
		return "ķ"
	case 'l':
		return "ĺļľ"
	case 'n':
		return "ñńņňṅṇ"
	case 'o':
		return "òóôõöōŏőǒọỏốồổỗộớờởỡợơ"
	case 'r':
		return "ŕŗřṛ"
	case 's':
		return "śŝşš"
	case 't':
		return "ţťțṭ"
	case 'u':
		return "ùúûüũūŭůűųǔụủứừửữựư"
	case 'w':
		return "ŵ"
	case 'y':
		return "ýÿŷỳỵỷỹ"
	case 'z':
		return "źżžẓ"
	case 'и':
		return "й"
	case 'е':
		return "ё"
	}
	return ""
}
