package wiki

import (
	"strconv"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// rendering returns the content of the note, with where its blocks stand.
func (f found) rendering() note.Rendering { return note.Render(f.node, propTags, propTitle) }

// current returns the note as it is now, for what was shown of it.
func (f found) current() shown.Current {
	now := shown.Current{Node: f.whole, Content: note.ShownUIDs(f.node, propTags, propTitle)}
	now.Lists[shown.Tags] = f.tags.All()
	return now
}

// reading says how the note is read.
func (f found) reading(param string) shown.Reading {
	return shown.Reading{Param: param, Call: say("%s with path %s reads it.", problem.ReadPage, textsafe.QuoteUpTo(f.path, len(f.path)))}
}

// leading returns how many lines in front of the note hold its title and tags.
func (f found) leading() int {
	all := f.whole.Children
	held := note.HeldByNodes(all, propTags, propTitle)
	for i := range all {
		if all[i].Hidden || held[i] == "" || len(all[i].Children) > 0 {
			return i
		}
	}
	return len(all)
}

// shows is what a reply shows of the note that has its content, as it was rendered, from a
// line on below a head.
func (f found) shows(head string, r note.Rendering, from int) []surface.Showing {
	now := f.current()
	return []surface.Showing{{
		Node: f.whole, Content: now.Content, Lists: now.Lists, Render: func() note.Rendering { return r },
		InProse: func(reply string) (int, int, string, bool) { return shownPart(r.Text, head, reply, from) },
	}}
}

// changed is a note that a call has changed, for what was shown of it; merged: what became
// of its content, nil where that stayed.
func changed(now note.Node, merged *shown.Merged, lists shown.Lists) []surface.Showing {
	if !now.IsPage() {
		return nil
	}
	f := newFound(now)
	return []surface.Showing{{
		Node: now, Content: f.current().Content, Lists: lists, Render: f.rendering, Wrote: merged, Changes: true,
		InProse: func(string) (from, to int, mark string, ok bool) { return 0, 0, "", false },
	}}
}

// goesOn is what a reply says behind a content that is cut at the end of a line.
var goesOn = lazyregexp.New(`\n\nShown lines [0-9,]+ to ([0-9,]+) of [0-9,]+; call [^\n]* with line [0-9]+\.$`)

// shownPart returns which bytes of a content a reply shows behind a head, from a line on, and
// what it says behind them.
func shownPart(content, head, reply string, line int) (from, to int, mark string, ok bool) {
	shown, ok := strings.CutPrefix(reply, head)
	if !ok {
		return 0, 0, "", false
	}
	from = lineStart(content, line)
	rest := content[from:]
	if shown == strings.TrimSuffix(rest, "\n") {
		return from, len(content), "", true
	}
	if m := goesOn.FindStringSubmatchIndex(shown); m != nil {
		last, err := strconv.Atoi(strings.ReplaceAll(shown[m[2]:m[3]], ",", ""))
		to := lineStart(content, last+1)
		if end := strings.TrimSuffix(content[from:to], "\n"); err == nil && shown[:m[0]] == end {
			return from, from + len(end), shown[m[0]:], true
		}
	}
	if at := strings.LastIndex(shown, surface.TextCut); at >= 0 && strings.HasPrefix(rest, shown[:at]) {
		return from, from + at, shown[at:], true
	}
	return 0, 0, "", false
}

// lineStart returns where a line of a text begins, from 1; the end of the text for one that
// is behind it.
func lineStart(text string, line int) int {
	at := 0
	for range line - 1 {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return len(text)
		}
		at += end + 1
	}
	return at
}
