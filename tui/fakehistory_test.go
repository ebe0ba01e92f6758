package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

// fakeHistory is a journal in memory.
type fakeHistory struct {
	mu       sync.Mutex
	calls    []history.Call // newest first
	sessions []history.Session
	notices  []history.Notice
	diffs    map[int64]review.Diff // of a call that has none, one is made up
	err      error
	watching map[chan struct{}]bool
	asked    []history.Filter
	read     []int64 // calls whose differences were asked for

	left    string // what an undo leaves, in lines
	stuck   bool   // an undo ends after its second change, once its context does
	planned []Undo // what was asked for
	ran     int
}

var _ History = (*fakeHistory)(nil)

func (f *fakeHistory) Calls(ctx context.Context, filter history.Filter) (history.Page, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, filter)
	if err := cmp.Or(ctx.Err(), f.err); err != nil {
		return history.Page{}, err
	}
	var page history.Page
	for _, call := range f.calls {
		switch {
		case filter.Before > 0 && call.ID >= filter.Before,
			len(filter.Graphs) > 0 && !slices.Contains(filter.Graphs, call.Graph),
			filter.Session > 0 && call.Session != filter.Session,
			filter.Page != "" && !strings.Contains(call.Summary, `"`+filter.Page+`"`),
			filter.Gone && !strings.HasPrefix(call.Tool, "delete") && !strings.HasPrefix(call.Tool, "update_page"),
			call.At.Before(filter.Since):
			continue
		}
		if len(page.Calls) == cmp.Or(filter.Limit, 50) {
			page.More = true
			break
		}
		page.Calls = append(page.Calls, call)
	}
	return page, nil
}

func (f *fakeHistory) Sessions(context.Context, history.Filter) ([]history.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sessions), nil
}

func (f *fakeHistory) Diff(ctx context.Context, number int64) (review.Diff, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read = append(f.read, number)
	if diff, ok := f.diffs[number]; ok {
		return diff, ctx.Err()
	}
	for _, call := range f.calls {
		if call.ID == number {
			return review.Diff{
				Head:     []string{fmt.Sprintf("%d  %s by %s (session s%d) in %s, %s", number, call.Tool, call.Agent, call.Session, f.Name(call.Graph), call.At.Format(time.TimeOnly))},
				Sections: []review.Section{{Path: []string{"A page"}, UID: fmt.Sprintf("uid%06d", number), Lines: []review.DiffLine{{Kind: review.Added, Text: call.Summary}}, Now: "as it was left", NowMark: review.Done}},
			}, ctx.Err()
		}
	}
	return review.Diff{}, &problem.Error{Code: "NOT_FOUND", Message: fmt.Sprintf("There is no call %d.", number)}
}

func (f *fakeHistory) Watch(ctx context.Context) <-chan struct{} {
	changes := make(chan struct{}, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watching == nil {
		f.watching = map[chan struct{}]bool{}
	}
	f.watching[changes] = true
	context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watching, changes)
		close(changes)
	})
	return changes
}

func (f *fakeHistory) Notices(context.Context) ([]history.Notice, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.notices), nil
}

func (f *fakeHistory) Name(g history.Graph) string {
	return cmp.Or(map[string]string{"jfb-work-notes-2024": "Work", "personal-zettelkasten": "Personal"}[g.Name], g.Name)
}

// PlanUndo plans for the call 412, which has twelve changes, whatever was asked for.
func (f *fakeHistory) PlanUndo(_ context.Context, wanted Undo) ([]UndoPlan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.planned = append(f.planned, wanted)
	at := slices.IndexFunc(f.calls, func(c history.Call) bool { return c.ID == 412 })
	word := "undone"
	if wanted.Redo {
		word = "redone"
	}
	return []UndoPlan{{
		Name: "Work", Calls: []history.Call{f.calls[at]}, Changes: 12, Possible: true,
		Text: func(kit.Glyphs, time.Time) string {
			return "1 call of Work: 12 changes to be " + word + ", 14 steps.\n  412  14:01:10  claude-code  update_blocks  3 blocks on \"Plan Q4\"\n" + f.left
		},
		Run: func(ctx context.Context, tell func(done, all int, waits time.Duration)) (Undone, error) {
			return f.undo(ctx, word, tell)
		},
	}}, f.err
}

// undo takes the call 412 back, or the undo of it.
func (f *fakeHistory) undo(ctx context.Context, word string, tell func(done, all int, waits time.Duration)) (Undone, error) {
	tell(2, 12, 0)
	if f.is(func(f *fakeHistory) bool { f.ran++; return f.stuck }) {
		<-ctx.Done()
		return Undone{Changes: 3}, ctx.Err()
	}
	f.change(func(f *fakeHistory) {
		at := slices.IndexFunc(f.calls, func(c history.Call) bool { return c.ID == 412 })
		f.calls[at].UndoneBy, f.calls[at].PartlyUndone = 414, f.left != ""
		if word == "redone" {
			f.calls[at].UndoneBy = 0
		}
	})
	return Undone{12, func(g kit.Glyphs) string {
		text := g.Marked + " 12 changes of Work " + word
		if f.left != "" {
			text += ", 2 things left as it is"
		}
		return text + ".\n" + f.left
	}}, nil
}

// change changes the journal, and tells those who watch it.
func (f *fakeHistory) change(change func(*fakeHistory)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
	for changes := range f.watching {
		select {
		case changes <- struct{}{}:
		default:
		}
	}
}

// write records a call with the next number.
func (f *fakeHistory) write(call history.Call) {
	f.change(func(f *fakeHistory) {
		call.ID = 1
		if len(f.calls) > 0 {
			call.ID = f.calls[0].ID + 1
		}
		f.calls = slices.Insert(f.calls, 0, call)
	})
}

func (f *fakeHistory) is(what func(*fakeHistory) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return what(f)
}
