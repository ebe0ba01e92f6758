package notes

import (
	"encoding/json"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// current returns the note as it is now, for what was shown of it.
func (f *found) current() shown.Current {
	now := shown.Current{Node: f.whole, Content: f.contentUIDs()}
	now.Lists[shown.Tags], now.Lists[shown.Images] = f.labels, f.images()
	for _, each := range f.items() {
		now.Lists[shown.Items] = append(now.Lists[shown.Items], each.ID)
	}
	if f.quick {
		now.Node, now.Within = note.Node{UID: f.whole.UID, Children: []note.Node{f.whole}}, f.whole.UID
	}
	return now
}

// contentUIDs returns the uids of the blocks of the content.
func (e *entry) contentUIDs() []string {
	var uids []string
	if e.quick {
		uids = append(uids, e.node.UID)
	}
	return append(uids, note.ShownUIDs(e.onlyContent())...)
}

// reading says how the note is read.
func (f *found) reading(param string) shown.Reading {
	return shown.Reading{Param: param, Call: say("%s with id %s reads it.", problem.ReadPage, textsafe.Quote(f.node.UID))}
}

// listing is what a reply shows of the note that has its content whole, or nothing of it
// that counts.
func (f *found) listing() surface.Showing {
	now := f.current()
	shows := surface.Showing{Node: now.Node, Content: now.Content, Lists: now.Lists}
	shows.Fields[shown.Tags], shows.Fields[shown.Images], shows.Fields[shown.Items] = "labels", "images", "checkItems"
	return shows
}

// showing replies with a form of the note, and with its content from a character on.
func (f *found) showing(form func(content string) json.RawMessage, from int) surface.Reply {
	r, shows := f.rendering(), f.listing()
	shows.Render, shows.From = func() note.Rendering { return r }, from
	return surface.Reply{
		JSON: form(""), Shows: []surface.Showing{shows},
		Passage: &surface.Passage{Field: "content", Text: r.Text, From: from, Reads: problem.ReadPage},
	}
}
