package ops

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"roam-mcp/graphdb/outline"
	"roam-mcp/history/fact"
	"roam-mcp/mcpserve/internal/safetext"
)

// ParseWrite returns the write that a record is of, to look for it (Graph.Settle).
// request is the JSON list of its positional arguments, as Write.Request returns them.
// before is what was read right before it; zero: nothing was. It is an error if no write
// of this package has the request, or if what it does can't be seen in a graph: that of an
// upload or of a call of an extension.
func ParseWrite(action string, request []byte, before fact.State) (Write, error) {
	var args []json.RawMessage
	if err := json.Unmarshal(request, &args); err != nil {
		return nil, fmt.Errorf("the request of %s is no JSON list: %w", safetext.Quote(action), err)
	}
	w, err := parseWrite(action, args, before)
	if err != nil {
		return nil, fmt.Errorf("the request of %s can't be read: %w", safetext.Quote(action), err)
	}
	if _, again := w.Request(); !sameJSON(request, again) {
		return nil, fmt.Errorf("the request of %s has something that no write has", safetext.Quote(action))
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
	UID       string  `json:"uid"`
	Title     string  `json:"title"`
	String    *string `json:"string"`
	Heading   *int    `json:"heading"`
	Open      *bool   `json:"open"`
	ViewType  *string `json:"children-view-type"`
	BlockView string  `json:"block-view-type"`
	TextAlign *string `json:"text-align"`
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
	return BlockUpdate{UID: t.UID, String: t.String, Heading: t.Heading, Open: t.Open, ViewType: t.ViewType, TextAlign: t.TextAlign}
}

func (t sentThing) block() outline.Block {
	return outline.Block{
		String: valueOf(t.String), Heading: valueOf(t.Heading), Collapsed: t.Open != nil && !*t.Open,
		ChildrenViewType: valueOf(t.ViewType), BlockViewType: t.BlockView, TextAlign: valueOf(t.TextAlign),
	}
}

// valueOf returns what p points to; the zero value where it points to nothing.
func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

func parseWrite(action string, args []json.RawMessage, before fact.State) (Write, error) {
	if len(args) == 0 {
		return nil, errors.New("it has no arguments")
	}
	if strings.HasSuffix(action, "Shortcut") {
		return parseShortcut(action, args)
	}
	var sent sentObject
	if err := json.Unmarshal(args[0], &sent); err != nil {
		return nil, err
	}
	switch action {
	case "data.block.create":
		return sentStep{Location: sent.Location, Block: sent.Block}.newBlock(), nil
	case batchAction:
		creations := make(BlockCreations, len(sent.Actions))
		for i, each := range sent.Actions {
			creations[i] = each.newBlock() // any other step is told by what ParseWrite compares
		}
		return creations, nil
	case "data.block.fromMarkdown":
		return NewBlocks{Location: sent.Location.location(), Markdown: sent.Markdown, Open: sent.Open}, nil
	case "data.page.fromMarkdown":
		return NewPage{Title: sent.Page.Title, UID: sent.Page.UID, ViewType: valueOf(sent.Page.ViewType), Markdown: sent.Markdown}, nil
	case "data.block.addComment":
		return NewComment{BlockUID: sent.BlockUID, Text: sent.Reply, Markdown: sent.ReplyMarkdown}, nil
	case "data.block.update":
		return sent.Block.update(), nil
	case "data.block.updateBlocks":
		updates := make(BlockUpdates, len(sent.Updates))
		for i, each := range sent.Updates {
			updates[i] = each.update()
		}
		return updates, nil
	case "data.page.update":
		return PageUpdate{UID: sent.Page.UID, Title: sent.Page.Title, ViewType: valueOf(sent.Page.ViewType), Merge: sent.Merge}, nil
	case "data.block.move":
		return BlockMove{UID: sent.Block.UID, ParentUID: sent.Location.ParentUID, Order: sent.Location.Order}, nil
	case "data.block.reorderBlocks":
		parent := sent.Location.ParentUID
		return Reordering{ParentUID: parent, UIDs: sent.Blocks, Before: before.Things[parent].Children}, nil
	case "data.block.delete":
		return removalOf(Block, sent.Block.UID, before), nil
	case "data.page.delete":
		return removalOf(Page, sent.Page.UID, before), nil
	case "data.block.deleteBlocks":
		removals := make(Removals, len(sent.UIDs))
		for i, uid := range sent.UIDs {
			removals[i] = removalOf(Block, uid, before)
		}
		return removals, nil
	case "file.delete":
		return FileRemoval{sent.URL}, nil
	}
	return nil, errors.New("what it does can't be seen in the graph")
}

// removalOf returns the removal of a thing, of which before tells whether it was there.
func removalOf(thing Thing, uid string, before fact.State) Removal {
	was, known := before.Things[uid]
	return Removal{Thing: thing, UID: uid, WasThere: known && !was.Gone}
}

// parseShortcut reads a write of shortcuts, whose arguments are no object.
func parseShortcut(action string, args []json.RawMessage) (Write, error) {
	var shortcut NewShortcut
	if err := json.Unmarshal(args[0], &shortcut.PageUID); err != nil {
		return nil, err
	}
	if len(args) > 1 {
		if err := json.Unmarshal(args[1], &shortcut.Index); err != nil {
			return nil, err
		}
	}
	switch action {
	case "data.page.addShortcut":
		return shortcut, nil
	case "data.page.removeShortcut":
		return ShortcutRemoval{shortcut.PageUID}, nil
	}
	return nil, errors.New("what it does can't be seen in the graph")
}
