package surface

import (
	"encoding/json"
	"fmt"
	"strings"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// maxRestUIDs bounds the uids that a cut reply names.
const maxRestUIDs = 100

// Cut shortens a reply that is too long. Each kind of field has its own; one that
// does not apply, since the reply lacks its field, leaves the reply alone.
type Cut interface {
	// shorten returns the reply with less of it. A reply that still does not fit
	// goes on to the next cut.
	shorten(object rawjson.Object, f Frame) (rawjson.Object, error)
}

// Frame is what a reply is cut for.
type Frame struct {
	Tool  *Tool
	Args  Arguments
	World problem.World
	Max   int // tokens of the reply at most
	Total int // Reply.Total
	// Passage is Reply.Passage.
	Passage *Passage
}

// Rest says which call gets what was left out, once kept elements are shown.
type Rest func(args Arguments, kept int) problem.Hint

// Always returns a Rest that does not depend on the call.
func Always(hint problem.Hint) Rest {
	return func(Arguments, int) problem.Hint { return hint }
}

// askForLess is said where a tool has no better way to get the rest.
const askForLess = "Ask for less at once."

// Fits reports whether a text has at most max tokens.
func Fits[T ~string | ~[]byte](text T, max int) bool {
	return !textsafe.ExceedsTokens(text, max)
}

// Fit cuts a reply that is longer than f.Max tokens. What it returns is a whole
// JSON object, of f.Max tokens at most. The error of a reply that can't be cut has
// the code REPLY_TOO_LARGE.
func Fit(reply json.RawMessage, f Frame) (json.RawMessage, error) {
	if Fits(reply, f.Max) {
		return reply, nil
	}
	object := rawjson.Parse(reply)
	for _, cut := range f.Tool.Cuts {
		shorter, err := cut.shorten(object, f)
		if err != nil {
			return nil, err
		}
		object = shorter
		if out := object.JSON(); Fits(out, f.Max) {
			return out, nil
		}
	}
	return nil, f.tooLarge(len(reply))
}

// FitWrite is the reply of a write that can't be cut: it must not read as if the
// write had failed. head are the fields in front.
func FitWrite(size int, head rawjson.Object, f Frame) json.RawMessage {
	note := Truncated{BytesLeft: size, Rest: f.World.Say(f.doneHint())}
	return head.With("success", true).With("truncated", note).JSON()
}

// doneHint says of a write how to see what its reply leaves out.
func (f Frame) doneHint() problem.Hint {
	for _, cut := range f.Tool.Cuts {
		if list, ok := cut.(CutList); ok && list.Rest != nil {
			return list.Rest(f.Args, 0)
		}
	}
	return problem.Say(askForLess)
}

func (f Frame) tooLarge(size int) *problem.Error {
	hint := problem.Say(askForLess)
	for _, name := range []string{"limit", "maxDepth"} {
		if f.Tool.Takes(name) {
			hint = problem.Say("Ask for less at once, with a smaller %s.", name)
		}
	}
	return &problem.Error{
		Code:    CodeReplyTooLarge,
		Message: fmt.Sprintf("The reply has %d bytes and is longer than %d tokens.", size, f.Max),
		Hint:    hint,
	}
}

// Truncated says how much of a reply is missing, and which call gets the rest.
type Truncated struct {
	BlocksShown  int      `json:"blocksShown,omitempty"`
	BlocksLeft   int      `json:"blocksLeft,omitempty"`
	ResultsShown int      `json:"resultsShown,omitempty"`
	ResultsLeft  int      `json:"resultsLeft,omitempty"`
	BytesLeft    int      `json:"bytesLeft"`
	Rest         string   `json:"rest"`
	UIDs         []string `json:"uids,omitempty"`
	UIDsLeft     int      `json:"uidsLeft,omitempty"`
}

// overhead returns what the object takes without the value of a key, the note
// that says what is missing included.
func overhead(object rawjson.Object, key string, note Truncated) int {
	// The count of a whole can be a little more than those of its parts.
	return textsafe.CountTokens(object.With(key, "").With("truncated", note).JSON()) + 32
}

// DropField takes a whole field out. With Instead the field stays as an object
// that holds a note in place of the field Part; with Rest the reply says what is
// missing.
type DropField struct {
	Field string
	Part  string
	Note  problem.Hint // in place of Part
	Rest  problem.Hint
}

func (d DropField) shorten(object rawjson.Object, f Frame) (rawjson.Object, error) {
	raw := object.Get(d.Field)
	switch {
	case raw == nil:
		return object, nil
	case d.Part != "":
		preview := rawjson.Parse(raw).Without(d.Part).With("note", f.World.Say(d.Note))
		return object.With(d.Field, preview.JSON()), nil
	}
	object = object.Without(d.Field)
	if d.Rest.IsZero() {
		return object, nil
	}
	return object.With("truncated", Truncated{BytesLeft: len(raw), Rest: f.World.Say(d.Rest)}), nil
}

// CutText cuts a text at the end of a line, or inside the first one where that is
// too long by itself.
type CutText struct {
	Field string
	Rest  problem.Hint
}

func (c CutText) shorten(object rawjson.Object, f Frame) (rawjson.Object, error) {
	raw := object.Get(c.Field)
	var text string
	if raw == nil || json.Unmarshal(raw, &text) != nil {
		return object, nil
	}
	rest := f.World.Say(c.Rest)
	room := f.Max - overhead(object, c.Field, Truncated{BytesLeft: len(text), Rest: rest})
	var kept strings.Builder
	for line := range strings.Lines(text) {
		size := textsafe.CountTokens(rawjson.Encode(line))
		if size > room {
			break
		}
		kept.WriteString(line)
		room -= size
	}
	if kept.Len() == 0 {
		for _, r := range text {
			if room -= textsafe.CountTokens(rawjson.Encode(string(r))); room < 0 {
				break
			}
			kept.WriteRune(r)
		}
	}
	return object.With(c.Field, kept.String()).With("truncated", Truncated{BytesLeft: len(text) - kept.Len(), Rest: rest}), nil
}

// CutLongestList halves the longest of some lists until the reply fits.
type CutLongestList struct {
	Fields []string
	Rest   problem.Hint
}

func (c CutLongestList) shorten(object rawjson.Object, f Frame) (rawjson.Object, error) {
	note := Truncated{Rest: f.World.Say(c.Rest)}
	for {
		longest := ""
		for _, field := range c.Fields {
			if longest == "" || len(object.Get(field)) > len(object.Get(longest)) {
				longest = field
			}
		}
		list := rawjson.Elements(object.Get(longest))
		if len(list) == 0 {
			return object, nil
		}
		kept := rawjson.Array(list[:len(list)/2])
		note.ResultsLeft += len(list) - len(list)/2
		note.BytesLeft += len(object.Get(longest)) - len(kept)
		object = object.With(longest, kept).With("truncated", note)
		if Fits(object.JSON(), f.Max) {
			return object, nil
		}
	}
}

// CutList keeps as many whole elements of a list, from its start, as fit.
type CutList struct {
	Field string
	Rest  Rest // nil: ask for less at once
	// UIDs is the field of each element with whose uid the element can be read by
	// another tool, where no page of the list brings it; empty: none.
	UIDs string
	// Markdown cuts the markdown of the first element where that alone is too
	// long; nil: such a reply is too large.
	Markdown *CutMarkdown
}

func (c CutList) shorten(object rawjson.Object, f Frame) (rawjson.Object, error) {
	list := rawjson.Elements(object.Get(c.Field))
	if len(list) == 0 {
		return object, nil
	}
	total := 0
	for _, each := range list {
		total += len(each) + 1
	}
	// Roam's words on this page are true of all of it only: how many there are on
	// it, and where the next one starts.
	object = object.Without("shown", "nextOffset", "note")
	note := c.note(list, len(list), f)
	note.ResultsLeft, note.BytesLeft, note.UIDs = len(list), total, c.uids(list)
	room := f.Max - overhead(object, c.Field, note)
	kept, used := 0, 0
	for ; kept < len(list); kept++ {
		if room -= textsafe.CountTokens(list[kept]) + 1; room < 0 {
			break
		}
		used += len(list[kept]) + 1
	}
	if kept == 0 {
		return c.first(object, list, total, f)
	}
	note = c.note(list, kept, f)
	note.BytesLeft, note.UIDs = total-used, c.uids(list[kept:])
	return object.With(c.Field, rawjson.Array(list[:kept])).With("truncated", note), nil
}

func (c CutList) note(list []json.RawMessage, kept int, f Frame) Truncated {
	rest := askForLess
	if c.Rest != nil {
		rest = f.World.Say(c.Rest(f.Args, kept))
	}
	return Truncated{ResultsShown: kept, ResultsLeft: len(list) - kept, Rest: rest}
}

// first cuts the markdown of the first element, which is too long by itself.
func (c CutList) first(object rawjson.Object, list []json.RawMessage, total int, f Frame) (rawjson.Object, error) {
	first := rawjson.Parse(list[0])
	if c.Markdown == nil || first.Get(c.Markdown.Field) == nil {
		return nil, f.tooLarge(total)
	}
	note := c.note(list, 1, f)
	note.BytesLeft = total
	inner := f
	inner.Max -= overhead(object, c.Field, note)
	shorter, err := c.Markdown.shorten(first, inner)
	if err != nil {
		return nil, err
	}
	out := shorter.JSON()
	note.BytesLeft = total - len(out)
	return object.With(c.Field, rawjson.Array([]json.RawMessage{out})).With("truncated", note), nil
}

// uids are those with which elements can be read that no page brings.
func (c CutList) uids(list []json.RawMessage) []string {
	if c.UIDs == "" {
		return nil
	}
	var uids []string
	for _, each := range list {
		if uid, ok := rawjson.Parse(each).Text(c.UIDs); ok && uid != "" && len(uids) < maxRestUIDs {
			uids = append(uids, uid)
		}
	}
	return uids
}
