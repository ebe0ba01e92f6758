package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/journal/review"
	"roam-mcp/tui/kit"
)

// callDiff is the difference that a recorded call has made, kept as it is now: with
// what became of it since.
type callDiff struct {
	env *env
	ctx context.Context

	number int64 // of the call that is held; 0: none
	diff   review.Diff
	err    error
	took   time.Duration // of the last reading
	readAt time.Time
	roam   bool // whether Roam answered then
	stale  bool // the journal has changed since

	reading int64 // number of the call that is being read; 0: none
	id      int
	since   time.Time
	cancel  context.CancelFunc
	drawn   drawnDiff
}

// drawnDiff are the lines of a difference, with all that they depend on.
type drawnDiff struct {
	width      int
	colors     kit.Palette
	colourless bool
	lines      []string
}

// callDiffMsg is the difference of a call. With an id alone it says that it is time to
// read again.
type callDiffMsg struct {
	id   int
	diff review.Diff
	took time.Duration
	err  error
}

// follow returns a command that reads the difference of a call, unless it is held and
// as it was. One reading is under way at a time.
func (d *callDiff) follow(number int64) tea.Cmd {
	roam := d.env.roster.Roam.Answers()
	switch {
	case d.reading != 0:
		if d.reading != number {
			d.cancel()
		}
		return nil
	case number == 0:
		d.number = 0
		return nil
	case d.number == number && !d.stale && d.roam == roam:
		return nil
	case d.number == number && d.env.now.Sub(d.readAt) < d.pause():
		return nil // the end of the pause is reported
	}
	ctx, cancel := context.WithCancel(d.ctx)
	d.reading, d.id, d.since, d.cancel = number, d.env.nextID(), d.env.now, cancel
	d.roam, d.stale = roam, false
	id, port, now := d.id, d.env.ports.History, d.env.ports.Graphs.Now
	return func() tea.Msg {
		defer cancel()
		started := now()
		diff, err := port.Diff(ctx, number)
		return callDiffMsg{id, diff, now().Sub(started), err}
	}
}

// pause is how long a difference is left as it is after a reading: Roam is asked for
// what is there now, and has to do for agents as well.
func (d *callDiff) pause() time.Duration { return 10 * d.took }

// take takes the end of a reading.
func (d *callDiff) take(msg callDiffMsg) tea.Cmd {
	if msg.id != d.id || d.reading == 0 {
		return nil
	}
	d.number, d.reading = d.reading, 0
	d.diff, d.err, d.took, d.readAt = msg.diff, msg.err, msg.took, d.env.now
	d.drawn = drawnDiff{}
	if d.ctx.Err() == nil && d.took > 0 {
		return d.env.after(d.pause(), callDiffMsg{})
	}
	return nil
}

// maxDiffWidth is the widest that a difference is set, in cells.
const maxDiffWidth = 110

// lines returns the difference of a call for a screen of that width. line is what the
// list says of it, for the time until it is read.
func (d *callDiff) lines(line review.Line, width int) []string {
	e, number := d.env, line.Number
	if d.number != number || d.err != nil {
		width -= 4
		out := []string{e.Theme.Strong.Render(e.Glyphs.Cut(fmt.Sprintf("%d  %s by %s in %s", number, line.Tool, line.Agent, line.Graph), width))}
		switch {
		case d.number == number:
			what, todo := e.words.Explain(d.err)
			out = append(out, kit.Hang(e.Theme.Danger.Render(e.Glyphs.Failed)+" ", kit.WrapStyled(e.Theme.Text, what+" "+todo, width-2))...)
		case e.now.Sub(d.since) >= time.Second:
			out = append(out, e.Theme.Accent.Render(e.spinner())+e.Theme.Muted.Render(" reading what it changed"))
		}
		return kit.Indent(out, 1)
	}
	look := drawnDiff{width: width, colors: e.Theme.Colors, colourless: e.Colourless}
	if d.drawn.lines == nil || d.drawn.width != look.width || d.drawn.colors != look.colors || d.drawn.colourless != look.colourless {
		look.lines = kit.Indent(e.diffLines(d.diff, min(width-4, maxDiffWidth)), 1)
		d.drawn = look
	}
	return d.drawn.lines
}

// diffLines returns a difference as lines.
func (d *drawing) diffLines(diff review.Diff, width int) []string {
	var out []string
	for i, text := range diff.Head {
		style := d.Theme.Muted
		if i == 0 {
			style = d.Theme.Strong
		}
		out = append(out, kit.WrapStyled(style, kit.Sanitize(text), width)...)
	}
	if diff.Says != "" {
		out = append(out, kit.WrapStyled(d.Theme.Muted, "it says: “"+kit.Sanitize(diff.Says)+"”", width)...)
	}
	for _, section := range diff.Sections {
		out = append(append(out, ""), d.sectionLines(section, width)...)
	}
	if len(diff.Foot) > 0 {
		out = append(out, "")
	}
	for _, text := range diff.Foot {
		out = append(out, kit.WrapStyled(d.Theme.Muted, kit.Sanitize(text), width)...)
	}
	return out
}

