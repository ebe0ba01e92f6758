package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/clients"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/tui/kit"
)

// view returns the lines of the screen.
func (s *activityScreen) view(width, height int) []string {
	e := s.env
	lines := s.header(width)
	// The list stays in sight however much is said above it.
	if most := max(height-6, 1); len(lines) > most {
		lines = lines[:most]
	}
	lines = append(lines, "")
	if len(s.feed.calls) == 0 {
		return append(lines, s.noCallsYet(min(width-2*kit.RowIndent, kit.ProseWidth), height-len(lines))...)
	}
	layout := s.feed.table.In(e.Glyphs, kit.RowWidth(width))
	return append(lines, s.list.View(e.Look, kit.ListView{
		Sections: []kit.Section{{Heads: []string{strings.Repeat(" ", kit.RowIndent) + e.Theme.Faint.Render(layout.Heads())}, Rows: len(s.feed.calls)}},
		Row:      e.Rows(layout, width, func(i int) []string { return s.feed.cells(s.feed.calls[i]) }),
	}, width, height-len(lines))...)
}

// header says where this program serves, who is connected and what they have done, and which
// other servers live.
func (s *activityScreen) header(width int) []string {
	e, serving := s.env, s.env.serving
	text := width - 2*kit.RowIndent
	indent := func(lines ...string) []string { return kit.Indent(lines, kit.RowIndent) }
	var lines []string
	switch serving.stage {
	case servingStarts:
		lines = indent(e.Theme.Accent.Render(e.spinner()) + " " + e.Theme.Text.Render("Starting the server"+e.Glyphs.Ellipsis))
	case servingRuns:
		lines = indent(s.servingLines(text)...)
	case notServing:
		lines = indent(s.notServingLines(text)...)
	}
	living := s.feed.living()
	if len(living) > 0 {
		words := kit.Plural(len(living), "other server") + ": " + strings.Join(living, ", ")
		lines = append(lines, indent(e.Theme.Muted.Render(e.Glyphs.Cut(words, text)))...)
	}
	return lines
}

func (s *activityScreen) notServingLines(width int) []string {
	e := s.env
	if err := e.serving.err; err != nil {
		return kit.Hang(e.Theme.Danger.Render(e.Glyphs.Failed)+" ", kit.WrapStyled(e.Theme.Text, "Not serving. "+e.words.Error(err), width-2))
	}
	words := "This program serves nobody over HTTP."
	if e.ports.Serve != nil {
		words += " s serves."
	}
	return kit.Hang(e.Theme.Muted.Render(e.Glyphs.Off)+" ", kit.WrapStyled(e.Theme.Muted, words, width-2))
}

// servingLines says where this program serves, and what its clients have done.
func (s *activityScreen) servingLines(width int) []string {
	e, serving := s.env, s.env.serving
	writes := e.Theme.Success.Render(e.Glyphs.On) + e.Theme.Text.Render(" writes on")
	if serving.paused {
		writes = e.Theme.Warning.Render(e.Glyphs.Warning + " writes paused")
	}
	first := e.Theme.Link.Render(serving.service.URL()) + "   " + writes
	up := e.Theme.Muted.Render("up " + uptime(e.now.Sub(serving.since)))
	var below []string
	if served := serving.served(); served != "" {
		if ansi.StringWidth(first)+ansi.StringWidth(served)+ansi.StringWidth(up)+8 <= width {
			first += "   " + e.Theme.Muted.Render(served)
		} else {
			below = []string{e.Theme.Muted.Render(e.Glyphs.Cut(served, width))}
		}
	}
	lines := append([]string{e.Glyphs.Between(first, up, width)}, below...)
	for _, warning := range s.warnings() {
		lines = append(lines, kit.Hang(e.Theme.Warning.Render(e.Glyphs.Warning)+" ", kit.WrapStyled(e.Theme.Text, warning, width-2))...)
	}
	if len(serving.clients) == 0 && serving.counters == (activity.Counters{}) {
		return lines
	}
	who, counts := serving.who(), serving.counts()
	if ansi.StringWidth(who)+ansi.StringWidth(counts)+3 <= width {
		return append(lines, e.Glyphs.Between(e.Theme.Muted.Render(who), e.Theme.Muted.Render(counts), width))
	}
	return append(lines, e.Theme.Muted.Render(e.Glyphs.Cut(who, width)), e.Theme.Muted.Render(e.Glyphs.Cut(counts, width)))
}

// warnings are what is less than good about the server.
func (s *activityScreen) warnings() (out []string) {
	serving := s.env.serving
	if serving.servesNothing() {
		out = append(out, "No graph is connected and enabled, so agents find nothing. esc leads to your graphs.")
	}
	if !serving.service.KeepsAddress() {
		out = append(out, "The usual port is taken: this one is for this time alone, so do not register clients with it for good.")
	}
	return out
}

// who lists the connected clients.
func (s *serving) who() string {
	who := kit.Plural(len(s.clients), "client")
	var names []string
	for _, c := range s.clients {
		names = append(names, kit.Sanitize(c.Name))
	}
	if len(names) > 0 {
		who += ": " + strings.Join(names, ", ")
	}
	return who
}

