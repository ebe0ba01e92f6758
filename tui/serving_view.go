package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/mcpserve"
)

func (s *serving) view(width, height int) []string {
	e := s.env
	text := min(width-4, proseWidth)
	switch s.stage {
	case servingStarts:
		return []string{"  " + e.theme.accent.Render(e.spin()) + " " + e.theme.text.Render("Starting the server"+e.glyphs.dots)}
	case servingFailed:
		what, todo := explain(s.err)
		if what == "" {
			what = "The server has ended."
		}
		lines := []string{"  " + e.theme.danger.Render(e.glyphs.bad) + " " + e.theme.strong.Render("Not serving"), ""}
		return append(lines, indent(render(e.theme.text, what+" "+todo, text), 4)...)
	}
	lines := append(s.head(width), "")
	if len(s.calls) == 0 {
		return append(lines, s.nobody(text, height-len(lines))...)
	}
	columns := s.columns(width)
	lines = append(lines, columns.line(e, " ", "TIME", "CLIENT", "GRAPH", "TOOL", "   TOOK", "RESULT"))
	lines[len(lines)-1] = e.theme.faint.Render(lines[len(lines)-1])
	room := max(height-len(lines), 1)
	at := s.at()
	// The chosen call is in sight; the newest is the last line where there is room.
	from := max(min(at-room/2, len(s.calls)-room), 0)
	for i := from; i < len(s.calls) && i < from+room; i++ {
		lines = append(lines, s.callLine(s.calls[i], columns, i == at))
	}
	return lines
}

// nobody says how the first agent finds the server. Where there is room, the
// command for one is there to be read.
func (s *serving) nobody(width, height int) []string {
	e, command := s.env, s.command()
	text := "No agent has called yet. c shows how to connect one; each call is listed here as it runs."
	first := []string{"", e.theme.text.Render("To connect " + command.Client + ", run this in a terminal:"), ""}
	first = append(first, indent(render(e.theme.link, command.Text, width-2), 2)...)
	first = append(append(first, ""), render(e.theme.muted, "y copies it. c shows the same for other clients.", width)...)
	short := render(e.theme.muted, text, width)
	long := append(render(e.theme.muted, "No agent has called yet; each call is listed here as it runs.", width), first...)
	if len(long) > height {
		long = short
	}
	return indent(long, 2)
}

// head says where the server is, who is there, and what they may do.
func (s *serving) head(width int) []string {
	e := s.env
	writes := e.theme.success.Render(e.glyphs.on) + e.theme.text.Render(" writes on")
	if s.paused {
		writes = e.theme.warning.Render(e.glyphs.less + " writes paused")
	}
	first := e.theme.link.Render(s.service.URL()) + "   " + writes
	up := e.theme.muted.Render("up " + uptime(e.now.Sub(s.since)))
	c := s.counters
	who := plural(len(s.clients), "client")
	if names := s.names(); names != "" {
		who += ": " + names
	}
	counts := plural(int(c.Calls), "call")
	if c.Failed > 0 {
		counts += fmt.Sprintf(", %d failed", c.Failed)
	}
	if c.Running > 0 {
		counts += fmt.Sprintf(", %d running", c.Running)
	}
	counts += ", " + plural(int(c.Writes), "write") + ", " + size(int(c.Bytes))
	if s.lost > 0 {
		counts += fmt.Sprintf(", %d too fast to list", s.lost)
	}
	lines := []string{"  " + e.glyphs.between(first, up+" ", width-2)}
	if len(s.clients) == 0 && len(s.calls) == 0 {
		return lines
	}
	if ansi.StringWidth(who)+ansi.StringWidth(counts)+5 <= width {
		return append(lines, "  "+e.glyphs.between(e.theme.muted.Render(who), e.theme.muted.Render(counts)+" ", width-2))
	}
	return append(lines, "  "+e.theme.muted.Render(e.glyphs.cut(who, width-4)), "  "+e.theme.muted.Render(e.glyphs.cut(counts, width-4)))
}

func (s *serving) names() string {
	var names []string
	for _, c := range s.clients {
		names = append(names, plain(c.Name))
	}
	return strings.Join(names, ", ")
}

// callColumns are the widths of the table's columns, with the gap behind each;
// the client has none in a narrow terminal.
type callColumns struct{ client, graph, tool, result int }

// columns are as wide as their texts, where there is room. Where there is not, the
// result gives way first, as far as the usual codes, then the client's name.
func (s *serving) columns(width int) callColumns {
	c := callColumns{client: 8, graph: 7, tool: 6}
	for _, call := range s.calls {
		c.client = max(c.client, ansi.StringWidth(call.start.Client)+2)
		c.graph = max(c.graph, ansi.StringWidth(call.start.Graph)+2)
		c.tool = max(c.tool, ansi.StringWidth(call.start.Tool)+2)
	}
	c.client, c.graph, c.tool = min(c.client, 26), min(c.graph, 26), min(c.tool, 32)
	const leastName = 10
	leastResult := 18
	if width < 76 {
		c.client, leastResult = 0, 13
	}
	c.result = width - 3 - timeColumn - c.client - c.graph - c.tool - tookColumn - 1
	for _, column := range []*int{&c.client, &c.graph, &c.tool} {
		if missing := leastResult - c.result; missing > 0 {
			given := min(missing, max(*column-leastName, 0))
			*column, c.result = *column-given, c.result+given
		}
	}
	return c
}

const (
	timeColumn = 10
	tookColumn = 9
)