// sectionLines returns what has changed in one place: the path to it, the texts as they
// were and as they became, and what is there now.
func (d *drawing) sectionLines(s review.Section, width int) []string {
	t := d.Theme
	var path []string
	for _, part := range s.Path {
		path = append(path, kit.Sanitize(part))
	}
	uid := ""
	if s.UID != "" {
		uid = t.Faint.Render("((" + kit.Sanitize(s.UID) + "))")
	}
	out := []string{d.Glyphs.Between(t.Accent.Render(strings.Join(path, " "+d.Glyphs.Pointer+" ")), uid, width)}
	if len(path) == 0 {
		out[0] = uid
	}
	for _, line := range s.Lines {
		out = append(out, d.diffLine(line, width)...)
	}
	if s.Now != "" {
		sign := d.markSign(s.NowMark)
		out = append(out, kit.Hang("  "+t.Muted.Render("now: ")+sign.Style.Render(sign.Glyph)+" ", kit.WrapStyled(t.Text, kit.Sanitize(s.Now), width-9))...)
	}
	return out
}

// diffLine returns a line of a difference, with a sign as well as a colour.
func (d *drawing) diffLine(line review.DiffLine, width int) []string {
	sign, style := " ", lipgloss.Style(d.Theme.Muted)
	switch line.Kind {
	case review.Removed:
		sign, style = "-", d.Theme.Danger
	case review.Added:
		sign, style = "+", d.Theme.Success
	case review.Note:
		sign, style = "~", d.Theme.Warning
	case review.Context:
	}
	text := kit.Sanitize(line.Text)
	indent := min(len(text)-len(strings.TrimLeft(text, " ")), width/3)
	wrapped := strings.Split(ansi.Wrap(strings.TrimLeft(text, " "), max(width-4-indent, 8), ""), "\n")
	return kit.Hang("  "+style.Render(sign)+" "+strings.Repeat(" ", indent), kit.Styled(style, wrapped))
}

// diffScreen shows the whole difference that a call has made.
type diffScreen struct {
	env    *env
	cancel context.CancelFunc
	line   review.Line   // what the list says of the call
	all    []review.Line // of the calls that are shown in turn; nil: it is one
	diff   callDiff
	watch  int // id of the watching of the journal
	scroll kit.Scroll
}

var (
	_ screen  = (*diffScreen)(nil)
	_ starter = (*diffScreen)(nil)
	_ closer  = (*diffScreen)(nil)
)

// newDiffScreen returns the screen of a call. held is a difference that may be the
// call's, and is shown until it is read anew.
func newDiffScreen(e *env, line review.Line, held callDiff) *diffScreen {
	s := &diffScreen{env: e, line: line}
	ctx, cancel := context.WithCancel(e.ctx)
	s.cancel = cancel
	s.diff = callDiff{env: e, ctx: ctx, number: held.number, diff: held.diff, err: held.err, stale: true}
	return s
}

// newDiffScreens returns the screen of several calls, which are shown in turn.
func newDiffScreens(e *env, lines []review.Line) *diffScreen {
	s := newDiffScreen(e, lines[0], callDiff{})
	s.all = lines
	return s
}

// turn goes on to the call that is so many further.
func (s *diffScreen) turn(by int) {
	if n := len(s.all); n > 0 {
		at := slices.IndexFunc(s.all, func(line review.Line) bool { return line.Number == s.line.Number })
		s.line, s.scroll = s.all[(at+by+n)%n], kit.Scroll{}
	}
}

func (s *diffScreen) start() tea.Cmd {
	var watch tea.Cmd
	s.watch, watch = s.env.follow(s.diff.ctx, s.env.ports.History.Watch)
	return tea.Batch(watch, s.diff.follow(s.line.Number))
}

func (s *diffScreen) close() tea.Cmd {
	s.cancel()
	return nil
}

func (s *diffScreen) title() string { return fmt.Sprintf("Change %d", s.line.Number) }

func (s *diffScreen) mode() mode { return mode{inView: true, allowsPanelKeys: true, polls: true} }

func (s *diffScreen) update(msg tea.Msg) (action, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		k := s.env.keys
		if key.Matches(msg, k.esc, k.enter) {
			return back{}, nil
		}
		switch {
		case key.Matches(msg, k.nextCall):
			s.turn(1)
		case key.Matches(msg, k.previousCall):
			s.turn(-1)
		default:
			s.scroll.HandleKey(k.ScrollKeys, msg)
			return nil, nil
		}
	case newsMsg:
		if msg.id != s.watch {
			return nil, nil
		}
		s.diff.stale = true
	case callDiffMsg:
		cmd = s.diff.take(msg)
	}
	return nil, tea.Batch(cmd, s.diff.follow(s.line.Number))
}

func (s *diffScreen) keys() []key.Binding {
	k := s.env.keys
	var out []key.Binding
	out = append(out, k.scrolling(&s.scroll)...)
	if len(s.all) > 1 {
		out = append(out, kit.Relabel(k.nextCall, "next change"), k.previousCall)
	}
	return append(out, k.esc)
}

func (s *diffScreen) view(width, height int) []string {
	lines := s.diff.lines(s.line, width)
	return s.scroll.View(s.env.Look, lines, height)
}
