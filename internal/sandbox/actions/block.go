package actions

import (
	"bytes"
	"encoding/json"
	"fmt"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
)

// location says where blocks go (LOCAL_API.md 2.3): under a uid, a page's title or
// a daily note, or under a child of it that has the string NestUnder.
type location struct {
	ParentUID string     `json:"parent-uid"`
	PageTitle pageTarget `json:"page-title"`
	Order     position   `json:"order"`
	NestUnder string     `json:"nest-under-str"`
}

// pageTarget is a title, or {"daily-note-page": "MM-DD-YYYY"}.
type pageTarget struct {
	title, daily string
}

func (p *pageTarget) UnmarshalJSON(data []byte) error {
	var daily struct {
		Page string `json:"daily-note-page"`
	}
	switch {
	case json.Unmarshal(data, &p.title) == nil:
		return nil
	case json.Unmarshal(data, &daily) == nil && daily.Page != "":
		p.daily = daily.Page
		return nil
	}
	return fmt.Errorf(`page-title is a title or {"daily-note-page": "MM-DD-YYYY"}`)
}

func (l location) resolve() outline.Location {
	order := outline.Last
	if l.Order.set && !l.Order.last {
		order = outline.Order(l.Order.value)
	}
	return outline.Location{
		ParentUID: l.ParentUID, PageTitle: l.PageTitle.title, DailyNote: l.PageTitle.daily,
		Order: order, NestUnder: l.NestUnder,
	}
}

// blockFields are the keys of a block; those that are absent stay nil.
type blockFields struct {
	UID              string          `json:"uid"`
	String           *string         `json:"string"`
	Open             *bool           `json:"open"`
	Heading          *whole          `json:"heading"`
	TextAlign        *string         `json:"text-align"`
	ChildrenViewType *string         `json:"children-view-type"`
	BlockViewType    *string         `json:"block-view-type"`
	Props            json.RawMessage `json:"props"`
}

func (f blockFields) update() (outline.BlockUpdate, error) {
	update := outline.BlockUpdate{
		String: f.String, Open: f.Open, TextAlign: f.TextAlign,
		ChildrenViewType: f.ChildrenViewType, BlockViewType: f.BlockViewType,
	}
	if f.Heading != nil {
		update.Heading = &f.Heading.value
	}
	props, err := f.props()
	if len(f.Props) > 0 {
		update.Props = &props
	}
	return update, err
}

// props returns the properties as compact JSON; empty for none.
func (f blockFields) props() (string, error) {
	data := bytes.TrimSpace(f.Props)
	if len(data) == 0 || string(data) == "null" {
		return "", nil
	}
	if data[0] != '{' {
		return "", fmt.Errorf("props is an object")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return "", fmt.Errorf("props: %w", err)
	}
	return compact.String(), nil
}

func (f blockFields) block() (outline.Block, error) {
	props, err := f.props()
	block := outline.Block{
		UID: f.UID, String: or(f.String, ""), Collapsed: !or(f.Open, true), TextAlign: or(f.TextAlign, ""),
		ChildrenViewType: or(f.ChildrenViewType, ""), BlockViewType: or(f.BlockViewType, ""), Props: props,
	}
	if f.Heading != nil {
		block.Heading = f.Heading.value
	}
	return block, err
}

// createBlock is data.block.create; its result is undefined.
func createBlock(c *call, asked struct {
	Location location    `json:"location"`
	Block    blockFields `json:"block"`
}) (any, error) {
	if asked.Block.String == nil {
		return nil, c.missing("block.string")
	}
	block, err := asked.Block.block()
	if err != nil {
		return nil, err
	}
	return undefined{}, c.write(func(w *outline.Writer) error {
		_, err := w.CreateBlocks(asked.Location.resolve(), []outline.Block{block})
		return err
	})
}

// createBlocksFromMarkdown is data.block.fromMarkdown: {"uids": […]} of the blocks
// at the top level, to which alone "open" applies.
func createBlocksFromMarkdown(c *call, asked struct {
	Location location `json:"location"`
	Markdown *string  `json:"markdown-string"`
	Open     *bool    `json:"open"`
}) (any, error) {
	if asked.Markdown == nil {
		return nil, c.missing("markdown-string")
	}
	if err := markdown.Check(*asked.Markdown); err != nil {
		return nil, err
	}
	blocks := markdown.Importer(*asked.Markdown)
	for i := range blocks {
		blocks[i].Collapsed = !or(asked.Open, true)
	}
	var created struct {
		UIDs []string `json:"uids"`
		flattening
	}
	err := c.write(func(w *outline.Writer) (err error) {
		created.UIDs, err = w.CreateBlocks(asked.Location.resolve(), blocks)
		created.tell(w)
		return err
	})
	return created, err
}

