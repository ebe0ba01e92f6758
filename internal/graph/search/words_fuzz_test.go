package search

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// Any text is a query, up to the limits, and what it says is said by its canonical form.
func FuzzParseWordQuery(f *testing.F) {
	list, _ := queries(f)
	for _, query := range append(list, `"\"`, "((((", "- -", "tag:", `title:"`, "-(", "a\x00b\xff", "-\u00a0x", "İtag:x") {
		f.Add(query)
	}
	docs := []Doc{{Key: "1", Path: "a/b", Title: "b", Tags: []string{"x y"}, Blocks: []string{"the moon", "[[a]] 東京都"}, Created: 1705276800000, Updated: 1705276800000}, {Key: "2", Path: "c"}}
	x := indexed(docs)
	f.Fuzz(func(t *testing.T, query string) {
		q, err := ParseWordQuery(query)
		switch {
		case errors.Is(err, ErrLong):
			if utf8.RuneCountInString(query) <= MaxQuery {
				t.Errorf("%q is no long query", query)
			}
			return
		case errors.Is(err, ErrTerms), errors.Is(err, ErrDeep):
			return
		case err != nil:
			t.Fatal(err)
		}
		found, err := x.Search(t.Context(), q, 0, 10)
		if err != nil || found.Total != len(found.Hits) || q.Empty() && found.Total > 0 {
			t.Errorf("%q finds %+v, %v", query, found, err)
		}
		if strings.Contains(q.root.String(), "ated:") {
			return // a time is not shown as it is written
		}
		if again, err := ParseWordQuery(q.root.String()); err != nil && !errors.Is(err, ErrLong) && !errors.Is(err, ErrDeep) || err == nil && again.root.String() != q.root.String() {
			t.Errorf("%q is %s, which is %s: %v", query, q.root, again.root, err)
		}
		_ = found.Snippet([]string{query, "the moon"})
	})
}

// Whatever a text is, its tokens lie in it one behind the other, and are found.
func FuzzTokens(f *testing.F) {
	for _, text := range []string{"The F-1 engine", "東京都に", "ｶﾞｲﾄﾞ x", "Crème ½ ﬁ", "a\u200db", "한국어", "\xff\xfea", "{{[[TODO]]}} [a](b) **c**d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var tok tokenizer
		at := 0
		x := indexed([]Doc{{Key: "1", Blocks: []string{"`" + text + "`", text}}})
		tok.each(text, func(folded []byte, start, end int, is shape) {
			if len(folded) == 0 || start < at && is == whole || start >= end || end > len(text) {
				t.Errorf("%q has the token %q at %d to %d, after %d", text, folded, start, end, at)
			}
			at = start
		})
		shown, _ := readable(text)
		tok.each(shown, func(_ []byte, start, end int, is shape) {
			word := shown[start:end]
			if is == whole && utf8.RuneCountInString(word) < MaxQuery-2 && len(keys(t, x, `"`+word+`"`)) != 1 {
				t.Errorf("%q is not found in %q", word, text)
			}
		})
	})
}
