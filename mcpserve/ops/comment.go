package ops

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"roam-mcp/graphdb/outline"
	"roam-mcp/history/fact"
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
	anyThread := ""
	return Footprint{Places: []string{c.BlockUID}, Inner: &anyThread, Changes: c.told}
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

func (c NewComment) told() []Change {
	text := c.Text + c.Markdown // of which one is empty
	return []Change{{Does: "comment on a block", At: c.BlockUID, Then: linesOf(text), Texts: []string{text}}}
}

// AddComment comments on a block.
func (g Creates) AddComment(ctx context.Context, comment NewComment) (Created, error) {
	want := outline.ParseMarkdown(comment.Markdown)
	if comment.Text != "" {
		want = []outline.Block{{String: comment.Text}}
	}
	reply, made, err := g.create(ctx, comment, Location{}, want)
	if err == nil && !tellsAll(uidsIn(reply), comment.Markdown) {
		reply = withMarkdown(reply, made.shown())
	}
	return Created{Reply: reply}, err
}

// find looks for what was written since with this text, and whether it is among
// the comments on the block. Where Roam does not answer the first, the text
// counts, and that its comment was edited since: what is said on one day goes
// into one comment.
func (c NewComment) find(ctx context.Context, look verifier, since int64) (Applied, string) {
	wanted := c.Text
	if wanted == "" {
		wanted = firstLine(c.Markdown)
	}
	found, err := look.rows(ctx, `[:find ?u ?s ?t :in $ ?s :where [?e :block/string ?s] [?e :block/uid ?u] [(get-else $ ?e :create/time 0) ?t]]`, wanted)
	if err != nil && !LacksAction(err) {
		return Unknown, cantLook(err)
	}
	asked := err == nil
	if asked && len(found) == 0 && (c.Text != "" || readsAsWritten(wanted)) {
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
		if asked && isAmong(each, rows) || !asked && changedSince(each, since) {
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
