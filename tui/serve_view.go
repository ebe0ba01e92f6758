package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/history"
	"roam-mcp/history/review"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/tui/kit"
)

func (s *serveScreen) view(width, height int) []string {
	e := s.env
	text := min(width-4, kit.ProseWidth)
	switch s.stage {
	case serveStarting:
		return []string{"  " + e.Theme.Accent.Render(e.spinner()) + " " + e.Theme.Text.Render("Starting the server"+e.Glyphs.Ellipsis)}
	case serveFailed:
		what, todo := s.env.words.Explain(s.err)
		if what == "" {
			what = "The server has ended."
		}
		lines := []string{"  " + e.Theme.Danger.Render(e.Glyphs.Failed) + " " + e.Theme.Strong.Render("Not serving"), ""}
		return append(lines, kit.Indent(kit.WrapStyled(e.Theme.Text, what+" "+todo, text), 4)...)
	case serveRunning:
	}
	lines := append(s.header(width), "")
	if len(s.calls) == 0 {
		return append(lines, s.noCallsYet(text, height-len(lines))...)
	}
	columns := s.columns(width)
	lines = append(lines, columns.line(e, " ", "TIME", "CLIENT", "GRAPH", "TOOL", "   TOOK", "RESULT"))
	lines[len(lines)-1] = e.Theme.Faint.Render(lines[len(lines)-1])
	room := max(height-len(lines), 1)
	at := s.selected()
	// The chosen call is in sight, and the newest at the end if there is room.
	from := max(min(at-room/2, len(s.calls)-room), 0)
	for i := from; i < len(s.calls) && i < from+room; i++ {
		lines = append(lines, s.callLine(s.calls[i], columns, i == at))
	}
	return lines
}

// noCallsYet says how the first agent is connected, with the command if there is
// room.
func (s *serveScreen) noCallsYet(width, height int) []string {
	e, command := s.env, s.command()
	text := "No agent has called yet. c shows how to connect one; each call is listed here as it runs."
	first := []string{"", e.Theme.Text.Render("To connect " + command.Client + ", run this in a terminal:"), ""}
	first = append(first, kit.Indent(kit.WrapStyled(e.Theme.Link, command.Text, width-2), 2)...)
	first = append(append(first, ""), kit.WrapStyled(e.Theme.Muted, "y copies it. c shows the same for other clients.", width)...)
	short := kit.WrapStyled(e.Theme.Muted, text, width)
	long := append(kit.WrapStyled(e.Theme.Muted, "No agent has called yet; each call is listed here as it runs.", width), first...)
	if len(long) > height {
		long = short
	}
	return kit.Indent(long, 2)
}

// header returns where the server is, who is connected, and what they have done.
func (s *serveScreen) header(width int) []string {
	e := s.env
	writes := e.Theme.Success.Render(e.Glyphs.On) + e.Theme.Text.Render(" writes on")
	if s.paused {
		writes = e.Theme.Warning.Render(e.Glyphs.Warning + " writes paused")
	}
	first := e.Theme.Link.Render(s.service.URL()) + "   " + writes
	up := e.Theme.Muted.Render("up " + uptime(e.now.Sub(s.since)))
	c := s.counters
	who := kit.Plural(len(s.clients), "client")
	if names := s.names(); names != "" {
		who += ": " + names
	}
	counts := kit.Plural(int(c.Calls), "call")
	if c.Failed > 0 {
		counts += fmt.Sprintf(", %d failed", c.Failed)
	}
	if c.Running > 0 {
		counts += fmt.Sprintf(", %d running", c.Running)
	}
	counts += ", " + kit.Plural(int(c.Writes), "write") + ", " + byteSize(int(c.Bytes))
	if s.dropped > 0 {
		counts += fmt.Sprintf(", %d too fast to list", s.dropped)
	}
	var below []string
	if served := s.served(); served != "" {
		if ansi.StringWidth(first)+ansi.StringWidth(served)+ansi.StringWidth(up)+8 <= width {
			first += "   " + e.Theme.Muted.Render(served)
		} else {
			below = []string{"  " + e.Theme.Muted.Render(e.Glyphs.Cut(served, width-4))}
		}
	}
	lines := append([]string{"  " + e.Glyphs.Between(first, up+" ", width-2)}, below...)
	if len(s.clients) == 0 && len(s.calls) == 0 {
		return lines
	}
	if ansi.StringWidth(who)+ansi.StringWidth(counts)+5 <= width {
		return append(lines, "  "+e.Glyphs.Between(e.Theme.Muted.Render(who), e.Theme.Muted.Render(counts)+" ", width-2))
	}
	return append(lines, "  "+e.Theme.Muted.Render(e.Glyphs.Cut(who, width-4)), "  "+e.Theme.Muted.Render(e.Glyphs.Cut(counts, width-4)))
}

