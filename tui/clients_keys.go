package tui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/tui/kit"
)

func (s *clientsScreen) key(press tea.KeyPressMsg) (action, tea.Cmd) {
	k := s.env.keys
	switch {
	case s.list.HandleKey(k.list(), press):
		return nil, nil
	case key.Matches(press, k.esc):
		return back{}, nil
	case key.Matches(press, k.absent) && s.known:
		s.absent = !s.absent
		return nil, nil
	case key.Matches(press, k.options):
		return open{newClientOptions(s)}, nil
	case key.Matches(press, k.serve) && s.servesHere():
		return s.serve()
	}
	selected, ok := s.selected()
	if !ok {
		return nil, nil
	}
	switch {
	case key.Matches(press, k.mark):
		return s.toggle(selected)
	case key.Matches(press, k.enter):
		return s.preview(s.wanted(), false)
	case key.Matches(press, k.takeOut):
		return s.preview(s.wanted(), true)
	case key.Matches(press, k.copy):
		return nil, s.copyText(selected)
	case key.Matches(press, k.test):
		return s.proveWanted()
	case key.Matches(press, k.fix):
		return s.mend()
	}
	return nil, nil
}

// servesHere reports whether this program can serve over HTTP what was chosen. The usual
// profile is served from the list of graphs.
func (s *clientsScreen) servesHere() bool { return s.choice.Profile != "" && s.env.ports.Serve != nil }

func (s *clientsScreen) serve() (action, tea.Cmd) {
	graph := ""
	if len(s.choice.Graphs) > 0 {
		graph = s.choice.Graphs[0]
	}
	return s.env.serving.serveAndShow(s.choice.Profile, graph)
}

// toggle chooses a client, or no longer, and selects the next row.
func (s *clientsScreen) toggle(status install.Status) (action, tea.Cmd) {
	if status.State == clients.Absent {
		return inform(status.Client.Name + " is not on this machine. y copies what it would be told."), nil
	}
	s.chosen.Toggle(status.Client.ID)
	s.list.Next()
	return nil, nil
}

// proveWanted proves what stands in the files of the chosen clients.
func (s *clientsScreen) proveWanted() (action, tea.Cmd) {
	var cmds []tea.Cmd
	for _, status := range s.wanted() {
		if len(status.Ours()) == 0 {
			return inform(status.Client.Name + " is not configured yet, so there is nothing to prove. enter shows what would change."), nil
		}
		s.job(status.Client.ID).written, s.job(status.Client.ID).agreed = "", false
		cmds = append(cmds, s.enqueue(status.Client.ID, ""))
	}
	return nil, tea.Batch(cmds...)
}

// failing returns the client whose failure, or silent graph, the fix key is for: the
// selected one, or else the first that has any.
func (s *clientsScreen) failing() (status install.Status, step install.ProofStep, ok bool) {
	candidates := s.listed()
	if selected, ok := s.selected(); ok {
		candidates = append([]install.Status{selected}, candidates...)
	}
	for _, status := range candidates {
		if job := s.jobs[status.Client.ID]; job != nil {
			if step, ok := job.proving.toMend(); ok && MendLabel(step) != "" {
				return status, step, true
			}
		}
	}
	return install.Status{}, install.ProofStep{}, false
}

func (s *clientsScreen) mend() (action, tea.Cmd) {
	status, step, ok := s.failing()
	switch {
	case !ok:
		return inform("Nothing here has failed that a key could mend."), nil
	case step.Mend == install.MendWriteAnew:
		return s.preview([]install.Status{status}, false)
	case step.Mend == install.MendAgree:
		return open{s.newStartQuestion(status.Client, step)}, nil
	}
	return s.env.mendStep(step)
}

// newStartQuestion asks whether to start what is not this program alone.
func (s *clientsScreen) newStartQuestion(client clients.Client, step install.ProofStep) screen {
	return newQuestion(s.env, question{
		title: "Start it", text: s.env.words.Error(step.Err), safe: "Leave it", other: "Start it",
		confirm: func() (action, tea.Cmd) {
			job := s.job(client.ID)
			job.agreed = true
			return back{}, s.enqueue(client.ID, job.entry)
		},
	})
}

func (s *clientsScreen) keys() []key.Binding {
	k := s.env.keys
	if s.list.Filter.Typing {
		return k.filtering(s.list.Len())
	}
	var out []key.Binding
	selected, ok := s.selected()
	_, step, failing := s.failing()
	if failing {
		out = append(out, kit.Relabel(k.fix, MendLabel(step)))
	}
	if ok {
		ours := len(selected.Ours()) > 0
		if selected.State != clients.Absent {
			enter := kit.Relabel(k.enter, "show changes")
			out = append(out, enter, k.mark)
		}
		if ours {
			out = append(out, kit.Relabel(k.test, "prove"), k.takeOut)
		}
		out = append(out, k.options, kit.Relabel(k.copy, "copy the text"))
	} else {
		out = append(out, k.options)
	}
	if len(s.listed()) > 1 || s.list.Filter.Text != "" {
		out = append(out, k.filter)
	}
	if s.known && s.absent {
		out = append(out, kit.Relabel(k.absent, "those on this machine"))
	} else if s.known {
		out = append(out, k.absent)
	}
	if s.servesHere() {
		out = append(out, kit.Relabel(k.serve, "serve it here"))
	}
	if s.list.Filter.Text != "" {
		return append(out, kit.Relabel(k.esc, "show all"))
	}
	return append(out, k.esc)
}

// parts returns what the menu is told of the clients.
func (s *clientsScreen) parts() menuParts {
	k := s.env.keys
	prove := kit.Relabel(k.test, "prove")
	p := menuParts{
		ofRow: []key.Binding{k.enter, k.mark, k.test, k.takeOut, k.copy},
		later: because("nothing has failed that a key could mend", k.fix),
		moves: true,
	}
	if s.env.ports.Serve != nil {
		p.later = append(p.later, because("the usual profile is served from your graphs", kit.Relabel(k.serve, "serve it here"))...)
	}
	selected, ok := s.selected()
	if !ok {
		reason := "no client is on this machine"
		switch {
		case s.list.Filter.Text != "":
			reason = "no client is listed under this filter"
		case !s.known:
			reason = "they are still looked for"
		}
		p.later = append(p.later, because(reason, kit.Relabel(k.enter, "show changes"), prove, k.takeOut, kit.Relabel(k.copy, "copy the text"))...)
		return p
	}
	p.row = selected.Client.Name
	if selected.State == clients.Absent {
		p.later = append(p.later, because("it is not on this machine", kit.Relabel(k.enter, "show changes"), k.mark)...)
	}
	reason := "it has no roam-mcp yet"
	if !slices.ContainsFunc(s.all, func(c install.Status) bool { return len(c.Ours()) > 0 }) {
		reason = "no client has roam-mcp yet"
	}
	p.later = append(p.later, because(reason, prove, k.takeOut)...)
	return p
}