// counts says what the clients have done.
func (s *serving) counts() string {
	c := s.counters
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
	return counts
}

// served says what is served, where that is not the usual profile with every graph.
func (s *serving) served() string {
	var parts []string
	if s.request.Profile != "" {
		parts = append(parts, "profile "+s.request.Profile)
	}
	if s.request.Graph != "" {
		parts = append(parts, kit.Sanitize(s.request.Graph))
	}
	return strings.Join(parts, ", ")
}

// command returns the command for a client on this computer.
func (s *serving) command() clients.Snippet {
	return HTTPSnippets(s.service, s.request.Profile, s.env.words)[0]
}

// noCallsYet says how the first agent is connected, with the command if there is room.
func (s *activityScreen) noCallsYet(width, height int) []string {
	e, serving := s.env, s.env.serving
	if serving.stage != servingRuns {
		return kit.Indent(kit.WrapStyled(e.Theme.Muted, "No agent has called yet. Each call of a client is listed here as it runs, whichever server it is made to.", width), kit.RowIndent)
	}
	long := kit.WrapStyled(e.Theme.Muted, "No agent has called yet; each call is listed here as it runs.", width)
	if serving.service.KeepsAddress() {
		command := serving.command()
		long = append(long, "", e.Theme.Text.Render("To connect "+command.Client+", run this in a terminal:"), "")
		long = append(long, kit.Indent(kit.WrapStyled(e.Theme.Link, command.Text, width-2), 2)...)
		long = append(append(long, ""), kit.WrapStyled(e.Theme.Muted, "y copies it. c shows the same for other clients.", width)...)
	}
	if len(long) > height {
		long = kit.WrapStyled(e.Theme.Muted, "No agent has called yet. c shows how to connect one; each call is listed here as it runs.", width)
	}
	return kit.Indent(long, kit.RowIndent)
}

// measure makes the columns that all texts fit into.
func (f *activityFeed) measure() {
	const most = 32
	f.table = kit.NewTable(
		kit.Column{Head: "TIME"}, kit.Column{Head: "CLIENT", Max: 24, Narrow: 9, Drops: 1}, kit.Column{Head: "GRAPH", Max: 24, Narrow: 16},
		kit.Column{Head: "TOOL", Max: most, Narrow: 20}, kit.Column{Head: "PAGE", Max: most, Narrow: 12, Drops: 2},
		kit.Column{Head: "TOOK", Min: 7, Right: true}, kit.Column{Head: "RESULT", Min: 18, Narrow: 17, Grows: true},
	)
	for _, call := range f.calls {
		f.table.Measure(f.cells(call)...)
	}
}

// cells returns the row of a call.
func (f *activityFeed) cells(call feedCall) []string {
	e, t := f.env, f.env.Theme
	return []string{
		t.Muted.Render(call.At.Local().Format(time.TimeOnly)), t.Muted.Render(orNone(kit.Sanitize(call.Client), e)), t.Text.Render(orNone(kit.Sanitize(call.Graph), e)),
		t.Text.Render(kit.Sanitize(call.Tool)), t.Muted.Render(kit.Sanitize(call.Page)), t.Muted.Render(f.took(call)), f.result(call),
	}
}

func orNone(s string, e *env) string {
	if s == "" {
		return e.Glyphs.None
	}
	return s
}

// took returns how long a call took, or has been running.
func (f *activityFeed) took(call feedCall) string {
	switch {
	case call.Ended:
		return strings.Replace(kit.ShortDuration(call.Took), "under ", "<", 1) // short of room
	case !f.runs(call):
		return ""
	}
	return fmt.Sprintf("%d s", max(int(f.env.now.Sub(call.At)/time.Second), 0))
}

// result returns what came of a call: what went back, that it wrote, or why it failed.
func (f *activityFeed) result(call feedCall) string {
	e := f.env
	switch {
	case !call.Ended && !f.runs(call):
		return e.Theme.Muted.Render(e.Glyphs.None + " end not seen")
	case !call.Ended:
		return e.Theme.Accent.Render(e.spinner()) + e.Theme.Text.Render(" running")
	}
	result, failed := resultWords(call.LoggedCall)
	if call.Change != 0 {
		result += fmt.Sprintf(", no. %d", call.Change)
	}
	if failed {
		return e.Theme.Danger.Render(e.Glyphs.Failed + " " + result)
	}
	return e.Theme.Text.Render(result)
}

// CallResult says what came of a call that has ended: the size of the reply, or the
// code of the failure.
func CallResult(call Call) (result string, failed bool) {
	return resultWords(ownCall{start: call, end: call}.shared())
}

func resultWords(call activity.LoggedCall) (result string, failed bool) {
	switch {
	case call.Outcome != activity.OutcomeOK:
		return kit.Sanitize(string(call.Outcome)), true
	case call.Writes:
		return "wrote, " + byteSize(call.Bytes), false
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
