package tui

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"

	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

// outcome is the result of one graph of a queue.
type outcome struct {
	kind   outcomeKind
	state  exchange.State       // the last one, for notConnected
	level  localapi.AccessLevel // granted, for connected and lowered
	reason string               // a sentence, for notAsked and keptInFile; may be empty
}

type outcomeKind uint8

const (
	notYetAsked outcomeKind = iota
	connected
	lowered      // connected with less than asked
	keptInFile   // granted, and written to a file of its own
	tokenLost    // granted, and not saved
	notConnected // nothing was granted
	notAsked     // it can't be connected
)

// outcome returns the result of an exchange if it is left now.
func (s *exchangeScreen) outcome() outcome {
	level := s.machine.Grant.AccessLevel
	switch {
	case s.storeErr != nil:
		return outcome{kind: notAsked, reason: s.env.words.Error(s.storeErr)}
	case s.save.saved() && s.machine.Lowered():
		return outcome{kind: lowered, level: level}
	case s.save.saved():
		return outcome{kind: connected, level: level}
	case s.save.unsaved():
		return outcome{kind: tokenLost}
	case s.save.kept != nil:
		return outcome{kind: keptInFile, reason: "The token is in " + s.env.words.Path(s.save.kept.File) + "."}
	}
	return outcome{kind: notConnected, state: s.machine.State}
}

// running reports whether it goes on by itself, so that there is no outcome yet.
func (s *exchangeScreen) running() bool {
	switch {
	case s.storeErr != nil:
		return false
	case s.machine.State == exchange.Granted:
		return s.save.kept == nil || s.save.id != 0
	}
	return s.machine.State == 0 || !s.machine.Ended()
}

// outcomeSign returns how an outcome is shown.
func (q *connectQueue) outcomeSign(o outcome) kit.Sign {
	g, t := q.env.Glyphs, q.env.Theme
	switch o.kind {
	case connected:
		return kit.NewSign(g.On, o.level.Words()+" access", t.Success)
	case lowered:
		return kit.NewSign(g.Warning, o.level.Words()+", less than asked", t.Warning)
	case keptInFile:
		return kit.NewSign(g.Warning, "granted, and kept in a file of its own", t.Warning)
	case tokenLost:
		return kit.NewSign(g.Failed, "granted, but not saved", t.Danger)
	case notAsked:
		return kit.NewSign(g.None, "not asked", t.Muted)
	case notConnected:
		switch o.state {
		case exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed:
			return kit.NewSign(g.Failed, o.state.String(), t.Danger)
		case exchange.Locating, exchange.Unreachable, exchange.Disabled, exchange.Waiting, exchange.Busy, exchange.Verifying,
			exchange.Granted, exchange.Cancelled:
		}
		return kit.NewSign(g.None, "skipped", t.Muted)
	case notYetAsked:
	}
	if q.at == len(q.items) {
		return kit.NewSign(g.None, "not asked", t.Muted)
	}
	return kit.NewSign(g.Off, "its turn comes", t.Muted)
}

// progress returns which of how many is asked for.
func (q *connectQueue) progress() string { return fmt.Sprintf("%d of %d", q.at+1, len(q.items)) }

func (q *connectQueue) keys() []key.Binding {
	k := q.env.keys
	switch {
	case q.at < 0:
		out := []key.Binding{kit.Relabel(k.enter, "ask Roam")}
		switch {
		case q.form.Focused() == 0:
			out = append(out, kit.Relabel(k.chooseRow, "access"), kit.Relabel(k.next, "nicknames"))
		case q.form.OnLast():
			out = append(out, kit.Relabel(k.previous, "previous"))
		default:
			out = append(out, kit.Relabel(k.next, "nicknames"), kit.Relabel(k.previous, "previous"))
		}
		return append(out, kit.Relabel(k.esc, "cancel"))
	case q.current == nil:
		out := []key.Binding{k.done}
		if q.clientsNext() {
			out = []key.Binding{kit.Relabel(k.enter, "connect a client"), kit.Relabel(k.esc, "your graphs")}
		}
		out = append(out, k.scrolling(&q.scroll)...)
		if len(q.rest()) > 0 {
			out = append(out, kit.Relabel(k.askAgain, "ask for the rest again"))
		}
		return out
	}
	var out []key.Binding
	for _, b := range q.current.keys() {
		if b.Help() == k.esc.Help() {
			b = kit.Relabel(b, "stop here")
		}
		out = append(out, b)
	}
	if !q.current.save.unsaved() && q.at < len(q.items)-1 {
		out = slices.Insert(out, min(1, len(out)), kit.Relabel(k.next, "skip to the next graph"))
	}
	return out
}

