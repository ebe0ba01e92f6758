package ops

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/textsafe"
)

// ParseWrite returns the write that a record is of, to look for it (Graph.Settle).
// request is the JSON list of its positional arguments, as Write.Request returns them.
// before is what was read right before it; zero: nothing was. It is an error if no write
// of this package has the request, or if what it does can't be seen in a graph: that of an
// upload or of a call of an extension.
func ParseWrite(action string, request []byte, before fact.State) (Write, error) {
	var args []json.RawMessage
	if err := json.Unmarshal(request, &args); err != nil {
		return nil, fmt.Errorf("the request of %s is no JSON list: %w", textsafe.Quote(action), err)
	}
	w, err := parseWrite(action, args, before)
	if err != nil {
		return nil, fmt.Errorf("the request of %s can't be read: %w", textsafe.Quote(action), err)
	}
	if _, again := w.Request(); !sameJSON(request, again) {
		return nil, fmt.Errorf("the request of %s has something that no write has", textsafe.Quote(action))
	}
	return w, nil
}

// sameJSON reports whether a JSON text stands for the value.
func sameJSON(text []byte, value any) bool {
	again, err := json.Marshal(value)
	return err == nil && reflect.DeepEqual(decoded(text), decoded(again))
}

func decoded(text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// sentObject has the keys of the objects that Roam's writes take (LOCAL_API.md 2.3 to
// 2.6).
type sentObject struct {
	Location      sentLocation `json:"location"`
	Block         sentThing    `json:"block"`
	Page          sentThing    `json:"page"`
	Updates       []sentThing  `json:"updates"`
	Actions       []sentStep   `json:"actions"`
	UIDs          []string     `json:"uids"`
	Blocks        []string     `json:"blocks"`
	Markdown      string       `json:"markdown-string"`
	Open          *bool        `json:"open"`
	Merge         bool         `json:"merge-pages"`
	BlockUID      string       `json:"block-uid"`
	Reply         string       `json:"reply-string"`
	ReplyMarkdown string       `json:"reply-markdown"`
	URL           string       `json:"url"`
}

// sentLocation is a Location as it was sent.
type sentLocation struct {
	ParentUID string   `json:"parent-uid"`
	Page      sentPage `json:"page-title"`
	NestUnder string   `json:"nest-under-str"`
	Order     Order    `json:"order"`
}

func (l sentLocation) location() Location {
	return Location{ParentUID: l.ParentUID, PageTitle: l.Page.title, Day: l.Page.day, NestUnder: l.NestUnder, Order: l.Order}
}

// sentPage is the page of a Location: one of both.
type sentPage struct{ title, day string }

// UnmarshalJSON implements json.Unmarshaler.
func (p *sentPage) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &p.title) == nil {
		return nil
	}
	var day struct {
		Day string `json:"daily-note-page"`
	}
	err := json.Unmarshal(text, &day)
	p.day = day.Day
	return err
}

// sentThing is a block or page as it was sent.
type sentThing struct {
	UID       string          `json:"uid"`
	Title     string          `json:"title"`
	String    *string         `json:"string"`
	Heading   *int            `json:"heading"`
	Open      *bool           `json:"open"`
	ViewType  *string         `json:"children-view-type"`
	BlockView *string         `json:"block-view-type"`
	TextAlign *string         `json:"text-align"`
	Props     json.RawMessage `json:"props"`
}

// sentStep is one of the creations of BlockCreations as it was sent.
type sentStep struct {
	Action   string       `json:"action"`
	Location sentLocation `json:"location"`
	Block    sentThing    `json:"block"`
}

func (s sentStep) newBlock() NewBlock {
	return NewBlock{UID: s.Block.UID, ParentUID: s.Location.ParentUID, Order: s.Location.Order, Block: s.Block.block()}
}

func (t sentThing) update() BlockUpdate {
	update := BlockUpdate{
		UID: t.UID, String: t.String, Heading: t.Heading, Open: t.Open, ViewType: t.ViewType, TextAlign: t.TextAlign, BlockView: t.BlockView,
	}
	if len(t.Props) > 0 {
		props := Props(t.Props)
		update.Props = &props
	}
	return update
}

func (t sentThing) block() outline.Block {
	return outline.Block{
		String: valueOf(t.String), Heading: valueOf(t.Heading), Collapsed: t.Open != nil && !*t.Open,
		ChildrenViewType: valueOf(t.ViewType), BlockViewType: valueOf(t.BlockView), TextAlign: valueOf(t.TextAlign),
	}
}

// valueOf returns what p points to; the zero value where it points to nothing.
func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// sentWrite is a write as it was sent: its first argument where that is an object, all of
// them, and what was read right before.
type sentWrite struct {
	sentObject
	args   []json.RawMessage
	before fact.State
}

// parserOf returns what reads the writes of an action; nil where what they do can't be seen
// in the graph.
func parserOf(action string) func(sentWrite) (Write, error) {
	return map[string]func(sentWrite) (Write, error){
		"data.block.create":        parseNewBlock,
		batchAction:                parseBlockCreations,
		"data.block.fromMarkdown":  parseNewBlocks,
		"data.page.fromMarkdown":   parseNewPage,
		"data.block.addComment":    parseNewComment,
		"data.block.update":        parseBlockUpdate,
		"data.block.updateBlocks":  parseBlockUpdates,
		"data.page.update":         parsePageUpdate,
		"data.block.move":          parseBlockMove,
		"data.block.reorderBlocks": parseReordering,
		"data.block.delete":        parseRemovalOfBlock,
		"data.page.delete":         parseRemovalOfPage,
		"data.block.deleteBlocks":  parseRemovals,
		"data.page.addShortcut":    parseNewShortcut,
		"data.page.removeShortcut": parseShortcutRemoval,
		"file.delete":              parseFileRemoval,
	}[action]
}

func parseWrite(action string, args []json.RawMessage, before fact.State) (Write, error) {
	parse := parserOf(action)
	switch {
	case parse == nil:
		return nil, errors.New("what it does can't be seen in the graph")
	case len(args) == 0:
		return nil, errors.New("it has no arguments")
	}
	sent := sentWrite{args: args, before: before}
	if bytes.HasPrefix(bytes.TrimSpace(args[0]), []byte("{")) {
		if err := json.Unmarshal(args[0], &sent.sentObject); err != nil {
			return nil, err
		}
	}
	return parse(sent)
}
