package evaluation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
)

// Base is the graph that a task is about.
type Base string

// The graphs. Help is Roam's public help graph of 2021, which is not part of the
// repository (package helpgraph); Both is the two sample graphs of the sandbox.
const (
	Demo Base = "demo"
	Help Base = "help"
	Both Base = "both"
)

// Task is one thing that a user wants from an agent.
type Task struct {
	Name   string // one word with hyphens
	Graph  Base
	Prompt string // in the words of a user
	// Pages is a Roam JSON export of pages that are in the graph from the start, beside
	// its own; nil: none. It depends on the day of the run.
	Pages func(today time.Time) string
	// Touches are the titles of the pages that may be other at the end. Today and Yesterday
	// stand for the daily notes.
	Touches []string
	Check   Check
	// Profile is the tool surface that the agent is given; empty: roam.
	Profile string
	// Person edits the graph in Roam once, when the first call of the tool After has been
	// answered; nil: nobody does.
	Person func(p *Person)
	After  string
	// Compared reports whether the task is one of those that were also given to the
	// official server, see docs/benchmarks.md.
	Compared bool
}

// Titles in Task.Touches.
const (
	Today     = "today"
	Yesterday = "yesterday"
)

// End is what there is when the agent has answered.
type End struct {
	Answer string
	Today  time.Time
	// Start and Graph are the task's graph before and after. Notebook is the second graph,
	// where there is one.
	Start, Graph            *graphdb.DB
	NotebookStart, Notebook *graphdb.DB
	// Early reports whether the agent was done before the person of the task had edited
	// anything, since it never made the call that this waits for.
	Early bool
}

// Wrote reports whether anything was written.
func (e *End) Wrote() bool {
	return e.Graph.BasisTx() != e.Start.BasisTx() || e.Notebook != nil && e.Notebook.BasisTx() != e.NotebookStart.BasisTx()
}

// MaxAnswer bounds an answer, in bytes, so that none passes by holding everything.
const MaxAnswer = 4000

// Judge returns nil if the task was done, or what is wrong.
func (t Task) Judge(e *End) error {
	if len(e.Answer) > MaxAnswer {
		return fmt.Errorf("the answer has %d bytes; a user wants at most %d", len(e.Answer), MaxAnswer)
	}
	if e.Early {
		return fmt.Errorf("the agent never called %s, so nobody edited the graph meanwhile", t.After)
	}
	problems := []error{t.Check(e), unchanged(e.Start, e.Graph, t.titles(e.Today))}
	if e.Notebook != nil {
		problems = append(problems, unchanged(e.NotebookStart, e.Notebook, t.titles(e.Today)))
	}
	return errors.Join(problems...)
}

// titles returns the pages that may change.
func (t Task) titles(today time.Time) []string {
	titles := slices.Clone(t.Touches)
	for i, title := range titles {
		switch title {
		case Today:
			titles[i] = outline.DailyTitle(today)
		case Yesterday:
			titles[i] = outline.DailyTitle(today.AddDate(0, 0, -1))
		}
	}
	return titles
}

// unchanged compares two graphs but for the pages named, pages without blocks, and times.
func unchanged(before, after *graphdb.DB, but []string) error {
	if before.BasisTx() == after.BasisTx() {
		return nil
	}
	was, is := outlines(before), outlines(after)
	var changed []string
	for title, text := range is {
		if was[title] != text {
			changed = append(changed, title)
		}
	}
	for title := range was {
		if _, there := is[title]; !there {
			changed = append(changed, title)
		}
	}
	changed = slices.DeleteFunc(changed, func(title string) bool { return slices.Contains(but, title) })
	slices.Sort(changed)
	if len(changed) > 0 {
		return fmt.Errorf("these pages should be as they were: %q", changed)
	}
	return nil
}

// outlines returns the pages that have blocks, by title.
func outlines(db *graphdb.DB) map[string]string {
	pages := map[string]string{}
	for page, title := range db.Entities(graphdb.NodeTitle) {
		if blocks := outline.ReadTree(db, page); len(blocks) > 0 {
			pages[title.Text()] = fmt.Sprintf("%+v", blocks)
		}
	}
	return pages
}

// blocks returns the top-level blocks of a page.
func (e *End) blocks(title string) []outline.Block {
	switch title {
	case Today:
		title = outline.DailyTitle(e.Today)
	case Yesterday:
		title = outline.DailyTitle(e.Today.AddDate(0, 0, -1))
	}
	page := outline.PageByTitle(e.Graph, title)
	if page == 0 {
		return nil
	}
	return outline.ReadTree(e.Graph, page)
}

// text returns the text of a block, or "" if there is none with this uid.
func (e *End) text(uid string) string {
	return e.Graph.String(outline.ByUID(e.Graph, uid), graphdb.BlockString)
}

// show writes blocks as lines, for messages.
func show(blocks []outline.Block) string {
	text := markdown.Bullets(blocks)
	if len(text) > 2000 {
		text = text[:2000] + "…"
	}
	return strings.TrimSpace(text)
}