// served says what is served, where that is not the usual profile.
func (s *serveScreen) served() string {
	if s.profile == "" {
		return ""
	}
	if s.graph == "" {
		return "profile " + s.profile
	}
	return "profile " + s.profile + ", " + kit.Sanitize(s.graph)
}

func (s *serveScreen) names() string {
	var names []string
	for _, c := range s.clients {
		names = append(names, kit.Sanitize(c.Name))
	}
	return strings.Join(names, ", ")
}

// callColumns are the widths of the columns, gaps included. client is 0 in a narrow
// terminal.
type callColumns struct{ client, graph, tool, result int }

// columns returns widths that fit the texts. Without room the result gives way first,
// down to the length of the usual codes, then the client, the graph and the tool.
func (s *serveScreen) columns(width int) callColumns {
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
		return e.Glyphs.Fit(e.Glyphs.Cut(text, width-2), width)
	}
	return " " + bar + " " + cell(at, timeColumn) + cell(client, c.client) + cell(graph, c.graph) + cell(tool, c.tool) + cell(took, tookColumn) + e.Glyphs.Cut(result, c.result)
}

func (s *serveScreen) callLine(call servedCall, columns callColumns, chosen bool) string {
	e := s.env
	bar, text := " ", e.Theme.Text
	if chosen {
		bar, text = e.Theme.Accent.Render(e.Glyphs.Bar), e.Theme.Strong
	}
	start := call.start
	return columns.line(e, bar, e.Theme.Muted.Render(start.At.Format(time.TimeOnly)),
		e.Theme.Muted.Render(orNone(kit.Sanitize(start.Client), e)), text.Render(orNone(kit.Sanitize(start.Graph), e)),
		text.Render(kit.Sanitize(start.Tool)), e.Theme.Muted.Render(fmt.Sprintf("%7s", s.took(call))), s.result(call))
}

func orNone(s string, e *env) string {
	if s == "" {
		return e.Glyphs.None
	}
	return s
}

// endDropped reports whether the end of a call must have been dropped.
func (s *serveScreen) endDropped(call servedCall) bool {
	return call.elsewhere.ID == 0 && !call.end.Ended && s.dropped > 0 && s.counters.Running == 0
}

// took returns how long a call took, or has been running.
func (s *serveScreen) took(call servedCall) string {
	if s.endDropped(call) {
		return ""
	}
	if call.end.Ended || call.elsewhere.ID != 0 && call.elsewhere.State != history.CallOpen {
		return strings.Replace(kit.ShortDuration(call.end.Took), "under ", "<", 1) // short of room
	}
	return fmt.Sprintf("%d s", max(int(s.env.now.Sub(call.start.At)/time.Second), 0))
}

// result returns what came of a call.
func (s *serveScreen) result(call servedCall) string {
	e, end := s.env, call.end
	switch {
	case call.elsewhere.ID != 0:
		result := review.ResultOf(call.elsewhere)
		sign := e.markSign(result.Mark)
		return sign.Style.Render(sign.Glyph) + e.Theme.Text.Render(fmt.Sprintf(" %s, no. %d, elsewhere", kit.Sanitize(result.Words), call.elsewhere.ID))
	case s.endDropped(call):
		return e.Theme.Muted.Render(e.Glyphs.None + " end not seen")
	case !end.Ended:
		return e.Theme.Accent.Render(e.spinner()) + e.Theme.Text.Render(" running")
	}
	result, failed := CallResult(end)
	if end.Change != 0 {
		result += fmt.Sprintf(", no. %d", end.Change)
	}
	if failed {
		return e.Theme.Danger.Render(e.Glyphs.Failed + " " + result)
	}
	return e.Theme.Text.Render(result)
}

