package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/tui/kit"
)

// change is what is planned for a client.
type change struct {
	client clients.Client
	plan   clients.Plan
	err    error
}

// writes reports whether the change can be made here.
func (c change) writes() bool {
	return c.err == nil && !c.plan.Unchanged && c.plan.Way != clients.ByText
}

// changesScreen shows what would change in the configuration of clients, before it does.
type changesScreen struct {
	env     *env
	from    *clientsScreen
	targets []install.Status
	removes bool
	follows bool // a graph was renamed, and the entries that name it follow
	id      int  // of the planning
	changes []change
	planned bool
	scroll  kit.Scroll
}

var (
	_ screen  = (*changesScreen)(nil)
	_ starter = (*changesScreen)(nil)
)

// Messages of plans and their ends.
type (
	plannedMsg struct {
		id      int
		changes []change
	}
	clientsWrittenMsg struct {
		from    *clientsScreen
		changes []change // with the errors of Apply
	}
	clientTextMsg struct {
		name, text string
		err        error
	}
)

// preview shows what would change for the clients.
func (s *clientsScreen) preview(targets []install.Status, removes bool) (action, tea.Cmd) {
	if s.env.ports.Clients == nil {
		return inform("No client can be configured from here."), nil
	}
	for _, status := range targets {
		if removes && len(status.Entries) == 0 {
			return inform(status.Client.Name + " is not configured, so there is nothing to take out."), nil
		}
		if !removes && status.State == clients.Absent {
			return inform(status.Client.Name + " is not on this machine. y copies what it would be told."), nil
		}
	}
	preview := &changesScreen{env: s.env, from: s, targets: targets, removes: removes, id: s.env.nextID()}
	if !removes && s.env.ports.Place != nil {
		return open{s.placeFirst(preview)}, nil
	}
	return open{preview}, nil
}

// placedMsg reports that this program was put where it stays, and what starts it there.
type placedMsg struct {
	clients Clients
	err     error
}

// placeFirst asks whether this program is to be put where it stays before clients are given it.
func (s *clientsScreen) placeFirst(preview *changesScreen) screen {
	ctx, place := s.env.ctx, s.env.ports.Place
	return newQuestion(s.env, question{
		title: "A place for this program", safe: "Go on without", other: "Put it there", instead: preview,
		text: "Put this program into its place first?\nIt is where it will not stay, and no client can start it once it is gone. self install does the same in a shell.",
		confirm: func() (action, tea.Cmd) {
			return back{}, s.env.trackWrite(func() tea.Msg {
				there, err := place(ctx)
				return placedMsg{there, err}
			})
		},
	})
}

// placed goes on with the program in its place.
func (s *clientsScreen) placed(msg placedMsg) (action, tea.Cmd) {
	if msg.err != nil {
		return s.env.complain(msg.err), nil
	}
	s.env.ports.Clients, s.env.ports.Place = msg.clients, nil
	return notify{notice{"It is in its place. Clients that get it now start it there.", noticeSuccess}}, s.look()
}

// newFollowingChanges shows what would change in the entries that name a graph which was
// renamed.
func newFollowingChanges(e *env, changes []change) *changesScreen {
	return &changesScreen{env: e, from: newClientsScreen(e), follows: true, changes: changes, planned: true}
}

func (s *changesScreen) start() tea.Cmd {
	if s.planned {
		return nil
	}
	id, ctx, port, targets, removes, choice := s.id, s.env.ctx, s.env.ports.Clients, s.targets, s.removes, s.from.choice
	return func() tea.Msg {
		var changes []change
		for _, status := range targets {
			c := change{client: status.Client}
			if removes {
				c.plan, c.err = port.PlanRemoval(ctx, status.Client.ID, "")
			} else {
				c.plan, c.err = port.Plan(ctx, status.Client.ID, choice)
			}
			changes = append(changes, c)
		}
		return plannedMsg{id, changes}
	}
}

// copyText copies what a person would paste for a client.
func (s *clientsScreen) copyText(status install.Status) tea.Cmd {
	ctx, port, choice := s.env.ctx, s.env.ports.Clients, s.choice
	return func() tea.Msg {
		plan, err := port.Plan(ctx, status.Client.ID, choice)
		return clientTextMsg{status.Client.Name, plan.Text, err}
	}
}

func (s *changesScreen) title() string {
	if s.removes {
		return "Take out"
	}
	if s.follows {
		return "Clients that name it"
	}
	return "What would change"
}