// flattening is the part of a reply that says that an outline was too deep.
type flattening struct {
	Note string `json:"note,omitempty"`
}

func (f *flattening) tell(w *outline.Writer) {
	if n := w.Flattened(); n > 0 {
		f.Note = fmt.Sprintf("The outline is flattened: a page has at most %d levels, and %d of the new blocks that were deeper are on the last one.", outline.MaxDepth, n)
	}
}

// updateBlock is data.block.update. Only the keys that are given change.
func updateBlock(c *call, asked struct {
	Block blockFields `json:"block"`
}) (any, error) {
	if asked.Block.UID == "" {
		return nil, c.missing("block.uid")
	}
	update, err := asked.Block.update()
	if err != nil {
		return nil, err
	}
	return nil, c.write(func(w *outline.Writer) error { return w.UpdateBlock(asked.Block.UID, update) })
}

// target is an argument that names one page or block.
type target struct {
	Block struct {
		UID string `json:"uid"`
	} `json:"block"`
	Page struct {
		UID string `json:"uid"`
	} `json:"page"`
}

// deleteBlock is data.block.delete.
func deleteBlock(c *call, asked target) (any, error) {
	if asked.Block.UID == "" {
		return nil, c.missing("block.uid")
	}
	deleted := false
	err := c.write(func(w *outline.Writer) (err error) {
		deleted, err = w.DeleteBlock(asked.Block.UID)
		return err
	})
	return reportDeletion(deleted), err
}

// moveBlock is data.block.move.
func moveBlock(c *call, asked struct {
	target
	Location location `json:"location"`
}) (any, error) {
	if asked.Block.UID == "" {
		return nil, c.missing("block.uid")
	}
	return nil, c.write(func(w *outline.Writer) error { return w.MoveBlock(asked.Block.UID, asked.Location.resolve()) })
}

// pageFields are the keys of a page; those that are absent stay nil.
type pageFields struct {
	UID              string  `json:"uid"`
	Title            *string `json:"title"`
	ChildrenViewType *string `json:"children-view-type"`
}

func (f pageFields) page() outline.NewPage {
	return outline.NewPage{Title: or(f.Title, ""), UID: f.UID, ChildrenViewType: or(f.ChildrenViewType, "")}
}

func (f pageFields) update() outline.PageUpdate {
	return outline.PageUpdate{Title: f.Title, ChildrenViewType: f.ChildrenViewType}
}

// newPage is the argument of the actions that make a page.
type newPage struct {
	Page     pageFields `json:"page"`
	Markdown string     `json:"markdown-string"`
}

// createdPage is the result of data.page.fromMarkdown.
type createdPage struct {
	UID string `json:"uid"`
	flattening
}

// createPage is data.page.create; its result is undefined.
func createPage(c *call, asked newPage) (any, error) {
	asked.Markdown = ""
	_, err := createPageFromMarkdown(c, asked)
	return undefined{}, err
}

// createPageFromMarkdown is data.page.fromMarkdown.
func createPageFromMarkdown(c *call, asked newPage) (any, error) {
	if or(asked.Page.Title, "") == "" {
		return nil, c.missing("page.title")
	}
	if err := markdown.Check(asked.Markdown); err != nil {
		return nil, err
	}
	var created createdPage
	err := c.write(func(w *outline.Writer) (err error) {
		if created.UID, err = w.CreatePage(asked.Page.page()); err == nil {
			_, err = w.CreateBlocks(outline.Location{ParentUID: created.UID, Order: outline.Last}, markdown.Importer(asked.Markdown))
		}
		created.tell(w)
		return err
	})
	return created, err
}

// updatePage is data.page.update: a new title, another view, or both.
func updatePage(c *call, asked struct {
	Page  pageFields `json:"page"`
	Merge bool       `json:"merge-pages"`
}) (any, error) {
	if asked.Page.UID == "" {
		return nil, c.missing("page.uid")
	}
	return nil, c.write(func(w *outline.Writer) error { return w.UpdatePage(asked.Page.UID, asked.Page.update(), asked.Merge) })
}

// deletePage is data.page.delete.
func deletePage(c *call, asked target) (any, error) {
	if asked.Page.UID == "" {
		return nil, c.missing("page.uid")
	}
	deleted := false
	err := c.write(func(w *outline.Writer) (err error) {
		deleted, err = w.DeletePage(asked.Page.UID)
		return err
	})
	return reportDeletion(deleted), err
}
