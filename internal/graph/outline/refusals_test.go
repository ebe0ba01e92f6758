package outline

import (
	"strings"
	"testing"
)

// refusal is a write that must fail.
type refusal struct {
	code  Code
	text  string
	write func(*Writer) error
}

func refusals() map[string]refusal {
	blocks := func(at Location, b ...Block) func(*Writer) error {
		return func(w *Writer) error { _, err := w.CreateBlocks(at, b); return err }
	}
	rename := func(uid, to string) func(*Writer) error {
		return func(w *Writer) error { return w.UpdatePage(uid, PageUpdate{Title: &to}, false) }
	}
	text, heading, align := "x", 4, "middle"
	return map[string]refusal{
		"a parent that is not there":      {CodeNotFound, "doesn't exist", blocks(Location{ParentUID: "nope"}, Block{})},
		"no parent":                       {CodeInvalid, "exactly one", blocks(Location{}, Block{})},
		"two parents":                     {CodeInvalid, "exactly one", blocks(Location{ParentUID: "a", PageTitle: "P"}, Block{})},
		"a day that does not exist":       {CodeInvalid, "MM-DD-YYYY", blocks(Location{DailyNote: "02-30-2026"}, Block{})},
		"a uid that is taken":             {CodeAlreadyExists, "already exists", blocks(Location{ParentUID: "a"}, Block{UID: "b"})},
		"a uid twice in one tree":         {CodeAlreadyExists, "already exists", blocks(Location{ParentUID: "a"}, Block{UID: "n", Children: []Block{{UID: "n"}}})},
		"a uid with a space":              {CodeInvalid, "can't be a uid", blocks(Location{ParentUID: "a"}, Block{UID: "x y"})},
		"a uid that is too long":          {CodeInvalid, "at most 254", blocks(Location{ParentUID: "a"}, Block{UID: strings.Repeat("u", 255)})},
		"an update of nothing":            {CodeNotFound, "doesn't exist", func(w *Writer) error { return w.UpdateBlock("nope", BlockUpdate{String: &text}) }},
		"an update of a page":             {CodeInvalid, "is a page, not a block", func(w *Writer) error { return w.UpdateBlock("page", BlockUpdate{String: &text}) }},
		"a heading of 4":                  {CodeInvalid, "not 4", func(w *Writer) error { return w.UpdateBlock("a", BlockUpdate{Heading: &heading}) }},
		"an alignment nobody knows":       {CodeInvalid, "text-align is one of", func(w *Writer) error { return w.UpdateBlock("a", BlockUpdate{TextAlign: &align}) }},
		"a view nobody knows":             {CodeInvalid, "children-view-type is one of", func(w *Writer) error { return w.UpdateBlock("a", BlockUpdate{ChildrenViewType: &align}) }},
		"a move of nothing":               {CodeNotFound, "doesn't exist", func(w *Writer) error { return w.MoveBlock("nope", Location{ParentUID: "a"}) }},
		"a move to nowhere":               {CodeNotFound, "doesn't exist", func(w *Writer) error { return w.MoveBlock("a", Location{ParentUID: "nope"}) }},
		"a move under itself":             {CodeInvalid, "under itself", func(w *Writer) error { return w.MoveBlock("a", Location{ParentUID: "a"}) }},
		"a move under a block below":      {CodeInvalid, "under itself", func(w *Writer) error { return w.MoveBlock("a", Location{ParentUID: "b"}) }},
		"a move of a page":                {CodeInvalid, "is a page", func(w *Writer) error { return w.MoveBlock("page", Location{ParentUID: "a"}) }},
		"a page as a block to delete":     {CodeInvalid, "is a page", func(w *Writer) error { _, err := w.DeleteBlock("page"); return err }},
		"a block as a page to delete":     {CodeInvalid, "is a block", func(w *Writer) error { _, err := w.DeletePage("a"); return err }},
		"a title that is taken":           {CodeAlreadyExists, "already exists", func(w *Writer) error { _, err := w.CreatePage(NewPage{Title: "P"}); return err }},
		"a page without title":            {CodeInvalid, "needs a title", func(w *Writer) error { _, err := w.CreatePage(NewPage{}); return err }},
		"a page with a uid that is taken": {CodeAlreadyExists, "already exists", func(w *Writer) error { _, err := w.CreatePage(NewPage{Title: "N", UID: "a"}); return err }},
		"a daily note with another uid": {CodeInvalid, "daily note", func(w *Writer) error {
			_, err := w.CreatePage(NewPage{Title: "March 17th, 2026", UID: "x"})
			return err
		}},
		"a rename of a daily note":     {CodeInvalid, "can't be renamed", rename("03-18-2026", "x")},
		"a rename to a daily note":     {CodeInvalid, "daily note", rename("page", "March 20th, 2026")},
		"a rename to nothing":          {CodeInvalid, "needs a title", rename("page", " ")},
		"a rename of a page not there": {CodeNotFound, "doesn't exist", rename("nope", "x")},
	}
}

func TestWhatCannotBeWrittenIsRefusedInWords(t *testing.T) {
	for name, c := range refusals() {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			n.do(func(w *Writer) error {
				if _, err := w.CreatePage(NewPage{Title: "P", UID: "page"}); err != nil {
					return err
				}
				_, err := w.CreateBlocks(Location{ParentUID: "page"}, []Block{{UID: "a", Children: []Block{{UID: "b"}}}, {String: "[[March 18th, 2026]]"}})
				return err
			})
			before := n.DB()
			wantError(t, n.try(c.write), c.code, c.text)
			if n.DB() != before {
				t.Error("something changed")
			}
		})
	}
}