// CallResult says what came of a call that has ended: the size of the reply, or the
// code of the failure.
func CallResult(call Call) (result string, failed bool) {
	if call.Outcome != activity.OutcomeOK {
		return kit.Sanitize(string(call.Outcome)), true
	}
	return byteSize(call.Bytes), false
}

// byteSize returns a number of bytes in words: 812 B, 3.1 KB, 2.0 MB.
func byteSize(bytes int) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1_000_000:
		return fmt.Sprintf("%.1f KB", float64(bytes)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1_000_000)
}

// uptime returns a duration as hours, minutes and seconds: 0:14:07.
func uptime(d time.Duration) string {
	seconds := int(d / time.Second)
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// callScreen shows one call: who made it, what was sent, and what came of it.
type callScreen struct {
	env     *env
	serving *serveScreen
	key     callKey
	offset  int
	most    int // the largest offset that shows something new
}

var _ screen = (*callScreen)(nil)

func (s *callScreen) title() string { return "Call" }

func (s *callScreen) mode() mode {
	m := s.serving.mode()
	return mode{allowsPanelKeys: m.allowsPanelKeys, polls: m.polls}
}

func (s *callScreen) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	k := s.env.keys
	switch {
	case key.Matches(press, k.esc, k.enter):
		return back{}, nil
	case key.Matches(press, k.Down):
		s.offset++
	case key.Matches(press, k.Up):
		s.offset--
	case key.Matches(press, k.PageDown):
		s.offset += 10
	case key.Matches(press, k.PageUp):
		s.offset -= 10
	}
	s.offset = max(min(s.offset, s.most), 0)
	return nil, nil
}

func (s *callScreen) keys() []key.Binding {
	k := s.env.keys
	if s.most > 0 {
		return []key.Binding{kit.Relabel(k.chooseRow, "scroll"), k.esc}
	}
	return []key.Binding{k.esc}
}

func (s *callScreen) view(width, height int) []string {
	e := s.env
	i := s.serving.indexOf(s.key)
	if i < 0 {
		return kit.Paragraph(e.Theme.Text, "This call is no longer in the list.", width)
	}
	call := s.serving.calls[i]
	const label = 10
	fact := func(name, value string) string {
		return "  " + e.Theme.Muted.Render(e.Glyphs.Fit(name, label)) + value
	}
	lines := []string{
		fact("Tool", e.Theme.Strong.Render(kit.Sanitize(call.start.Tool))),
		fact("Client", e.Theme.Text.Render(orNone(kit.Sanitize(call.start.Client), e))),
		fact("Graph", e.Theme.Text.Render(orNone(kit.Sanitize(call.start.Graph), e))),
		fact("Started", e.Theme.Text.Render(call.start.At.Format(time.TimeOnly))),
		fact("Took", e.Theme.Text.Render(s.serving.took(call))),
		fact("Result", s.serving.result(call)),
	}
	lines = append(lines, e.sentLines(call.start.Arguments, width)...)
	s.most = max(len(lines)-height, 0)
	s.offset = min(s.offset, s.most)
	shown := e.Glyphs.Fill(lines[s.offset:], width, height)
	if s.offset < s.most && height > 0 {
		shown[height-1] = "  " + e.Theme.Faint.Render(e.Glyphs.Down+" more")
	}
	return shown
}

// sentLines returns what a caller sent, with a heading.
func (e *env) sentLines(arguments json.RawMessage, width int) []string {
	lines := []string{"", "  " + e.Theme.Muted.Render("What was sent"), ""}
	for _, line := range strings.Split(formatArguments(arguments), "\n") {
		lines = append(lines, kit.Indent(kit.HardWrap(line, width-5, e.Theme.Text), 4)...)
	}
	return lines
}

// formatArguments returns what a caller sent, as indented JSON if it is JSON.
func formatArguments(arguments json.RawMessage) string {
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
