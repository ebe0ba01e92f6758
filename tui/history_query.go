package tui

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
)

// HistoryQuery says which recorded calls are wanted. The zero value wants all.
type HistoryQuery struct {
	Graph   history.Graph // the zero value: of every graph
	Session int64         // 0: of every session
	Since   time.Time     // the zero value: of any time
	// Words are looked for without regard to case, and have to be there all: in the
	// number, the agent, the graph, the tool, the summary or the result. A word that
	// begins with agent:, graph: or tool: is looked for there alone, and page: names the
	// page that was changed. gone: wants calls that deleted, renamed or merged something, and
	// the word behind it. Quotation marks hold several words together.
	Words string
}

// HistoryPage is a part of the journal, as far as a query wants it.
type HistoryPage struct {
	Calls []history.Call // newest first, without their arguments
	Lines []review.Line  // of the calls
	Names map[history.Graph]string
	// Low and High are the numbers that the page covers: of the calls from Low to High it
	// has all that are wanted.
	Low, High int64
	More      bool // there are calls below Low
}

const (
	// historyPageSize is how many calls are read at a time.
	historyPageSize = 100
	// historyScan is how many calls one reading looks through for those that are wanted.
	historyScan = 2000
)

// ReadHistory reads the newest calls with numbers below before, or the newest of all if
// before is 0: at least so many as are wanted, and all down to the number down. Where few
// fit, it gives up after some thousand.
func ReadHistory(ctx context.Context, port History, query HistoryQuery, before, down int64, want int, now time.Time) (HistoryPage, error) {
	page := HistoryPage{High: math.MaxInt64, Names: map[history.Graph]string{}}
	if before > 0 {
		page.High = before - 1
	}
	page.Low = page.High
	terms := termsOf(query.Words)
	filter := query.filter(terms)
	filter.Before, filter.Limit = before, historyPageSize
	for scanned := 0; ; {
		read, err := port.Calls(ctx, filter)
		if err != nil {
			return HistoryPage{}, err
		}
		for i, line := range review.Lines(read.Calls, page.namer(port), now) {
			if matches(line, terms) {
				call := read.Calls[i]
				call.Args = nil
				page.Calls, page.Lines = append(page.Calls, call), append(page.Lines, line)
			}
		}
		if !read.More || len(read.Calls) == 0 {
			page.Low = 0
			return page, nil
		}
		scanned += len(read.Calls)
		page.Low = read.Calls[len(read.Calls)-1].ID
		filter.Before = page.Low
		if scanned >= historyScan || (down == 0 || page.Low <= down) && len(page.Calls) >= want {
			page.More = true
			return page, nil
		}
	}
}

// namer returns how graphs are called, and notes it in the page.
func (p *HistoryPage) namer(port History) review.Names {
	return func(g history.Graph) string {
		name, known := p.Names[g]
		if !known {
			name = port.Name(g)
			p.Names[g] = name
		}
		return name
	}
}

// filter returns what the journal itself can tell apart.
func (q HistoryQuery) filter(terms []historyTerm) history.Filter {
	filter := history.Filter{Session: q.Session, Since: q.Since}
	if q.Graph != (history.Graph{}) {
		filter.Graphs = []history.Graph{q.Graph}
	}
	for _, term := range terms {
		switch term.field {
		case "page":
			filter.Page = term.text
		case "gone":
			filter.Gone = true
		}
	}
	return filter
}

// historyTerm is a word that is looked for, folded except in a page's title.
type historyTerm struct{ field, text string }

// termsOf takes the words of a query apart.
func termsOf(words string) []historyTerm {
	var terms []historyTerm
	quoted := false
	for _, word := range strings.FieldsFunc(words, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && unicode.IsSpace(r)
	}) {
		term := historyTerm{text: strings.ReplaceAll(word, `"`, "")}
		if field, text, ok := strings.Cut(term.text, ":"); ok {
			switch field {
			case "agent", "graph", "tool", "page", "gone":
				term = historyTerm{field, text}
			}
		}
		if term.field != "page" {
			term.text = configstore.FoldNickname(term.text)
		}
		if term.text != "" || term.field == "gone" {
			terms = append(terms, term)
		}
	}
	return terms
}

// matches reports whether a line has every word.
func matches(line review.Line, terms []historyTerm) bool {
	for _, term := range terms {
		var texts []string
		switch term.field {
		case "page":
			continue // the journal has told them apart
		case "agent":
			texts = []string{line.Agent}
		case "graph":
			texts = []string{line.Graph}
		case "tool":
			texts = []string{line.Tool}
		default:
			texts = []string{strconv.FormatInt(line.Number, 10), line.Agent, line.Graph, line.Tool, line.Summary, line.Result.Words}
		}
		if !strings.Contains(configstore.FoldNickname(strings.Join(texts, "\n")), term.text) {
			return false
		}
	}
	return true
}

// historyClock returns when something was, as short as it can be said.
func historyClock(t, now time.Time) string {
	t = t.In(now.Location())
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return t.Format(time.TimeOnly)
	case t.Year() == now.Year():
		return t.Format("Jan 2 15:04")
	}
	return t.Format(time.DateOnly)
}

// StartOfDay returns the last midnight.
func StartOfDay(now time.Time) time.Time {
	year, month, day := now.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, now.Location())
}

// calledGraph returns what a graph is called: by its nickname, or as it is called in
// Roam.
func calledGraph(g history.Graph, names map[history.Graph]string) string {
	return cmp.Or(names[g], g.Name)
}
