package ranking

import (
	"regexp"
	"slices"
	"strings"

	"roam-mcp/graphdb/fulltext"
)

// Pattern returns a regular expression, without a flag for case, that each text matches in
// which something wanted stands, but for what is skipped; and other texts too, for words
// are compared by stem. Empty: nothing is left to look for. It is of the syntax that
// JavaScript and Go have in common.
func (q *Query) Pattern(skip func(label string) bool) string {
	var parts []string
	for i := range q.terms {
		if t := &q.terms[i]; skip == nil || !skip(t.label) {
			for j := range t.any {
				if p := t.any[j].pattern(); p != "" && !slices.Contains(parts, p) {
					parts = append(parts, p)
				}
			}
		}
	}
	return strings.Join(parts, "|")
}

// TitlePattern returns a regular expression that the titles match that meet the first
// condition on titles; empty where there is none.
func (q *Query) TitlePattern() string {
	for i := range q.titles {
		f := &q.titles[i]
		switch {
		case f.not:
		case f.prefix != "":
			return "^" + regexp.QuoteMeta(f.prefix)
		default:
			return f.words.pattern()
		}
	}
	return ""
}

// pattern returns the expression of the longest word of a sequence.
func (s *sequence) pattern() string {
	var longest word
	for _, w := range s.words {
		if len(w.text) > len(longest.text) {
			longest = w
		}
	}
	text := longest.text
	if !s.exact && !longest.prefix && fulltext.Stem(text+"s") != text+"s" { // a stem changes the last letter of what it keeps
		text = text[:max(min(3, len(text)), len(text)-1)]
	}
	out := variants(text)
	if len(text) < 4 && text != "" && text[0] < 0x80 {
		out = "(?:^|[^a-z0-9])" + out
	}
	return out
}

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
