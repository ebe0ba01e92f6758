package roundtriptest

import (
	"fmt"
	"regexp"
	"strings"
)

// shownNote is a note as a profile shows it.
type shownNote struct {
	content string
	whole   any    // what is sent back: content, with the header where the profile takes it, or items
	items   []item // of a checklist
}

type item struct {
	ID      string `json:"id,omitempty"`
	Text    string `json:"text"`
	Checked bool   `json:"checked"`
}

// with returns what is to be sent for the note with a block at its end.
func (s shownNote) with(text string) any {
	switch {
	case s.items != nil:
		return append(s.items[:len(s.items):len(s.items)], item{Text: text})
	case strings.HasPrefix(s.content, "- "):
		return s.content + "\n- " + text
	}
	return s.content + "\n\n" + text
}

// note reads a page as a note, in the profiles that have notes.
func (w *world) note(page stored) (shownNote, error) {
	w.T.Helper()
	switch w.profile {
	case "graph":
		r, err := w.call("get_node", arguments{"id": page.UID})
		if err != nil {
			return shownNote{}, err
		}
		var node struct{ Content string }
		r.Decode(w.T, &node)
		return shownNote{content: node.Content, whole: node.Content}, nil
	case "notes":
		r, err := w.call("get_note", arguments{"id": page.UID})
		if err != nil {
			return shownNote{}, err
		}
		var note struct {
			Content, Type string
			CheckItems    []item
		}
		r.Decode(w.T, &note)
		if note.Type == "checklist" {
			return shownNote{note.Content, note.CheckItems, note.CheckItems}, nil
		}
		return shownNote{content: note.Content, whole: note.Content}, nil
	}
	r, err := w.call("get_note", arguments{"path": "((" + page.UID + "))"})
	if err != nil {
		return shownNote{}, err
	}
	_, content, found := strings.Cut(r.Text(), "\n---\n\n")
	if !found {
		return shownNote{}, fmt.Errorf("get_note shows no header: %q", r.Text())
	}
	if len(page.Children)%2 == 0 {
		return shownNote{content: content, whole: r.Text()}, nil // the header may be sent back
	}
	return shownNote{content: content, whole: content}, nil
}

// writeNote replaces a note, or the items of a checklist.
func (w *world) writeNote(page stored, content any) error {
	w.T.Helper()
	tool, args := "update_note", arguments{"content": content}
	switch w.profile {
	case "graph":
		tool, args["id"] = "update_node", page.UID
	case "notes":
		args["id"] = page.UID
		if items, ok := content.([]item); ok {
			args = arguments{"id": page.UID, "checkItems": items}
		}
	case "wiki":
		args["path"] = "((" + page.UID + "))"
	}
	_, err := w.call(tool, args)
	return err
}

// shownByRoam returns the text of each block of a page as get_page shows it, with its tag.
func (w *world) shownByRoam(page stored) (map[string]string, error) {
	w.T.Helper()
	r, err := w.call("get_page", arguments{"uid": page.UID})
	if err != nil {
		return nil, err
	}
	var shown struct{ Markdown string }
	r.Decode(w.T, &shown)
	_, rest, _ := strings.Cut(shown.Markdown, "/>\n\n")
	texts := map[string]string{}
	return texts, cutBlocks(rest+"\n", page.Children, "", texts)
}

// cutBlocks takes the blocks apart of an outline with a tag behind each.
func cutBlocks(outline string, blocks []stored, indent string, texts map[string]string) error {
	for _, b := range blocks {
		tag := regexp.MustCompile(`<roam uid="` + regexp.QuoteMeta(b.UID) + `"[^<>]*/>\n`).FindStringIndex(outline)
		if tag == nil || !strings.HasPrefix(outline, indent+"- ") {
			return fmt.Errorf("the bullet of %s is not in %q", b.UID, outline)
		}
		text := strings.TrimPrefix(outline[:tag[1]-1], indent+"- ")
		texts[b.UID] = strings.ReplaceAll(text, "\n"+indent+"  ", "\n")
		outline = outline[tag[1]:]
		below := len(outline)
		if next := nextAfter(blocks, b.UID); next != "" {
			if at := strings.Index(outline, `<roam uid="`+next+`"`); at >= 0 {
				below = at
			}
		}
		if err := cutBlocks(outline[:below], b.Children, indent+"  ", texts); err != nil {
			return err
		}
		for _, each := range flat(b.Children) {
			_, outline, _ = strings.Cut(outline, `<roam uid="`+each.UID+`"`)
			_, outline, _ = strings.Cut(outline, "\n")
		}
	}
	return nil
}

// nextAfter returns the uid of the sibling behind a block.
func nextAfter(blocks []stored, uid string) string {
	for i := range len(blocks) - 1 {
		if blocks[i].UID == uid {
			return blocks[i+1].UID
		}
	}
	return ""
}

// shownByOutline returns the text of each block of a page as get_block shows it.
func (w *world) shownByOutline(page stored) (map[string]string, error) {
	w.T.Helper()
	texts := map[string]string{}
	for _, b := range flat(page.Children) {
		r, err := w.call("get_block", arguments{"block_uuid": b.UID, "include_children": false})
		if err != nil {
			return nil, err
		}
		var shown struct{ Content string }
		r.Decode(w.T, &shown)
		texts[b.UID] = shown.Content
	}
	return texts, nil
}
