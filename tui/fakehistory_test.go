package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"roam-mcp/history"
	"roam-mcp/history/review"
	"roam-mcp/problem"
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