func (q *connectQueue) view(width, height int) []string {
	switch {
	case q.at < 0:
		return q.env.historyNote(q.form.View("Roam asks you about one graph after another; each can be skipped.", width, height), width, height)
	case q.current != nil:
		lines := append(q.current.view(width, height), "")
		return append(lines, q.list(width, height-len(lines))...)
	}
	return q.summary(width, height)
}

// list returns the outcomes so far, up to height, around the graph under way. Where a name
// and an outcome don't fit beside each other, the name is cut.
func (q *connectQueue) list(width, height int) []string {
	e := q.env
	table := kit.NewTable(kit.Column{Narrow: 8}, kit.Column{})
	signs := make([]kit.Sign, len(q.items))
	for i, item := range q.items {
		switch {
		case i != q.at || q.current == nil:
			signs[i] = q.outcomeSign(item.outcome)
		case q.current.running():
			signs[i] = kit.NewSign(e.spinner(), "asked for now", e.Theme.Accent)
		default:
			signs[i] = q.outcomeSign(q.current.outcome())
		}
		table.Measure(item.graph.Name, signs[i].Glyph+" "+signs[i].Word)
	}
	layout := table.In(e.Glyphs, width-2)
	first := min(max(q.at-height/2, 0), max(len(q.items)-height, 0))
	var lines []string
	for i := first; i < len(q.items) && len(lines) < height; i++ {
		name := e.Theme.Muted
		if i == q.at && q.current != nil {
			name = e.Theme.Strong
		}
		lines = append(lines, "  "+layout.Line(name.Render(q.items[i].graph.Name), signs[i].Style.Render(signs[i].Glyph)+" "+e.Theme.Text.Render(signs[i].Word)))
	}
	return lines
}

// connected returns how many graphs are connected.
func (q *connectQueue) connected() int {
	count := 0
	for _, item := range q.items {
		if item.outcome.kind == connected || item.outcome.kind == lowered {
			count++
		}
	}
	return count
}

// clientsNext reports whether, once all is over, a client is the next step.
func (q *connectQueue) clientsNext() bool { return q.connected() > 0 }

// summary returns how many graphs are connected, the outcome of each, and the
// reasons.
func (q *connectQueue) summary(width, height int) []string {
	e := q.env
	count := q.connected()
	headline := fmt.Sprintf("%d of %s connected", count, kit.Plural(len(q.items), "graph"))
	st := kit.NewSign(e.Glyphs.On, headline, e.Theme.Success)
	if count < len(q.items) {
		st.Glyph, st.Style = e.Glyphs.Warning, e.Theme.Warning
	}
	lines := []string{"  " + st.Style.Render(st.Glyph) + " " + e.Theme.Strong.Render(st.Word)}
	if count > 0 {
		lines = append(lines, kit.Indent(kit.WrapStyled(e.Theme.Muted, "Saved in "+e.words.ConfigPath()+". e renames a graph in the list. "+RecordedText, min(width-6, kit.ProseWidth)), 4)...)
	}
	lines = append(lines, "")
	lines = append(lines, q.list(width, len(q.items))...)
	space := []string{""}
	for _, item := range q.items {
		if item.outcome.reason != "" {
			lines = append(lines, space...)
			lines = append(lines, kit.Paragraph(e.Theme.Muted, item.graph.Name+": "+item.outcome.reason, width)...)
			space = nil
		}
	}
	return q.scroll.View(e.Look, lines, height)
}
