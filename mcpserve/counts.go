package mcpserve

import (
	"fmt"
	"strings"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// manyRemoved is from how many blocks on it is said first that they were removed.
const manyRemoved = 11

// writtenCounts is what a reply to a write says of blocks, beside it.
type writtenCounts struct {
	ops.Counts
	Unseen int `json:"unseen"` // that were not shown on the connection, and were left alone
}

// sayCounts adds to the reply to a write how many blocks it changed: as a sentence in a
// profile in prose, in _meta in all others. Where many were removed, that stands first.
func (c replyWriter) sayCounts(reply surface.Reply) surface.Reply {
	c.counts = &writtenCounts{Counts: c.graph.Counts()}
	for _, each := range reply.Shows {
		if each.Wrote != nil {
			c.counts.Unseen += each.Wrote.Unseen
		}
	}
	reply = c.sayNotes(reply)
	if impact := c.impact(); impact != nil && c.server.offering.profile.Style == surface.Labelled && rawjson.IsObject(reply.JSON) {
		reply.JSON = rawjson.Parse(reply.JSON).With(fieldEffect, impact).JSON()
	}
	if c.server.offering.profile.Style == surface.Prose {
		reply.Note = joinNotes(c.counts.sentence(), reply.Note)
	}
	if c.counts.Removed < manyRemoved {
		return reply
	}
	if c.server.offering.profile.Style == surface.Labelled && rawjson.IsObject(reply.JSON) {
		reply.JSON = rawjson.With("removedBlocks", c.counts.Removed).Append(rawjson.Parse(reply.JSON)).JSON()
		return reply
	}
	reply.Note = joinNotes(fmt.Sprintf("%d blocks were removed.", c.counts.Removed), reply.Note)
	return reply
}

// sayNotes adds to the reply to a write what Roam has stored otherwise than it was sent.
func (c replyWriter) sayNotes(reply surface.Reply) surface.Reply {
	notes := strings.Join(c.graph.Notes(), " ")
	if notes == "" {
		return reply
	}
	if c.tool.Unseen {
		notes = "Roam has stored some of it otherwise than it was sent."
	}
	if c.server.offering.profile.Style == surface.Labelled && rawjson.IsObject(reply.JSON) {
		object := rawjson.Parse(reply.JSON)
		if warning, _ := object.Text("warning"); warning != "" {
			notes = warning + " " + notes
		}
		reply.JSON = object.With("warning", notes).JSON()
		return reply
	}
	reply.Note = joinNotes(notes, reply.Note)
	return reply
}

// sentence says the counts that are not 0.
func (w writtenCounts) sentence() string {
	var parts []string
	for _, each := range []struct {
		n    int
		said string
	}{{w.Changed, "changed"}, {w.Added, "added"}, {w.Moved, "moved"}, {w.Removed, "removed"}, {w.Unseen, "not shown and left alone"}} {
		if each.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", each.n, each.said))
		}
	}
	if len(parts) == 0 {
		return "Blocks: none changed."
	}
	return "Blocks: " + strings.Join(parts, ", ") + "."
}
