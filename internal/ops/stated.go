package ops

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
)

// Stated returns facts that were read after a write with what its request itself says of them,
// and the uids of those that were read otherwise: somebody has edited them in between, or Roam
// stores something else than it was sent. What is as it was before was not done, or was put back.
func Stated(w Write, before, after fact.State) (stated fact.State, others []string) {
	stated = after
	for _, update := range statements(w) {
		is, read := after.Things[update.UID]
		was, had := before.Things[update.UID]
		if !read || is.Gone || had && len(was.Differs(is)) == 0 {
			continue
		}
		if became := update.on(is); len(became.Differs(is)) > 0 {
			if len(others) == 0 {
				stated.Things = maps.Clone(after.Things)
			}
			stated.Things[update.UID] = became
			others = append(others, update.UID)
		}
	}
	if others != nil || !anyEdited(before, after) {
		return stated, others
	}
	if texts := wordings(w); texts != nil {
		return statedTexts(texts, before, after)
	}
	return stated, nil
}

// anyEdited reports whether a block that was made was edited since.
func anyEdited(before, after fact.State) bool {
	for uid, is := range after.Things {
		if _, had := before.Things[uid]; !had && isEdited(is) {
			return true
		}
	}
	return false
}

func isEdited(f fact.Fact) bool {
	return !f.Gone && !f.IsPage() && f.Created > 0 && f.Edited > f.Created
}

// wordings returns the texts of the blocks that a write has Roam make of markdown; nil: it is none
// of these.
func wordings(w Write) (texts []string) {
	add := func(sent string) {
		var walk func(blocks []outline.Block)
		walk = func(blocks []outline.Block) {
			for _, b := range blocks {
				texts = append(texts, b.String)
				walk(b.Children)
			}
		}
		walk(markdown.Importer(sent))
	}
	switch w := w.(type) {
	case NewBlocks:
		if w.Location.NestUnder != "" {
			texts = append(texts, w.Location.NestUnder)
		}
		add(w.Markdown)
	case NewPage:
		add(w.Markdown)
	case NewComment:
		if w.Text != "" {
			return []string{w.Text}
		}
		add(w.Markdown)
	}
	return texts
}

// Texts returns the texts and titles that the request of a write says.
func Texts(w Write) map[string]bool {
	texts := map[string]bool{}
	for _, text := range wordings(w) {
		texts[strings.TrimSpace(text)] = true
	}
	for _, each := range statements(w) {
		texts[strings.TrimSpace(each.title+valueOf(each.String))] = true
	}
	return texts
}

// statedTexts is Stated of what Roam made of markdown: a block that was edited since, and has none
// of its texts, has somebody else's. Where it can't be told which one it had, nothing is known of
// the block.
func statedTexts(texts []string, before, after fact.State) (stated fact.State, others []string) {
	missing := slices.Clone(texts)
	for uid, is := range after.Things {
		if _, had := before.Things[uid]; had || is.Gone || is.IsPage() {
			continue
		}
		at := slices.IndexFunc(missing, func(text string) bool {
			return strings.TrimSpace(text) == strings.TrimSpace(is.Text)
		})
		switch {
		case at >= 0:
			missing = slices.Delete(missing, at, at+1)
		case isEdited(is):
			others = append(others, uid)
		}
	}
	if len(others) == 0 {
		return after, nil
	}
	stated = after
	stated.Things = maps.Clone(after.Things)
	for _, uid := range others {
		delete(stated.Things, uid)
	}
	if len(others) == 1 && len(missing) == 1 {
		was := after.Things[others[0]]
		was.Text = missing[0]
		stated.Things[others[0]] = was
	}
	slices.Sort(others)
	return stated, others
}

// Supposed returns the facts that a write leaves which changes texts, titles and looks alone, if it
// is done; none of any other write.
func Supposed(w Write, before fact.State) fact.State {
	supposed := fact.State{Things: map[string]fact.Fact{}}
	for _, update := range statements(w) {
		if was, had := before.Things[update.UID]; had && !was.Gone {
			supposed.Things[update.UID] = update.on(was)
		}
	}
	return supposed
}

// statement is what the request of a write says of a block or page.
type statement struct {
	BlockUpdate
	title string // of a page; "": nothing is said of it
}

// statements returns what the request of a write says of texts, titles and looks.
func statements(w Write) []statement {
	made := func(b NewBlock) statement { return statement{BlockUpdate{UID: b.UID, String: &b.Block.String}, ""} }
	var all []statement
	switch w := w.(type) {
	case BlockUpdate:
		all = append(all, statement{w, ""})
	case BlockUpdates:
		for _, each := range w {
			all = append(all, statement{each, ""})
		}
	case NewBlock:
		all = append(all, made(w))
	case BlockCreations:
		for _, each := range w {
			all = append(all, made(each))
		}
	case NewPage:
		all = append(all, statement{BlockUpdate{UID: w.UID}, w.Title})
	case PageUpdate:
		page := statement{BlockUpdate{UID: w.UID}, w.Title}
		if w.ViewType != "" || w.NoView {
			page.ViewType = &w.ViewType
		}
		all = append(all, page)
	}
	return all
}

// on returns what a block or page becomes; what it was read with, where that is the same.
func (u statement) on(f fact.Fact) fact.Fact {
	if u.title != "" && f.Title != u.title && f.Title != strings.TrimSpace(u.title) {
		f.Title = u.title
	}
	if u.String != nil && f.Text != *u.String {
		f.Text = *u.String
	}
	if u.Heading != nil {
		f.Heading = *u.Heading
	}
	if u.Open != nil && f.IsOpen() != *u.Open {
		f.Open = u.Open
	}
	usual := func(to *string, value *string, usual string) {
		if value != nil && *to != *value && (*to != "" || *value != usual) && (*value != "" || *to != usual) {
			*to = *value
		}
	}
	usual(&f.Align, u.TextAlign, "left")
	usual(&f.ChildrenView, u.ViewType, bullet)
	usual(&f.BlockView, u.BlockView, "")
	if u.Props != nil && *u.Props == "null" {
		f.Props = nil
	} else if u.Props != nil {
		f.Props = json.RawMessage(*u.Props)
	}
	return f
}