func (c callColumns) line(e *env, bar, at, client, graph, tool, took, result string) string {
	cell := func(text string, width int) string {
		if width == 0 {
			return ""
		}
		return e.glyphs.fit(e.glyphs.cut(text, width-2), width)
	}
	return " " + bar + " " + cell(at, timeColumn) + cell(client, c.client) + cell(graph, c.graph) + cell(tool, c.tool) + cell(took, tookColumn) + e.glyphs.cut(result, c.result)
}

func (s *serving) callLine(call servedCall, columns callColumns, chosen bool) string {
	e := s.env
	bar, text := " ", e.theme.text
	if chosen {
		bar, text = e.theme.accent.Render(e.glyphs.bar), e.theme.strong
	}
	start := call.start
	return columns.line(e, bar, e.theme.muted.Render(start.At.Format(time.TimeOnly)),
		e.theme.muted.Render(orNone(plain(start.Client), e)), text.Render(orNone(plain(start.Graph), e)),
		text.Render(plain(start.Tool)), e.theme.muted.Render(fmt.Sprintf("%7s", s.took(call))), s.result(call))
}

func orNone(s string, e *env) string {
	if s == "" {
		return e.glyphs.none
	}
	return s
}

// unseen reports whether the end of a call was among the news that were lost.
func (s *serving) unseen(call servedCall) bool {
	return !call.end.Ended && s.lost > 0 && s.counters.Running == 0
}

// took is how long a call took, or has been running.
func (s *serving) took(call servedCall) string {
	if s.unseen(call) {
		return ""
	}
	if call.end.Ended {
		return strings.Replace(took(call.end.Took), "under ", "<", 1) // the column is narrow
	}
	return fmt.Sprintf("%d s", max(int(s.env.now.Sub(call.start.At)/time.Second), 0))
}

// result says what came of a call.
func (s *serving) result(call servedCall) string {
	e, end := s.env, call.end
	switch {
	case s.unseen(call):
		return e.theme.muted.Render(e.glyphs.none + " end not seen")
	case !end.Ended:
		return e.theme.accent.Render(e.spin()) + e.theme.text.Render(" running")
	case end.Outcome != mcpserve.OutcomeOK:
		return e.theme.danger.Render(e.glyphs.bad + " " + plain(string(end.Outcome)))
	}
	return e.theme.text.Render(size(end.Bytes))
}

// size writes a number of bytes: 812 B, 3.1 KB, 2.0 MB.
func size(bytes int) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1_000_000:
		return fmt.Sprintf("%.1f KB", float64(bytes)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1_000_000)
}

// uptime writes hours, minutes and seconds: 0:14:07.
func uptime(d time.Duration) string {
	seconds := int(d / time.Second)
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// callDetail is one call: who made it, what was sent, and what came of it.
type callDetail struct {
	env     *env
	serving *serving
	number  uint64
	offset  int
	most    int // last offset that shows something new
}

var _ screen = (*callDetail)(nil)

func (s *callDetail) title() string { return "Call" }

func (s *callDetail) mode() mode {
	m := s.serving.mode()
	return mode{lendsKeys: m.lendsKeys, polls: m.polls}
}

func (s *callDetail) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	k := s.env.keys
	switch {
	case key.Matches(press, k.esc, k.enter):
		return back{}, nil
	case key.Matches(press, k.down):
		s.offset++
	case key.Matches(press, k.up):
		s.offset--
	case key.Matches(press, k.pageDown):
		s.offset += 10
	case key.Matches(press, k.pageUp):
		s.offset -= 10
	}
	s.offset = max(min(s.offset, s.most), 0)
	return nil, nil
}

func (s *callDetail) keys() []key.Binding {
	k := s.env.keys
	if s.most > 0 {
		return []key.Binding{named(k.choices, "scroll"), k.esc}
	}
	return []key.Binding{k.esc}
}

func (s *callDetail) view(width, height int) []string {
	e := s.env
	i := s.serving.indexOf(s.number)
	if i < 0 {
		return indent(render(e.theme.text, "This call is no longer in the list.", min(width-4, proseWidth)), 2)
	}
	call := s.serving.calls[i]
	const label = 10
	fact := func(name, value string) string {
		return "  " + e.theme.muted.Render(e.glyphs.fit(name, label)) + value
	}
	lines := []string{
		fact("Tool", e.theme.strong.Render(plain(call.start.Tool))),
		fact("Client", e.theme.text.Render(orNone(plain(call.start.Client), e))),
		fact("Graph", e.theme.text.Render(orNone(plain(call.start.Graph), e))),
		fact("Started", e.theme.text.Render(call.start.At.Format(time.TimeOnly))),
		fact("Took", e.theme.text.Render(s.serving.took(call))),
		fact("Result", s.serving.result(call)),
		"", "  " + e.theme.muted.Render("What was sent"), "",
	}
	for _, line := range strings.Split(sent(call.start.Arguments), "\n") {
		for _, part := range strings.Split(ansi.Hardwrap(plain(line), width-5, true), "\n") {
			lines = append(lines, "    "+e.theme.text.Render(part))
		}
	}
	s.most = max(len(lines)-height, 0)
	s.offset = min(s.offset, s.most)
	shown := e.glyphs.fill(lines[s.offset:], width, height)
	if s.offset < s.most && height > 0 {
		shown[height-1] = "  " + e.theme.faint.Render(e.glyphs.down+" more")
	}
	return shown
}

// sent is what a caller sent, set out to be read.
func sent(arguments json.RawMessage) string {
	var value any
	switch {
	case len(arguments) == 0:
		return "nothing"
	case json.Unmarshal(arguments, &value) != nil:
		return string(arguments)
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(value) != nil {
		return string(arguments)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
