package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

// toggle starts to serve every enabled graph, or stops. It asks before clients lose their
// server.
func (s *serving) toggle() (action, tea.Cmd) {
	switch {
	case s.env.ports.Serve == nil:
		return inform(s.env.words.Todo(problem.Say("Serving over HTTP is not possible here. Elsewhere this does it: %s", problem.Run("serve").With("--http")))), nil
	case s.stage == notServing:
		return nil, s.serve(ServeRequest{})
	case len(s.clients) > 0:
		return open{newQuestion(s.env, s.stopQuestion(func() (action, tea.Cmd) { return back{}, s.stopAndTell() }))}, nil
	}
	return nil, s.stopAndTell()
}

// key returns the key that serves, or stops that.
func (s *serving) key() key.Binding {
	if s.stage == notServing {
		return s.env.keys.serve
	}
	return kit.Relabel(s.env.keys.serve, "stop serving")
}

// servingStoppedMsg reports that the server was stopped.
type servingStoppedMsg struct{}

// stopAndTell stops the server, so that the root says so.
func (s *serving) stopAndTell() tea.Cmd {
	stop := s.stop()
	return func() tea.Msg {
		if stop != nil {
			stop()
		}
		return servingStoppedMsg{}
	}
}

// serveAndShow serves a profile and one graph alone, and shows what agents do. "" stands for
// the usual profile and for every enabled graph.
func (s *serving) serveAndShow(profile, graph string) (action, tea.Cmd) {
	request := ServeRequest{Profile: profile, Graph: graph}
	switch {
	case s.env.ports.Serve == nil:
		return s.toggle()
	case s.stage != notServing && s.request == request:
		return show{viewActivity}, nil
	case len(s.clients) > 0:
		return open{newQuestion(s.env, s.stopQuestion(func() (action, tea.Cmd) {
			return show{viewActivity}, s.serve(request)
		}))}, nil
	}
	return show{viewActivity}, s.serve(request)
}

// handleServing takes the messages of the server, whatever screen is shown.
func (r *root) handleServing(msg tea.Msg) tea.Cmd {
	e, s := r.env, r.env.serving
	switch msg := msg.(type) {
	case serviceStartedMsg:
		current, cmd := s.started(msg)
		switch {
		case !current:
			return cmd
		case msg.err == nil:
			r.notice = s.notice()
			return cmd
		case problem.CodeOf(msg.err) == CodeAddressInUse && !s.request.AnyPort && r.mayAsk():
			return r.push(newQuestion(e, s.anyPortQuestion(msg.err)))
		}
		r.notice = e.errorNotice(msg.err)
	case serviceNewsMsg:
		ended, cmd := s.news(msg)
		if ended {
			r.notice = notice{e.words.Error(s.err) + " s serves again.", noticeFailure}
		}
		return cmd
	case servingStoppedMsg:
		r.notice = notice{"Stopped serving.", noticeInfo}
	case tickMsg:
		return s.count()
	}
	return nil
}

// mayAsk reports whether a question may come up by itself: nobody types, and no other is
// asked.
func (r *root) mayAsk() bool {
	mode := r.top().mode()
	return !mode.dialog && !mode.typing
}

// notice says where agents are served, and what to do next.
func (s *serving) notice() notice {
	text := "Serving at " + s.service.URL() + "."
	switch {
	case s.servesNothing():
		return notice{text + " No graph is connected and enabled yet, so agents find nothing until one is.", noticeFailure}
	case !s.service.KeepsAddress():
		return notice{text + " This port is for this time alone, so clients are better not registered for good with it. v shows what agents do.", noticeFailure}
	}
	return notice{text + " v shows what agents do, and how to connect one.", noticeSuccess}
}

// anyPortQuestion is asked where the usual port is taken; err says by whom.
func (s *serving) anyPortQuestion(err error) question {
	what, _ := s.env.words.Explain(err)
	request := s.request
	request.AnyPort = true
	return question{
		title: "The port is taken", safe: "Do not serve", other: "Serve on another port",
		text:    what + "\nAnother port can be used for this time. Clients that are registered for the usual one don't find it, and the next time it is another one again.",
		confirm: func() (action, tea.Cmd) { return back{}, s.serve(request) },
	}
}