func (s *changesScreen) mode() mode { return mode{} }

func (s *changesScreen) update(msg tea.Msg) (action, tea.Cmd) {
	k := s.env.keys
	switch msg := msg.(type) {
	case plannedMsg:
		if msg.id == s.id {
			s.changes, s.planned = msg.changes, true
		}
	case tea.KeyPressMsg:
		switch {
		case s.scroll.HandleKey(k.ScrollKeys, msg):
		case key.Matches(msg, k.esc):
			return back{}, nil
		case key.Matches(msg, k.copy) && s.planned:
			return nil, s.env.copy("the text", s.texts())
		case key.Matches(msg, k.enter) && s.follows && s.enters() != "":
			return replace{s.from}, s.from.write(s.changes)
		case key.Matches(msg, k.enter) && s.planned && s.enters() != "":
			return back{}, s.from.write(s.changes)
		}
	}
	return nil, nil
}

// opensByHand reports whether a person opens the link of a plan, since nothing here does.
func opensByHand(plan clients.Plan) bool {
	return plan.Way == clients.ByText && plan.Link != "" && !plan.Removes
}

// texts returns what a person would paste, or the link to open, for all of the clients.
func (s *changesScreen) texts() string {
	var texts []string
	for _, c := range s.changes {
		text := c.plan.Text
		if c.err == nil && (c.plan.Way == clients.ByLink || opensByHand(c.plan)) {
			text = c.plan.Link
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n\n")
}

// enters returns what enter does, "" where it does nothing.
func (s *changesScreen) enters() string {
	writes, unchanged := 0, 0
	for _, c := range s.changes {
		if c.writes() {
			writes++
		}
		if c.err == nil && c.plan.Unchanged {
			unchanged++
		}
	}
	switch {
	case s.removes && writes > 0:
		return "take it out"
	case writes > 0 && s.links() == writes:
		return "open the link"
	case writes > 0:
		return "write and prove"
	case unchanged > 0 && !s.removes:
		return "prove it as it is"
	}
	return ""
}

func (s *changesScreen) links() (n int) {
	for _, c := range s.changes {
		if c.writes() && c.plan.Way == clients.ByLink {
			n++
		}
	}
	return n
}

func (s *changesScreen) keys() []key.Binding {
	k := s.env.keys
	var out []key.Binding
	if does := s.enters(); does != "" {
		out = append(out, kit.Relabel(k.enter, does))
	}
	if s.planned && !s.removes {
		what := "copy the text to paste"
		if len(s.changes) == 1 && s.texts() == s.changes[0].plan.Link {
			what = "copy the link"
		}
		out = append(out, kit.Relabel(k.copy, what))
	}
	out = append(out, k.scrolling(&s.scroll)...)
	return append(out, k.esc)
}

func (s *changesScreen) view(width, height int) []string {
	e := s.env
	if !s.planned {
		return []string{" " + e.Theme.Accent.Render(e.spinner()) + " " + e.Theme.Text.Render("Looking what would change"+e.Glyphs.Ellipsis)}
	}
	var lines []string
	for i, c := range s.changes {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, s.changeLines(c, width-4)...)
	}
	return s.scroll.View(e.Look, kit.Indent(lines, 1), height)
}

// changeLines shows one change.
func (s *changesScreen) changeLines(c change, width int) []string {
	e, t := s.env, s.env.Theme
	head := t.Strong.Render(c.client.Name)
	where := ""
	switch c.plan.Way {
	case clients.ByCommand:
		where = "by its own command"
	case clients.ByFile:
		where = e.words.Path(c.plan.File)
	case clients.ByLink:
		where = "by a link"
	case clients.ByText:
		where = c.plan.Where
	}
	lines := []string{e.Glyphs.Between(head, t.Muted.Render(where), width)}
	prose := func(style kit.Style, text string) {
		lines = append(lines, kit.WrapStyled(style, text, min(width, kit.ProseWidth))...)
	}
	switch {
	case c.err != nil:
		prose(t.Warning, e.words.Error(c.err))
	case c.plan.Unchanged && s.removes:
		prose(t.Muted, "There is nothing to take out.")
	case c.plan.Unchanged:
		prose(t.Muted, "It is configured like this already.")
	case c.plan.Way == clients.ByCommand:
		lines = append(lines, kit.Styled(t.Link, kit.Command(e.words.World.Shell.Join(c.plan.Command...), width))...)
	case c.plan.Way == clients.ByFile:
		lines = append(lines, e.fileDiff(c.plan.Diff(), width)...)
	case c.plan.Way == clients.ByLink:
		prose(t.Text, "The link asks "+c.client.Name+" to add this, and you agree there:")
		lines = append(lines, kit.HardWrap(c.plan.Link, width, t.Link)...)
	case opensByHand(c.plan):
		prose(t.Text, "Nothing opens links here. Open this one yourself, and agree in "+c.client.Name+":")
		lines = append(lines, kit.HardWrap(c.plan.Link, width, t.Link)...)
		prose(t.Text, "Or paste this:")
	case c.plan.Way == clients.ByText:
		prose(t.Text, "It is configured by hand. Paste this:")
	}
	if c.err != nil && c.plan.Text != "" || c.plan.Way == clients.ByText {
		lines = append(lines, e.literal(c.plan.Text, width)...)
	}
	if c.plan.Backup != "" && !c.plan.Unchanged {
		prose(t.Muted, "The file as it is goes to "+e.words.Path(c.plan.Backup)+".")
	}
	if c.plan.Note != "" {
		prose(t.Warning, kit.Sanitize(c.plan.Note))
	}
	return lines
}

// literal returns text that is shown to the letter, with its indentation.
func (d *drawing) literal(text string, width int) (lines []string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, kit.HardWrap(strings.ReplaceAll(line, "\t", "  "), width, d.Theme.Link)...)
	}
	return lines
}

