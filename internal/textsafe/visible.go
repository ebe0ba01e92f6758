package textsafe

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Markup says which of this program's markup a text has, so that it stays. The zero value
// is for texts that have none, as all that a person may have written.
type Markup struct {
	Tags     bool            // stand at the end of each block: <roam uid="…"/>
	Own      bool            // the text is the program's own: only characters are escaped
	Previews map[string]bool // that a read has added, each whole: ((uid))<ref>text</ref>
}

const (
	open, end = "‹U+", "›" // around the number of a character
	quote     = '‹'
)

// Escape returns a text with escapes for what can't be seen, and for the first sign of
// what looks like markup that it must not have.
func Escape(text string, has Markup) string {
	var out strings.Builder
	done, closes := 0, -1 // closes: where the preview ends that was opened last
	for i := 0; i < len(text); {
		if c := text[i]; ' ' <= c && c <= '~' && c != '<' { // most are
			i++
			continue
		}
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		hide := false
		switch {
		case r == '\n', r == '\t', i == closes, r == '<' && has.Tags && isOwnTag(text[i:]):
		case isSign(r):
			if hide = !has.Own && imitates(text[i+size:]); !hide {
				break
			}
			if p, ok := previewAt(text, i); ok && i > closes && has.Previews[text[p.Start:p.End]] {
				hide, closes = false, p.End-len(previewEnd)
			}
		case r == quote:
			_, _, hide = escaped(text[i:])
		default:
			hide = Hidden(r) && !isPart(text, i, size)
		}
		if hide {
			out.WriteString(text[done:i])
			fmt.Fprintf(&out, "%s%04X%s", open, r, end)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text
	}
	return out.String() + text[done:]
}

// Unescape returns a text with the characters that its escapes stand for.
func Unescape(text string) string {
	at := strings.Index(text, open)
	if at < 0 {
		return text
	}
	var out strings.Builder
	for at >= 0 {
		out.WriteString(text[:at])
		if r, size, ok := escaped(text[at:]); ok {
			out.WriteRune(r)
			text = text[at+size:]
		} else {
			out.WriteString(open)
			text = text[at+len(open):]
		}
		at = strings.Index(text, open)
	}
	return out.String() + text
}

// escaped returns the character that a text begins with the escape of, and the size of
// that; false where it begins with none that Escape can have written.
func escaped(text string) (r rune, size int, ok bool) {
	rest, found := strings.CutPrefix(text, open)
	number, _, closed := strings.Cut(rest[:min(len(rest), 6+len(end))], end)
	if !found || !closed || len(number) < 4 {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(number, 16, 32)
	if r = rune(n); err != nil || !utf8.ValidRune(r) || !(r == quote || isSign(r) || Hidden(r) && r != '\n' && r != '\t') {
		return 0, 0, false
	}
	return r, len(open) + len(number) + len(end), true
}
