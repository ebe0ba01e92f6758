package tui

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/tui/kit"
)

// historyFeed is the part of the journal that a screen holds: the newest calls of a
// query, without gaps.
type historyFeed struct {
	calls []history.Call // newest first, without their arguments
	names map[history.Graph]string
	low   int64     // the lowest number that is covered
	more  bool      // there are calls below low
	known bool      // something was read
	stale int64     // calls with lower numbers may have changed since they were read
	table kit.Table // of the calls so far, so that the columns stay put
}

// The columns of a feed.
const (
	historyNumber = iota
	historyTime
	historyAgent
	historyGraph
	historyTool
	historyWhat
	historyResult
)

func newHistoryFeed() historyFeed {
	const most = 20
	return historyFeed{table: kit.NewTable(
		kit.Column{Head: "NO.", Drops: 4}, kit.Column{Head: "TIME", Min: 8}, kit.Column{Head: "AGENT", Max: most, Narrow: 8, Drops: 3}, kit.Column{Head: "GRAPH", Max: most, Narrow: 8, Drops: 2},
		kit.Column{Head: "TOOL", Max: 24, Narrow: 11}, kit.Column{Head: "WHAT", Min: 18, Narrow: 18, Grows: true}, kit.Column{Head: "RESULT", Narrow: 9},
	)}
}

// merge takes a page in place of what the feed had of the numbers that it covers.
func (f *historyFeed) merge(page HistoryPage, e *env) {
	live := page.High == math.MaxInt64
	if !f.known || live && page.More && len(f.calls) > 0 && page.Low > f.calls[0].ID+1 {
		*f = newHistoryFeed() // too much is new
		f.known, f.low, f.names = true, math.MaxInt64, page.Names
	}
	from := f.from(page.High)
	to := max(f.from(page.Low-1), from)
	f.calls = slices.Replace(f.calls, from, to, page.Calls...)
	maps.Copy(f.names, page.Names)
	if page.Low <= f.low {
		f.low, f.more = page.Low, page.More
	}
	if live {
		f.stale = page.Low
	}
	for i, line := range page.Lines {
		cells := f.cells(line, page.Calls[i], e)
		cells[historyTime] = "" // is measured when it is in sight
		f.table.Measure(cells...)
	}
}

// trim forgets the oldest calls, which can be read again.
func (f *historyFeed) trim(most int) {
	if len(f.calls) <= most {
		return
	}
	clear(f.calls[most:])
	f.calls = f.calls[:most]
	f.low, f.more = f.calls[most-1].ID, true
	if cap(f.calls) > 4*most {
		f.calls = slices.Clone(f.calls)
	}
}

// from returns the index of the first call whose number is not above a number.
func (f *historyFeed) from(number int64) int {
	i, _ := slices.BinarySearchFunc(f.calls, number, func(c history.Call, number int64) int {
		return cmp.Compare(number, c.ID) // newest first
	})
	return i
}

// line returns what is said of a call.
func (f *historyFeed) line(at int, e *env) review.Line {
	return review.Lines(f.calls[at:at+1], func(g history.Graph) string { return calledGraph(g, f.names) }, e.now)[0]
}

// cells returns the row of a call.
func (f *historyFeed) cells(line review.Line, call history.Call, e *env) []string {
	sign, what := e.markSign(line.Result.Mark), line.Summary
	if what == "" && call.TextsGone {
		what = "texts not kept"
	}
	return []string{
		fmt.Sprint(line.Number), historyClock(call.At, e.now), kit.Sanitize(line.Agent), kit.Sanitize(line.Graph), kit.Sanitize(line.Tool), kit.Sanitize(what),
		sign.Style.Render(sign.Glyph + " " + kit.Sanitize(line.Result.Words)),
	}
}
