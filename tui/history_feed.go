package tui

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
)

// historyFeed is the part of the journal that a screen holds: the newest calls of a
// query, without gaps.
type historyFeed struct {
	calls []history.Call // newest first, without their arguments
	names map[history.Graph]string
	low   int64 // the lowest number that is covered
	more  bool  // there are calls below low
	known bool  // something was read
	stale int64 // calls with lower numbers may have changed since they were read
	// Widths of the widest texts so far, so that the columns stay put.
	agent, graph, tool, result int
}

// merge takes a page in place of what the feed had of the numbers that it covers.
func (f *historyFeed) merge(page HistoryPage) {
	live := page.High == math.MaxInt64
	if !f.known || live && page.More && len(f.calls) > 0 && page.Low > f.calls[0].ID+1 {
		*f = historyFeed{known: true, low: math.MaxInt64, names: page.Names} // too much is new
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
	for _, line := range page.Lines {
		f.agent = max(f.agent, ansi.StringWidth(line.Agent))
		f.graph = max(f.graph, ansi.StringWidth(line.Graph))
		f.tool = max(f.tool, ansi.StringWidth(line.Tool))
		f.result = max(f.result, ansi.StringWidth(line.Result.Words))
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

// at returns the index of a call, or of the nearest one that the feed has, or -1.
func (f *historyFeed) at(number int64) int { return min(f.from(number), len(f.calls)-1) }

// lines returns what is said of the calls [from, to).
func (f *historyFeed) lines(from, to int, e *env) []review.Line {
	return review.Lines(f.calls[from:to], func(g history.Graph) string { return calledGraph(g, f.names) }, e.now)
}
