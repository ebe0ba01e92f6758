package textsafe

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
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
	var buffer [8]byte
	name := buffer[:0]
	for len(name) < len(buffer) && rest != "" {
		r, size := utf8.DecodeRuneInString(rest)
		if r >= utf8.RuneSelf {
			r, _ = utf8.DecodeRuneInString(norm.NFKC.String(rest[:size]))
		}
		if r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		name = append(name, byte(unicode.ToLower(r)))
		rest = rest[size:]
	}
	for _, each := range names {
		if string(name) == each {
			return true
		}
	}
	return false
}

// isOwnTag reports whether a text begins with a tag as reads write it, at the end of its
// line. What follows is another block, or nothing.
func isOwnTag(text string) bool {
	rest, ours := strings.CutPrefix(text, "<roam")
	for ours && strings.HasPrefix(rest, " ") {
		behind := strings.TrimLeftFunc(rest[1:], func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' })
		value, opened := strings.CutPrefix(behind, `="`)
		end := strings.IndexAny(value, "\"<>\n")
		if len(behind) == len(rest)-1 || !opened || end < 0 || value[end] != '"' {
			return false
		}
		rest = value[end+1:]
	}
	rest, closed := strings.CutPrefix(rest, "/>")
	next, ended := strings.CutPrefix(rest, "\n")
	return ours && closed && (rest == "" || ended && isNextBlock(next))
}

// isNextBlock reports whether a text is blank, or begins with a block as reads write it, or
// with how many are left out.
func isNextBlock(text string) bool {
	if strings.TrimLeft(text, " \n") == "" || strings.HasPrefix(strings.TrimLeft(strings.TrimLeft(text, "\n"), " "), "- ") {
		return true
	}
	number, left := strings.CutPrefix(strings.TrimPrefix(text, "\n"), "(")
	behind := strings.TrimLeft(number, "0123456789")
	return left && len(behind) < len(number) && strings.HasPrefix(behind, " blocks are left out")
}

const (
	previewStart, previewEnd = "<ref>", "</ref>"
	longestUID               = 256
)

// Preview is a reference with the text of its block as reads show it behind the
// reference: ((uid))<ref>text</ref>.
type Preview struct {
	Start, End int
	UID, Text  string
}

func (p Preview) String() string { return "((" + p.UID + "))" + previewStart + p.Text + previewEnd }

// Previews returns all that is spelled as a preview, on one line. One that is in the text of
// another is returned after that.
func Previews(text string) iter.Seq[Preview] {
	return func(yield func(Preview) bool) {
		for at := 0; ; {
			next := strings.Index(text[at:], previewStart)
			if next < 0 {
				return
			}
			at += next
			if p, ok := previewAt(text, at); ok && !yield(p) {
				return
			}
			at += len(previewStart)
		}
	}
}

// previewAt returns the preview whose text is opened at an index; false where none is.
func previewAt(text string, at int) (Preview, bool) {
	inside, opened := strings.CutPrefix(text[at:], previewStart)
	if !opened {
		return Preview{}, false
	}
	uid, closed := strings.CutSuffix(text[max(0, at-longestUID-4):at], "))")
	start := strings.LastIndex(uid, "((")
	if !closed || start < 0 || start+2 == len(uid) || strings.ContainsAny(uid[start+2:], "()[]{}<>\"` \t\n") {
		return Preview{}, false
	}
	uid = uid[start+2:]
	inside, _, _ = strings.Cut(inside, "\n")
	inside, _, closed = strings.Cut(inside, previewEnd)
	end := at + len(previewStart) + len(inside) + len(previewEnd)
	return Preview{at - len(uid) - 4, end, uid, inside}, closed
}
