package surface

import (
	"encoding/json"

	"roam-mcp/internal/rawjson"
)

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
	for kept < len(list) && used+len(list[kept])+1 <= room {
		used += len(list[kept]) + 1
		kept++
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
	inner.Max -= overhead(object, c.Field, note) + 8
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
