package surface

import (
	"encoding/json"
	"fmt"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/problem"
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
	Max   int // bytes of the reply at most
}

// Rest says which call gets what was left out, once kept elements are shown.
type Rest func(args Arguments, kept int) problem.Hint

// Always returns a Rest that does not depend on the call.
func Always(hint problem.Hint) Rest {
	return func(Arguments, int) problem.Hint { return hint }
}

// askForLess is said where a tool has no better way to get the rest.
const askForLess = "Ask for less at once."

// Fit cuts a reply that is longer than f.Max bytes. What it returns is a whole
// JSON object, of f.Max bytes at most. The error of a reply that can't be cut has
// the code REPLY_TOO_LARGE.
func Fit(reply json.RawMessage, f Frame) (json.RawMessage, error) {
	size := len(reply)
	if size <= f.Max {
		return reply, nil
	}
	object := rawjson.Parse(reply)
	for _, cut := range f.Tool.Cuts {
		shorter, err := cut.shorten(object, f)
		if err != nil {
			return nil, err
		}
		object = shorter
		if out := object.JSON(); len(out) <= f.Max {
			return out, nil
		}
	}
	return nil, f.tooLarge(size)
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
		if f.Tool.Lists(name) {
			hint = problem.Say("Ask for less at once, with a smaller %s.", name)
		}
	}
	return &problem.Error{
		Code:    CodeReplyTooLarge,
		Message: fmt.Sprintf("The reply has %d bytes; at most %d are sent.", size, f.Max),
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
	return len(object.With(key, "").With("truncated", note).JSON())
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
		size := len(rawjson.Encode(line)) - 2
		if size > room {
			break
		}
		kept.WriteString(line)
		room -= size
	}
	if kept.Len() == 0 {
		for _, r := range text {
			if room -= len(rawjson.Encode(string(r))) - 2; room < 0 {
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
		if len(object.JSON()) <= f.Max {
			return object, nil
		}
	}
}
