package tui

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/exchange"
	"roam-mcp/localapi"
)

// outcome is what became of one graph of a queue. The zero value: its turn has
// not come.
type outcome struct {
	kind   outcomeKind
	state  exchange.State       // in which the exchange was left, for notConnected
	level  localapi.AccessLevel // granted, for connected and lowered
	reason string               // a sentence, for notAsked and kept; may be empty
}

type outcomeKind uint8

const (
	turnToCome outcomeKind = iota
	connected
	lowered      // connected with less than asked
	kept         // granted, but only kept in a file of its own
	lost         // granted, but neither saved nor kept
	notConnected // nothing was granted
	notAsked     // it could not be asked for
)

// outcome is how the exchange stands for somebody who leaves it now.
func (s *asking) outcome() outcome {
	level := s.machine.Grant.AccessLevel
	switch {
	case s.save.stage == saved && s.machine.Lowered():
		return outcome{kind: lowered, level: level}
	case s.save.stage == saved:
		return outcome{kind: connected, level: level}
	case s.save.stage == rescued:
		return outcome{kind: kept, reason: "The token is in " + s.env.short(s.save.rescued) + "."}
	case s.save.unsaved():
		return outcome{kind: lost}
	}
	return outcome{kind: notConnected, state: s.machine.State}
}

// shown is an outcome as sign and words.
func (q *connectQueue) shown(o outcome) sign {
	g, t := q.env.glyphs, q.env.theme
	switch o.kind {
	case connected:
		return sign{g.on, "connected, " + o.level.Words(), t.success}
	case lowered:
		return sign{g.less, "connected with less than asked: " + o.level.Words(), t.warning}
	case kept:
		return sign{g.less, "granted, and kept in a file of its own", t.warning}
	case lost:
		return sign{g.bad, "granted, but not saved", t.danger}
	case notAsked:
		return sign{g.none, "not asked", t.muted}
	case notConnected:
		switch o.state {
		case exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed:
			return sign{g.bad, o.state.String(), t.danger}
		}
		return sign{g.none, "skipped", t.muted}
	}
	if q.at == len(q.items) {
		return sign{g.none, "not asked", t.muted}
	}
	return sign{g.off, "its turn comes", t.muted}
}

// place is which of how many is asked for.
func (q *connectQueue) place() string { return fmt.Sprintf("%d of %d", q.at+1, len(q.items)) }

func (q *connectQueue) keys() []key.Binding {
	k := q.env.keys
	switch {
	case q.at < 0:
		out := []key.Binding{named(k.enter, "next"), named(k.prev, "previous")}
		if q.form.focused() >= q.form.sendsFrom {
			next := "nicknames"
			if q.form.focused() > q.form.sendsFrom {
				next = "next"
			}
			out = []key.Binding{named(k.enter, "ask Roam"), named(k.next, next), named(k.prev, "previous")}
		}
		if q.form.focused() == 0 {
			out = append(out, q.env.keys.choices)
		}
		return append(out, named(k.esc, "cancel"))
	case q.current == nil:
		out := []key.Binding{k.done}
		if q.scroll.most > 0 {
			out = append(out, named(q.env.keys.choices, "scroll"))
		}
		if len(q.rest()) > 0 {
			out = append(out, named(k.again, "ask for the rest again"))
		}
		return out
	}
	var out []key.Binding
	for _, b := range q.current.keys() {
		if b.Help() == k.esc.Help() {
			b = named(b, "stop here")
		}
		out = append(out, b)
	}
	if !q.current.save.unsaved() && q.at < len(q.items)-1 {
		// Where not all keys have room, the one before the way out gives way first.
		out = slices.Insert(out, max(len(out)-2, 0), named(k.next, "skip to the next graph"))
	}
	return out
}

func (q *connectQueue) view(width, height int) []string {
	switch {
	case q.at < 0:
		text := "Roam asks you about one graph after another; each can be skipped."
		lines := append(indent(render(q.env.theme.muted, text, min(width-4, proseWidth)), 2), "")
		return append(lines, indent(q.form.view(width-4, height-len(lines)), 2)...)
	case q.current != nil:
		lines := append(q.current.view(width, height), "")
		return append(lines, q.list(width, height-len(lines))...)
	}
	return q.summary(width, height)
}

// list is what became of each graph so far, as many lines as there is room for,
// with the graph under way among them.
func (q *connectQueue) list(width, height int) []string {
	e := q.env
	column := 0
	for _, item := range q.items {
		column = max(column, ansi.StringWidth(item.graph.Name)+2)
	}
	column = min(column, (width-4)/2)
	first := min(max(q.at-height/2, 0), max(len(q.items)-height, 0))
	var lines []string
	for i := first; i < len(q.items) && len(lines) < height; i++ {
		item := q.items[i]
		st, name := q.shown(item.outcome), e.theme.muted
		if i == q.at {
			st, name = sign{e.spin(), "asked for now", e.theme.accent}, e.theme.strong
		}
		lines = append(lines, "  "+name.Render(e.glyphs.fit(item.graph.Name, column))+st.style.Render(st.glyph)+" "+e.theme.text.Render(st.word))
	}
	return lines
}

// summary is the end: how many graphs are connected, what became of each, and
// why where a sentence says so.
func (q *connectQueue) summary(width, height int) []string {
	e := q.env
	count := 0
	for _, item := range q.items {
		if item.outcome.kind == connected || item.outcome.kind == lowered {
			count++
		}
	}
	headline := fmt.Sprintf("%d of %s connected", count, plural(len(q.items), "graph"))
	st := sign{e.glyphs.on, headline, e.theme.success}
	if count < len(q.items) {
		st.glyph, st.style = e.glyphs.less, e.theme.warning
	}
	lines := []string{"  " + st.style.Render(st.glyph) + " " + e.theme.strong.Render(st.word)}
	if count > 0 {
		lines = append(lines, indent(render(e.theme.muted, "Saved in "+e.configPath()+". e renames a graph in the list.", min(width-6, proseWidth)), 4)...)
	}
	lines = append(lines, "")
	lines = append(lines, q.list(width, len(q.items))...)
	space := []string{""}
	for _, item := range q.items {
		if item.outcome.reason != "" {
			lines = append(lines, space...)
			lines = append(lines, indent(render(e.theme.muted, item.graph.Name+": "+item.outcome.reason, min(width-4, proseWidth)), 2)...)
			space = nil
		}
	}
	return q.scroll.show(e.look, lines, height)
}
