package tui

import (
	"context"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/tui/kit"
)

// undoDialog says what an undo would do, and has it done if a person agrees.
type undoDialog struct {
	env     *env
	what    string // such as "Undo 412"
	wanted  Undo
	confirm func([]UndoPlan) tea.Cmd

	ctx    context.Context
	cancel context.CancelFunc
	id     int // of the planning under way; 0: none
	plans  []UndoPlan
	err    error
	scroll kit.Scroll
}

// undoPlannedMsg is what an undo would do.
type undoPlannedMsg struct {
	id    int
	plans []UndoPlan
	err   error
}

var (
	_ screen  = (*undoDialog)(nil)
	_ starter = (*undoDialog)(nil)
	_ closer  = (*undoDialog)(nil)
)

func newUndoDialog(e *env, what string, wanted Undo, confirm func([]UndoPlan) tea.Cmd) *undoDialog {
	s := &undoDialog{env: e, what: what, wanted: wanted, confirm: confirm}
	s.ctx, s.cancel = context.WithCancel(e.ctx)
	return s
}

func (s *undoDialog) start() tea.Cmd {
	s.id = s.env.nextID()
	ctx, id, port, wanted := s.ctx, s.id, s.env.ports.History, s.wanted
	return func() tea.Msg {
		plans, err := port.PlanUndo(ctx, wanted)
		return undoPlannedMsg{id, plans, err}
	}
}

func (s *undoDialog) close() tea.Cmd {
	s.cancel()
	return nil
}

func (s *undoDialog) title() string { return s.what }

// mode keeps the panel's keys away, as a question does.
func (s *undoDialog) mode() mode { return mode{dialog: true} }

// possible reports whether something can be done.
func (s *undoDialog) possible() bool {
	return slices.ContainsFunc(s.plans, func(p UndoPlan) bool { return p.Possible })
}

func (s *undoDialog) update(msg tea.Msg) (action, tea.Cmd) {
	switch msg := msg.(type) {
	case undoPlannedMsg:
		if msg.id == s.id {
			s.id, s.plans, s.err = 0, msg.plans, msg.err
		}
	case tea.KeyPressMsg:
		k := s.env.keys
		switch {
		case key.Matches(msg, k.no):
			return back{}, nil
		case key.Matches(msg, k.yes) && s.possible():
			return back{}, s.confirm(s.plans)
		case key.Matches(msg, k.changes) && len(s.plans) > 0:
			return open{newDiffScreens(s.env, s.lines())}, nil
		}
		s.scroll.HandleKey(k.ScrollKeys, msg)
	}
	return nil, nil
}

// lines returns what is said of the calls, for the screen with their differences.
func (s *undoDialog) lines() (lines []review.Line) {
	for _, p := range s.plans {
		lines = append(lines, review.Lines(p.Calls, func(history.Graph) string { return p.Name }, s.env.now)...)
	}
	return lines
}

func (s *undoDialog) keys() []key.Binding {
	k := s.env.keys
	var out []key.Binding
	if s.possible() {
		verb := "undo it"
		if s.wanted.Redo {
			verb = "redo it"
		}
		out = append(out, kit.Relabel(k.yes, verb))
	}
	if len(s.plans) > 0 {
		out = append(out, kit.Relabel(k.changes, "differences"))
	}
	out = append(out, k.scrolling(&s.scroll)...)
	return append(out, kit.Relabel(k.no, "leave it"))
}

func (s *undoDialog) view(width, height int) []string {
	e := s.env
	boxWidth := min(width-4, 90)
	text := s.text(boxWidth - 4)
	return e.Box(s.what, s.scroll.View(e.Look, text, max(height-2, 1)), boxWidth)
}

// text says what would be done, and what stays.
func (s *undoDialog) text(width int) (out []string) {
	e := s.env
	switch {
	case s.id != 0:
		return []string{e.Theme.Accent.Render(e.spinner()) + " " + e.Theme.Muted.Render("Looking at what is there now"+e.Glyphs.Ellipsis)}
	case s.err != nil:
		what, todo := e.words.Explain(s.err)
		return append(kit.Hang(e.Theme.Danger.Render(e.Glyphs.Failed)+" ", kit.WrapStyled(e.Theme.Strong, what, width-2)),
			kit.Hang("  ", kit.WrapStyled(e.Theme.Muted, todo, width-2))...)
	case len(s.plans) == 0:
		return []string{e.Theme.Strong.Render("There is nothing to take back.")}
	}
	for i, p := range s.plans {
		if i > 0 {
			out = append(out, "")
		}
		lines := splitLines(p.Text(e.Glyphs, e.now))
		out = append(out, kit.WrapStyled(e.Theme.Strong, kit.Sanitize(lines[0]), width)...)
		for _, line := range lines[1:] {
			out = append(out, e.planLine(line, width)...)
		}
	}
	if !s.possible() {
		out = append(out, "", e.Theme.Strong.Render("So nothing of it can be taken back."))
	}
	return out
}
