package outline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// RefKind is a form in which text refers to a page or a block (LOCAL_API.md 9.3).
type RefKind uint8

// The forms. Aliases, embeds and components contain one of them.
const (
	PageLink  RefKind = iota // [[Title]]
	Tag                      // #Title
	TagLink                  // #[[Title]]
	Attribute                // Title:: at the start of a block
	BlockRef                 // ((uid))
)

// Reference is one mention in a text.
type Reference struct {
	Kind       RefKind
	Target     string // a page's title, or for BlockRef a uid
	Start, End int    // bytes of the whole form, delimiters included
}

// weblink is a link to an address, in whose label and address Roam sees no tag.
var weblink = regexp.MustCompile(`\[[^\[\]\n]*\]\([^()\s]*\)`)

// References finds every mention in a block's text or a page's title, in order
// of start. Links may be nested, then outer and inner are both given; inside a
// link nothing else counts. Inline code and fences hold no references.
func References(s string) []Reference {
	if !strings.ContainsAny(s, "[#(:") {
		return nil
	}
	code := codeSpans(s)
	links := pageLinks(s, code)
	refs := links
	var outermost []span
	for _, l := range links {
		if n := len(outermost); n == 0 || l.Start >= outermost[n-1].end {
			outermost = append(outermost, span{l.Start, l.End})
		}
	}
	if a, ok := attribute(s, code); ok {
		refs = append(refs, a)
	}
	var weblinks []span
	if strings.Contains(s, "](") {
		for _, m := range weblink.FindAllStringIndex(s, -1) {
			weblinks = append(weblinks, span{m[0], m[1]})
		}
	}
	for i := 0; i < len(s); i++ {
		var r Reference
		var ok bool
		switch s[i] {
		case '#':
			r, ok = tagAt(s, i)
			ok = ok && !inSpans(weblinks, i)
		case '(':
			r, ok = blockRefAt(s, i)
		}
		if ok && !inSpans(code, i) && !inSpans(outermost, i) {
			refs = append(refs, r)
			i = r.End - 1
		}
	}
	slices.SortStableFunc(refs, func(a, b Reference) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	return refs
}

// maxNesting bounds how many levels of links a title may hold: each level is a
// page whose title repeats all those inside.
const maxNesting = 20

// pageLinks finds [[Title]] and #[[Title]], in order of start.
func pageLinks(s string, code []span) []Reference {
	type opening struct{ at, levels int } // and the levels of links inside
	var out []Reference
	var open []opening
	for i := 0; i < len(s); {
		if len(code) > 0 && i >= code[0].start {
			i, code = max(i, code[0].end), code[1:]
			continue
		}
		switch {
		case strings.HasPrefix(s[i:], "[["):
			run := runLength(s, i)
			i += run % 2 // of an odd number the first is plain text, as in an alias's label
			for range run / 2 {
				open = append(open, opening{at: i})
				i += 2
			}
		case strings.HasPrefix(s[i:], "]]") && len(open) > 0:
			start, levels := open[len(open)-1].at, open[len(open)-1].levels
			if open = open[:len(open)-1]; len(open) > 0 {
				outer := &open[len(open)-1]
				outer.levels = max(outer.levels, levels+1)
			}
			i += 2
			r := Reference{Kind: PageLink, Target: s[start+2 : i-2], Start: start, End: i}
			if start > 0 && s[start-1] == '#' {
				r.Kind, r.Start = TagLink, start-1
			}
			if r.Target != "" && levels < maxNesting {
				out = append(out, r)
			}
		default:
			i++
		}
	}
	slices.SortFunc(out, func(a, b Reference) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// attribute finds "Title::" at the start of a block. A title that is itself a
// link counts as that link only.
func attribute(s string, code []span) (Reference, bool) {
	end := strings.Index(s, "::")
	if end < 0 || len(code) > 0 && code[0].start < end || strings.HasPrefix(s[end+2:], ":") {
		return Reference{}, false
	}
	title := strings.TrimSpace(s[:end])
	start := strings.Index(s[:end], title)
	switch {
	case title == "", strings.ContainsAny(title, "\n\r"), title[0] == ':', strings.HasPrefix(title, "{{"),
		start+len(title) != end, // "a ::" is no attribute
		strings.HasPrefix(title, "((") && strings.HasSuffix(title, "))"),
		strings.HasPrefix(title, "[[") && strings.HasSuffix(title, "]]"):
		return Reference{}, false
	}
	return Reference{Kind: Attribute, Target: title, Start: start, End: end + 2}, true
}

// tagAt reads "#Title". A tag starts where no word goes on, so that the anchor
// of an address is none, and does not end in a full stop or colon.
func tagAt(s string, i int) (Reference, bool) {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	if s[i] != '#' || i > 0 && (isWord(before) || strings.ContainsRune("/?&=#%-_", before)) {
		return Reference{}, false
	}
	end := i + 1
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !isTagRune(r) {
			break
		}
		end += n
	}
	title := strings.TrimRight(s[i+1:end], ".:")
	if title == "" {
		return Reference{}, false
	}
	return Reference{Kind: Tag, Target: title, Start: i, End: i + 1 + len(title)}, true
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func isTagRune(r rune) bool {
	switch {
	case r == utf8.RuneError, unicode.IsSpace(r), unicode.IsControl(r):
		return false
	case isWord(r) || strings.ContainsRune("_-/.:@&+", r):
		return true
	}
	return r >= 0x80 && !unicode.IsPunct(r) // emoji and other symbols
}

// plainTag tells whether a title can be written as #Title without brackets.
func plainTag(title string) bool {
	r, ok := tagAt("#"+title, 0)
	return ok && r.Target == title
}

// maxUID bounds how far the end of a block reference is sought.
const maxUID = 256

// blockRefAt reads "((uid))".
func blockRefAt(s string, i int) (Reference, bool) {
	if !strings.HasPrefix(s[i:], "((") {
		return Reference{}, false
	}
	rest := s[i+2 : min(len(s), i+2+maxUID)]
	n := strings.IndexAny(rest, "()[]{}<>\"` \t\r\n")
	if n <= 0 || !strings.HasPrefix(rest[n:], "))") {
		return Reference{}, false
	}
	return Reference{Kind: BlockRef, Target: rest[:n], Start: i, End: i + n + 4}, true
}
