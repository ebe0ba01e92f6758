package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// toggleServing starts to serve every enabled graph, or stops. It asks before clients lose
// their server.
func (e *env) toggleServing() (action, tea.Cmd) {
	s := e.serving
	switch {
	case e.ports.Serve == nil:
		return inform(e.words.Todo(problem.Say("Serving over HTTP is not possible here. Elsewhere this does it: %s", problem.Run("serve").With("--http")))), nil
	case s.stage == notServing:
		return nil, s.serve(ServeRequest{})
	case len(s.clients) > 0:
		return open{newQuestion(e, s.stopQuestion(func() (action, tea.Cmd) { return back{}, e.stopServing() }))}, nil
	}
	return nil, e.stopServing()
}

// serveKey returns the key that serves, or stops that.
func (e *env) serveKey() key.Binding {
	if e.serving.stage == notServing {
		return e.keys.serve
	}
	return kit.Relabel(e.keys.serve, "stop serving")
}

// servingStoppedMsg reports that the server was stopped, so that the root says so.
type servingStoppedMsg struct{}

func (e *env) stopServing() tea.Cmd {
	stop := e.serving.stop()
	return func() tea.Msg {
		if stop != nil {
			stop()
		}
		return servingStoppedMsg{}
	}
}

// serveHere serves a profile and one graph alone, and shows what agents do. "" stands for the
// usual profile and for every enabled graph.
func (e *env) serveHere(profile, graph string) (action, tea.Cmd) {
	s := e.serving
	request := ServeRequest{Profile: profile, Graph: graph}
	switch {
	case e.ports.Serve == nil:
		return e.toggleServing()
	case s.stage != notServing && s.request == request:
		return open{newActivityScreen(e)}, nil
	case len(s.clients) > 0:
		return open{newQuestion(e, s.stopQuestion(func() (action, tea.Cmd) {
			return replace{newActivityScreen(e)}, s.serve(request)
		}))}, nil
	}
	return open{newActivityScreen(e)}, s.serve(request)
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
			r.notice = e.servingNotice()
			return cmd
		case problem.CodeOf(msg.err) == CodeAddressInUse && !s.request.AnyPort && r.mayAsk():
			return r.push(newQuestion(e, e.anyPortQuestion(msg.err)))
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
	_, asked := r.top().(dialog)
	return !asked && !r.top().mode().typing
}

// servingNotice says where agents are served, and what to do next.
func (e *env) servingNotice() notice {
	s := e.serving
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
func (e *env) anyPortQuestion(err error) question {
	what, _ := e.words.Explain(err)
	request := e.serving.request
	request.AnyPort = true
	return question{
		title: "The port is taken", safe: "Do not serve", other: "Serve on another port",
		text:    what + "\nAnother port can be used for this time. Clients that are registered for the usual one don't find it, and the next time it is another one again.",
		confirm: func() (action, tea.Cmd) { return back{}, e.serving.serve(request) },
	}
}
