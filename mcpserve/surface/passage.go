package surface

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"

	"github.com/dustin/go-humanize"
)

// Passage is a text of which a reply shows a part in a field of its object, in a profile
// with the style Bare. Its places are numbers of characters (code points).
type Passage struct {
	Field string
	Text  string       // all of it
	From  int          // how many characters are left out from the start
	Most  int          // how many are shown at most; 0: as many as a reply has room for
	Reads problem.Task // the tool that goes on, with the argument offset
}

// Into returns a reply with the part of the text in its field. What goes on ends in TextCut.
func (p *Passage) Into(reply json.RawMessage) json.RawMessage {
	text := p.rest()
	if kept := textsafe.FirstShown(text, p.Most); p.Most > 0 && len(kept) < len(text) {
		text = atLineEnd(kept) + TextCut
	}
	return rawjson.Parse(reply).With(p.Field, text).JSON()
}

// Goes says which characters a reply shows, however it was cut since, and where the text
// goes on; nothing where it is shown to its end, or where there was no room for any of it.
func (p *Passage) Goes(reply json.RawMessage) problem.Hint {
	shown, _ := rawjson.Parse(reply).Text(p.Field)
	if shown == p.rest() {
		return problem.Hint{}
	}
	characters := utf8.RuneCountInString(strings.TrimSuffix(shown, TextCut))
	if characters == 0 {
		return problem.Say("There is no room for the field %s.", p.Field)
	}
	comma := func(n int) string { return humanize.Comma(int64(n)) }
	from, to, all := comma(p.From+1), comma(p.From+characters), comma(utf8.RuneCountInString(p.Text))
	return problem.Say("Shown characters %s to %s of %s of the %s; call %s with offset %d.", from, to, all, p.Field, p.Reads, p.From+characters).
		Or("Shown characters %s to %s of %s of the %s.", from, to, all, p.Field)
}

// rest returns the text from where it is shown.
func (p *Passage) rest() string { return p.Text[len(firstCharacters(p.Text, p.From)):] }

// firstCharacters returns at most n characters of a text from its start.
func firstCharacters(text string, n int) string {
	for at := range text {
		if n--; n < 0 {
			return text[:at]
		}
	}
	return text
}

// atLineEnd returns a text that goes on without the line in which it was cut, unless that
// is most of it.
func atLineEnd(text string) string {
	if end := strings.LastIndexByte(text, '\n') + 1; end > len(text)/2 {
		return text[:end]
	}
	return text
}
