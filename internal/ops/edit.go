package ops

import (
	"context"
	"fmt"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// CodeTextNotMatched is the code of an edit whose text to find is not in the
// block, or is there more than once (TOOLS.md, "Errors of our own").
const CodeTextNotMatched problem.Code = "TEXT_NOT_MATCHED"

// The details of a TEXT_NOT_MATCHED.
const (
	DetailOccurrences = "occurrences" // number of times that the text is there
	DetailMarkdown    = "markdown"    // the block as it is now
)

// TextEdit is a change of a block's text that depends on the text that it has.
type TextEdit struct {
	Find    string // the text to replace; empty: none
	Replace string
	All     bool   // replaces each occurrence; else there must be exactly one
	Todo    string // todo, done or none; empty: as it is

	// Replaced is how many occurrences of Find were replaced; EditTexts sets it.
	Replaced int
}

// IsEmpty reports whether e changes nothing.
func (e TextEdit) IsEmpty() bool { return e.Find == "" && e.Todo == "" }

// EditTexts sets the texts of updates to what edits make of the texts that the
// blocks have now, or of those that the updates have; edits[i] belongs to
// updates[i]. The pages of blocks that it edits so are held until release is called,
// so that the updates can be sent before. at is the one that an error is about, below 0
// for none alone. What it has read is there for Left.
func (g Rewrites) EditTexts(ctx context.Context, updates BlockUpdates, edits []TextEdit) (release func(), at int, err error) {
	var wanted []string
	for i, edit := range edits {
		if !edit.IsEmpty() && updates[i].String == nil {
			wanted = append(wanted, updates[i].UID)
		}
	}
	now, release, err := g.holdTexts(ctx, updates.uids(), wanted)
	if err != nil {
		return nil, -1, err
	}
	g.done.noteBefore(now)
	if at, err = editTexts(now, updates, edits); err != nil {
		release()
		return nil, at, err
	}
	return release, -1, nil
}

// editTexts is EditTexts with the blocks as they are now, by uid.
func editTexts(now map[string]note.Node, updates BlockUpdates, edits []TextEdit) (at int, err error) {
	for i, edit := range edits {
		if edit.IsEmpty() {
			continue
		}
		uid := updates[i].UID
		block, known := now[uid]
		text := block.Text
		switch {
		case updates[i].String != nil:
			text = *updates[i].String
		case !known || block.IsPage():
			return i, noSuchBlock(uid)
		}
		edited, n, err := edit.apply(uid, text)
		switch {
		case err != nil && updates[i].String == nil && updates[i].meets(text):
			return -1, shown.TextConflict([]shown.Changed{updates[i].met(text)})
		case err != nil:
			return i, err
		}
		updates[i].String, edits[i].Replaced = &edited, n
	}
	return -1, nil
}

// holdTexts reads blocks, and holds the pages of those that are wanted. Where none is,
// blocks that can't be read are none.
func (g Rewrites) holdTexts(ctx context.Context, uids, wanted []string) (now map[string]note.Node, release func(), err error) {
	now, err = g.reads().ReadTexts(ctx, uids)
	if err != nil && len(wanted) > 0 {
		return nil, nil, err
	}
	pages := func() (pages []string) {
		for _, uid := range wanted {
			if n, there := now[uid]; there {
				pages = append(pages, n.Page())
			}
		}
		return pages
	}
	if len(wanted) == 0 {
		return now, func() {}, nil
	}
	release, err = g.Hold(ctx, pages(), func() ([]string, error) {
		now, err = g.reads().ReadTexts(ctx, uids)
		return pages(), err
	})
	return now, release, err
}

func noSuchBlock(uid string) *problem.Error {
	return notRetryable(problem.Error{
		Code: localapi.CodeNotFound, Message: fmt.Sprintf("There is no block %s, so nothing was changed.", textsafe.Quote(uid)),
		Hint: problem.Say("Find it with %s.", problem.Search), Details: []problem.Detail{{Name: DetailUID, Value: uid}},
	})
}

// apply returns the text that the edit makes of the text of a block, and how often it replaced
// something.
func (e TextEdit) apply(uid, text string) (edited string, n int, err error) {
	if e.Find != "" {
		find := e.Find
		if !strings.Contains(text, find) { // as a read shows it
			find = outline.PlainText(find)
		}
		n = strings.Count(text, find)
		if find == "" || n == 0 || n > 1 && !e.All {
			return "", n, notMatched(uid, text, n)
		}
		text = strings.ReplaceAll(text, find, e.Replace)
	}
	return e.marked(text), n, nil
}

func notMatched(uid, text string, n int) *problem.Error {
	told := notRetryable(problem.Error{
		Code: CodeTextNotMatched, Message: "find is not in the text of the block, so nothing was changed.",
		Hint:    problem.Say("markdown is the block as it is now: send find exactly as it stands there."),
		Details: []problem.Detail{{Name: DetailUID, Value: uid}, {Name: DetailOccurrences, Value: n}, {Name: DetailMarkdown, Value: line(uid, text, 500)}},
	})
	if n > 1 {
		told.Message = fmt.Sprintf("find is %d times in the text of the block, so nothing was changed.", n)
		told.Hint = problem.Say("Send more of the text around it in find, or replaceAll true.")
	}
	return told
}

// todoMark is the mark of a task, with the space behind it (LOCAL_API.md 7.3).
var todoMark = lazyregexp.New(`\{\{(?:\[\[)?(?:TODO|DONE)(?:\]\])?\}\}[ \t]?`)

// marked returns a text with the mark that the edit wants, in the place of the one
// that it has, else in front.
func (e TextEdit) marked(text string) string {
	mark := map[string]string{"todo": "{{[[TODO]]}} ", "done": "{{[[DONE]]}} "}[e.Todo]
	if e.Todo == "" {
		return text
	}
	for _, at := range todoMark.FindAllStringIndex(text, -1) {
		if strings.Count(text[:at[0]], "`")%2 == 0 { // else it is code
			return text[:at[0]] + mark + text[at[1]:]
		}
	}
	return mark + text
}
