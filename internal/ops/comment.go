package ops

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/rawjson"
)

// NewComment is a comment on a block: exactly one of Text and Markdown.
type NewComment struct {
	BlockUID string
	Text     string
	Markdown string // several blocks
}

// Request implements Write.
func (c NewComment) Request() (action string, args []any) {
	request := request{"block-uid": c.BlockUID}
	if c.Text != "" {
		request["reply-string"] = c.Text
	} else {
		request["reply-markdown"] = c.Markdown
	}
	return "data.block.addComment", []any{request}
}

// Footprint implements Write.
func (c NewComment) Footprint() Footprint {
	return Footprint{Places: []string{c.BlockUID}, Stored: []string{c.Text}, Markdown: []string{c.Markdown}}
}

// Capture implements Write.
func (c NewComment) Capture() Capture {
	capture := captureMade(c.BlockUID, "", "")
	capture.Class = fact.ClassComment
	return capture
}

// Done implements Write.
func (c NewComment) Done(reply json.RawMessage) Done {
	uids, told := madeIn(reply)
	done := Done{What: doneInserted, UIDs: uids, Made: uids, Told: told, Markdown: c.Markdown}
	if c.Markdown == "" {
		done.Counts.Added = 1
	}
	return done
}

func parseNewComment(s sentWrite) (Write, error) {
	return NewComment{BlockUID: s.BlockUID, Text: s.Reply, Markdown: s.ReplyMarkdown}, nil
}

// AddComment comments on a block.
func (g Creates) AddComment(ctx context.Context, comment NewComment) (Created, error) {
	var rest []outline.Block
	want := markdown.Parse(comment.Markdown).Blocks
	if err := g.allowNamed(Footprint{Stored: blockTexts(want)}); err != nil {
		return Created{}, err
	}
	text, ok := forImporter(comment.Markdown, want)
	switch {
	case comment.Text != "":
		want = []outline.Block{{String: comment.Text}}
	case ok || len(want) == 0:
		comment.Markdown = text
	default: // its first block is the comment, and the others are put below and behind it
		comment.Text, comment.Markdown = want[0].String, ""
		want, rest = []outline.Block{{String: comment.Text}}, want
	}
	reply, m, err := g.create(ctx, comment, Location{}, want)
	if err == nil && rest != nil {
		reply, m, err = g.restOfComment(ctx, reply, m, rest)
	}
	if err == nil && len(m.shown()) > len(uidsIn(reply)) {
		reply = withMarkdown(reply, m.shown())
	}
	return Created{Reply: reply}, err
}

// restOfComment writes the blocks of a comment of which the text of the first is there.
func (g Creates) restOfComment(ctx context.Context, reply rawjson.Object, m made, blocks []outline.Block) (rawjson.Object, made, error) {
	first := blocks[0]
	if len(m.blocks) != 1 || m.parent == "" {
		return reply, m, storedOtherwise(blocks, m)
	}
	uids := []string{m.blocks[0].UID}
	if first.Heading != 0 {
		if _, err := g.edits().UpdateBlock(ctx, BlockUpdate{UID: uids[0], Heading: &first.Heading}); err != nil {
			return reply, m, err
		}
	}
	if len(first.Children) > 0 {
		if _, err := g.createBelow(ctx, note.Node{UID: uids[0]}, Order{}, nil, first.Children); err != nil {
			return reply, m, err
		}
	}
	if len(blocks) > 1 {
		thread, _, err := g.reads().ReadNote(ctx, m.parent)
		if err != nil {
			return reply, m, err
		}
		others, err := g.createBelow(ctx, thread, Order{}, nil, blocks[1:])
		if err != nil {
			return reply, m, err
		}
		uids = append(uids, others...)
	}
	m, _ = g.readMadeBelow(ctx, uids)
	return reply.With("uids", uids), m, nil
}

// find looks for what was written since with this text, and whether it is among
// the comments on the block.
func (c NewComment) find(ctx context.Context, look verifier, since int64) (Applied, string) {
	wanted := c.Text
	if wanted == "" {
		wanted = firstLine(c.Markdown)
	}
	found, err := look.rows(ctx, `[:find ?u ?s ?t :in $ ?s :where [?e :block/string ?s] [?e :block/uid ?u] [(get-else $ ?e :create/time 0) ?t]]`, wanted)
	if err != nil {
		return Unknown, cantLook(err)
	}
	if len(found) == 0 && (c.Text != "" || readsAsWritten(wanted)) {
		return No, "There is no block with this text."
	}
	rows := slices.DeleteFunc(found, func(row []any) bool { return len(row) != 3 || !isSince(row, 2, since) })
	result, err := look.read(ctx, commentsAction, map[string]any{"uid": c.BlockUID})
	if err != nil {
		return Unknown, cantLook(err)
	}
	comments := rawjson.Parse(result).Get("comments")
	if comments == nil {
		return Unknown, "Roam's list of comments can't be read."
	}
	there := false
	for _, each := range rawjson.Elements(comments) {
		if !says(each, wanted) {
			continue
		}
		there = true
		if isAmong(each, rows) {
			return Yes, "A comment with this text was written since the call."
		}
	}
	switch {
	case there:
		return Unknown, "A comment with this text is there, but it may have been there before."
	case readsAsWritten(wanted):
		return No, "The block has no comment with this text."
	}
	return Unknown, "The block has no comment with exactly this text."
}

// says reports whether one of the blocks of a comment has a text.
func says(comment json.RawMessage, wanted string) bool {
	for _, b := range blocksIn(comment) {
		if b.Text() == strings.TrimSpace(wanted) {
			return true
		}
	}
	return false
}

// isAmong reports whether one of the blocks of a comment is in rows, which begin
// with a uid.
func isAmong(comment json.RawMessage, rows [][]any) bool {
	for _, b := range blocksIn(comment) {
		if slices.ContainsFunc(rows, func(row []any) bool { return len(row) > 0 && row[0] == b.UID }) {
			return true
		}
	}
	return false
}

func changedSince(comment json.RawMessage, since int64) bool {
	object := rawjson.Parse(comment)
	for _, key := range []string{"editedTime", "createdTime"} {
		text, _ := object.Text(key)
		if at, err := time.Parse(time.RFC3339, text); err == nil && at.UnixMilli() >= since {
			return true
		}
	}
	return false
}