// fileDiff returns the hunks of a unified diff: which file it is of stands above it.
func (d *drawing) fileDiff(diff string, width int) (lines []string) {
	_, hunks, _ := strings.Cut(diff, "\n@@")
	for _, line := range strings.Split(strings.TrimRight("@@"+hunks, "\n"), "\n") {
		line = strings.ReplaceAll(line, "\t", "  ")
		style := kit.Style(d.Theme.Faint)
		switch {
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, `\`):
			continue
		case strings.HasPrefix(line, "+"):
			style = d.Theme.Success
		case strings.HasPrefix(line, "-"):
			style = d.Theme.Danger
		}
		lines = append(lines, kit.HardWrap(line, width, style)...)
	}
	return lines
}

// write returns a command that makes the changes, one after another. Quitting waits for
// its end.
func (s *clientsScreen) write(changes []change) tea.Cmd {
	ctx, port := s.env.ctx, s.env.ports.Clients
	for _, c := range changes {
		*s.job(c.client.ID) = clientJob{queued: true}
	}
	return s.env.trackWrite(func() tea.Msg {
		done := make([]change, len(changes))
		for i, c := range changes {
			if c.writes() {
				c.err = port.Apply(ctx, c.plan)
			}
			done[i] = c
		}
		return clientsWrittenMsg{s, done}
	})
}

// wrote notes what became of the changes, and has proven what was written.
func (s *clientsScreen) wrote(msg clientsWrittenMsg) tea.Cmd {
	if msg.from != s {
		return nil
	}
	cmds := []tea.Cmd{s.look()}
	for _, c := range msg.changes {
		job := s.job(c.client.ID)
		*job = clientJob{err: c.err, written: whatWasDone(s.env, c)}
		s.chosen = slices.DeleteFunc(s.chosen, func(id string) bool { return id == c.client.ID })
		byHand := c.plan.Way == clients.ByLink || c.plan.Way == clients.ByText
		if c.err == nil && !c.plan.Removes && !byHand {
			cmds = append(cmds, s.enqueue(c.client.ID, c.plan.Server.Name))
		}
	}
	return tea.Batch(cmds...)
}

// whatWasDone says what was done for a change, "" for nothing.
func whatWasDone(e *env, c change) string {
	switch {
	case c.err != nil || c.plan.Unchanged:
		return ""
	case c.plan.Way == clients.ByLink:
		return "The link is open. Agree in " + c.client.Name + "."
	case c.plan.Removes && c.plan.Gone:
		return "taken out; " + e.words.Path(c.plan.File) + " is gone again"
	case c.plan.Removes:
		return "taken out of " + e.words.Path(c.plan.File)
	case c.plan.Way == clients.ByCommand:
		return fmt.Sprintf("written by its own command, as %s", c.plan.Server.Name)
	}
	return fmt.Sprintf("written to %s, as %s", e.words.Path(c.plan.File), c.plan.Server.Name)
}
