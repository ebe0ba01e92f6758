package textsafe

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/lazyregexp"
)

// names are those of the elements that reads add to a text.
var names = [...]string{"roam", "ref"}

// isSign reports whether a character is <, or one that fonts show as that.
func isSign(r rune) bool { return r == '<' || r == '＜' || r == '﹤' }

// imitates reports whether what is behind a sign makes an element of ours of it, in
// whatever spelling: with blanks and strokes in front, in capitals, in letters of
// another style.
func imitates(rest string) bool {
	rest = strings.TrimLeftFunc(rest, func(r rune) bool { return r == '/' || r == '／' || unicode.IsSpace(r) })
	name := ""
	for len(name) < 8 && rest != "" {
		r, size := utf8.DecodeRuneInString(rest)
		if r >= utf8.RuneSelf {
			r, _ = utf8.DecodeRuneInString(norm.NFKC.String(rest[:size]))
		}
		if r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		name += string(unicode.ToLower(r))
		rest = rest[size:]
	}
	for _, each := range names {
		if name == each {
			return true
		}
	}
	return false
}

// ownTag is a tag as reads write it, at the end of its line. What follows is another
// block, or nothing.
var ownTag = lazyregexp.New(`^<roam(?: [a-zA-Z]+="[^"<>\n]*")*/>(?:$|\n(?:[ \n]*$|\n* *- |\n?\(\d+ blocks are left out))`)

const (
	previewStart, previewEnd = "<ref>", "</ref>"
	longestUID               = 256
)

// isOurs reports whether an element, at an index, is markup that a read has added.
func isOurs(text string, at int, has Markup, preview bool) bool {
	switch rest := text[at:]; {
	case strings.HasPrefix(rest, previewStart):
		return !preview && opens(text, at, preview)
	case strings.HasPrefix(rest, previewEnd):
		return preview
	default:
		return has == Tags && ownTag.MatchString(rest)
	}
}

// opens reports whether a preview is open behind the element at an index, where it was, or
// was not, before.
func opens(text string, at int, preview bool) bool {
	switch rest := text[at:]; {
	case strings.HasPrefix(rest, previewEnd):
		return false
	case preview || !strings.HasPrefix(rest, previewStart):
		return preview
	}
	uid, closed := strings.CutSuffix(text[max(0, at-longestUID-4):at], "))")
	start := strings.LastIndex(uid, "((")
	return closed && start >= 0 && start+2 < len(uid) && !strings.ContainsAny(uid[start+2:], "()[]{}<>\"` \t\n")
}
