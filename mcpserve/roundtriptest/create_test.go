package roundtriptest

import (
	"fmt"
	"strings"
	"testing"
)

// creation is a way to create blocks of a text: a tool, with what goes before it.
type creation struct {
	profile, tool string
	exact         bool // the text becomes one block, as it is sent
	run           func(w *world, n int, text string) (made []stored, err error)
}

// creations are all of them. Each n has a page of its own, page00000 and so on of export.
func creations() []creation {
	onPage := func(tool, place, text string) func(*world, int, string) ([]stored, error) {
		return func(w *world, n int, sent string) ([]stored, error) {
			_, err := w.call(tool, arguments{place: fmt.Sprintf("Page %d", n), text: sent})
			return w.page(pageUID(n)).Children[1:], err
		}
	}
	newPage := func(tool, title, text string, more arguments) func(*world, int, string) ([]stored, error) {
		return func(w *world, n int, sent string) ([]stored, error) {
			args := arguments{title: fmt.Sprintf("New %d", n), text: sent}
			for name, value := range more {
				args[name] = value
			}
			_, err := w.call(tool, args)
			return w.page(w.PageUID(fmt.Sprintf("New %d", n))).Children, err
		}
	}
	replaced := func(w *world, n int, sent string) ([]stored, error) {
		page := w.page(pageUID(n))
		if _, err := w.note(page); err != nil {
			return nil, err
		}
		err := w.writeNote(page, sent)
		return w.page(page.UID).Children, err
	}
	return []creation{
		{"roam", "create_page", false, newPage("create_page", "title", "markdown", nil)},
		{"roam", "create_block", false, onPage("create_block", "pageTitle", "markdown")},
		{"roam", "append_to_daily_note", false, (*world).appended},
		{"roam", "add_comment", false, (*world).commented},
		{"roam", "update_block", true, (*world).replacedText},
		{"graph", "create_node", false, newPage("create_node", "title", "content", nil)},
		{"graph", "update_node", false, replaced},
		{"notes", "create_note", false, newPage("create_note", "title", "content", nil)},
		{"notes", "create_note without a title", false, (*world).quick},
		{"notes", "update_note", false, replaced},
		{"outline", "create_page", false, newPage("create_page", "title", "content", nil)},
		{"outline", "update_page", false, onPage("update_page", "page_name", "content_append")},
		{"outline", "create_block", true, onPage("create_block", "page_name", "content")},
		{"outline", "update_block", true, (*world).replacedText},
		{"wiki", "create_note", false, newPage("create_note", "path", "content", arguments{"title": "A title"})},
		{"wiki", "update_note", false, replaced},
		{"wiki", "edit_note", false, onPage("edit_note", "path", "append")},
	}
}

// appended adds a text to a daily note of its own.
func (w *world) appended(n int, text string) ([]stored, error) {
	_, err := w.call("append_to_daily_note", arguments{"date": fmt.Sprintf("%04d-03-05", 2030+n), "markdown": text})
	return w.page(fmt.Sprintf("03-05-%04d", 2030+n)).Children, err
}

// commented adds a comment to the first block of a page.
func (w *world) commented(n int, text string) ([]stored, error) {
	r, err := w.call("add_comment", arguments{"blockUid": w.page(pageUID(n)).Children[0].UID, "commentMarkdown": text})
	if err != nil {
		return nil, err
	}
	var told struct{ UIDs []string }
	r.Decode(w.T, &told)
	var made []stored
	for _, uid := range told.UIDs {
		made = append(made, w.page(uid))
	}
	return made, nil
}

// replacedText gives the first block of a page another text.
func (w *world) replacedText(n int, text string) ([]stored, error) {
	block := w.page(pageUID(n)).Children[0].UID
	uid, content := "uid", "string"
	if w.profile == "outline" {
		uid, content = "block_uuid", "content"
	}
	if _, err := w.call("get_block", arguments{uid: block}); err != nil {
		return nil, err
	}
	_, err := w.call("update_block", arguments{uid: block, content: text})
	return w.page(pageUID(n)).Children[:1], err
}

// quick makes a note without a title, a block in today's daily note.
func (w *world) quick(_ int, text string) ([]stored, error) {
	r, err := w.call("create_note", arguments{"content": text})
	if err != nil {
		return nil, err
	}
	var note struct{ ID string }
	r.Decode(w.T, &note)
	return []stored{w.page(note.ID)}, nil
}

// created creates each text in a way, and says of each what is wrong with what is made.
func created(t testing.TB, way creation, texts []string, wrong func(text string, made []stored) string) []string {
	t.Helper()
	return createdOn(t, way, tree{{Text: "old"}}, texts, wrong)
}

// createdOn is created with what is on the pages before.
func createdOn(t testing.TB, way creation, before tree, texts []string, wrong func(text string, made []stored) string) []string {
	t.Helper()
	pages := make([]tree, len(texts))
	for i := range pages {
		pages[i] = before
	}
	w := newWorld(t, way.profile, export(pages))
	found := make([]string, len(texts))
	for i, text := range texts {
		made, err := way.run(w, i, text)
		switch {
		case err == nil:
			found[i] = wrong(text, made)
		case !refusable(text):
			found[i] = err.Error()
		}
	}
	return found
}

// refusable reports whether a text may be refused: one without anything to create, and one
// with marks that are the server's.
func refusable(text string) bool {
	return strings.TrimFunc(text, isStructure) == "" || strings.Contains(text, "<ref") || strings.Contains(text, "<roam") || strings.Contains(text, "</ref") || strings.Contains(text, "... [truncated]")
}
