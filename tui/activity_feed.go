package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/mcpserve/activity"
	"roam-mcp/tui/kit"
)

// callKey tells the calls of the feed apart.
type callKey struct {
	server string
	number uint64
}

// feedCall is a call of any server. own is nil where this program does not run the server:
// then nobody here knows what was sent and what came back.
type feedCall struct {
	activity.LoggedCall
	own *ownCall
}

func (c feedCall) key() callKey { return callKey{c.Server, c.Number} }

// activityFeed lists the calls of all servers, in the order in which they started.
type activityFeed struct {
	env     *env
	id      int // of the watching; 0: none
	reading bool
	again   bool // there is news that no reading has
	cancel  context.CancelFunc
	ctx     context.Context

	servers []activity.Server
	others  []activity.LoggedCall
	calls   []feedCall
	table   kit.Table // of calls
}

// activityReadMsg has the log of all servers.
type activityReadMsg struct {
	id      int
	servers []activity.Server
	calls   []activity.LoggedCall
	err     error
}

// start begins to follow the log of all servers.
func (f *activityFeed) start() tea.Cmd {
	f.list()
	port := f.env.ports.Activity
	if port == nil {
		return nil
	}
	f.ctx, f.cancel = context.WithCancel(f.env.ctx)
	f.reading = false
	var watch tea.Cmd
	f.id, watch = f.env.follow(f.ctx, port.Watch)
	return watch
}

func (f *activityFeed) close() {
	if f.cancel != nil {
		f.cancel()
	}
}

// read returns a command that reads the log, one reading at a time.
func (f *activityFeed) read() tea.Cmd {
	if !f.again || f.reading {
		return nil
	}
	f.again, f.reading = false, true
	id, ctx, port := f.id, f.ctx, f.env.ports.Activity
	return func() tea.Msg {
		msg := activityReadMsg{id: id}
		if msg.servers, msg.err = port.Servers(ctx); msg.err == nil {
			msg.calls, msg.err = port.Calls(ctx, keptCalls)
		}
		return msg
	}
}

// update takes news of the log and of the embedded server.
func (f *activityFeed) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case newsMsg:
		if msg.id != f.id {
			return nil
		}
		f.again = true
		return f.read()
	case activityReadMsg:
		if msg.id != f.id {
			return nil
		}
		f.reading = false
		if msg.err == nil {
			f.servers, f.others = msg.servers, msg.calls
			f.list()
		}
		return f.read()
	case serviceNewsMsg, serviceStartedMsg, servingStoppedMsg:
		f.list()
	}
	return nil
}

// list makes the list anew. The calls of the embedded server are those that it told of
// itself.
func (f *activityFeed) list() {
	own := f.env.serving.own
	mine := map[string]bool{}
	f.calls = nil
	for i := range own {
		mine[own[i].server] = true
		f.calls = append(f.calls, feedCall{own[i].shared(), &own[i]})
	}
	if service := f.env.serving.service; service != nil {
		mine[service.ServerID()] = true
	}
	for _, call := range f.others {
		if !mine[call.Server] {
			f.calls = append(f.calls, feedCall{LoggedCall: call})
		}
	}
	slices.SortStableFunc(f.calls, func(a, b feedCall) int { return a.At.Compare(b.At) })
	if extra := len(f.calls) - keptCalls; extra > 0 {
		f.calls = slices.Clone(f.calls[extra:])
	}
	f.measure()
}

func (f *activityFeed) indexOf(key callKey) int {
	return slices.IndexFunc(f.calls, func(c feedCall) bool { return c.key() == key })
}

// runs reports whether a call that has not ended still goes on: its server may have been
// killed, or the news of its end dropped.
func (f *activityFeed) runs(c feedCall) bool {
	if c.own != nil {
		s := f.env.serving
		return s.service != nil && s.service.ServerID() == c.Server && !(s.dropped > 0 && s.counters.Running == 0)
	}
	return slices.ContainsFunc(f.servers, func(s activity.Server) bool { return s.ID == c.Server && s.Alive })
}

// serverOf says which server a call was made to.
func (f *activityFeed) serverOf(c feedCall) string {
	if c.own != nil {
		return "this program"
	}
	for _, s := range f.servers {
		if s.ID == c.Server {
			return kindWords(s)
		}
	}
	return "another server"
}

// kindWords says what kind of server it is.
func kindWords(s activity.Server) string {
	switch s.Kind {
	case activity.KindHTTP:
		return "a server at " + kit.Sanitize(s.Address)
	case activity.KindSetup:
		return "a setup program at " + kit.Sanitize(s.Address)
	}
	return "a server that the client started"
}

// living returns the other servers that live, each in a few words: "claude-code", "cursor",
// "http://127.0.0.1:8080/mcp".
func (f *activityFeed) living() (words []string) {
	for _, s := range f.servers {
		service := f.env.serving.service
		if !s.Alive || service != nil && s.ID == service.ServerID() {
			continue
		}
		var names []string
		for _, c := range s.Clients {
			names = append(names, kit.Sanitize(c.Name))
		}
		word := strings.Join(names, "+")
		if s.Kind != activity.KindStdio {
			word = strings.TrimSpace(kit.Sanitize(s.Address) + " " + word)
		}
		if word == "" {
			word = "one since " + s.Started.Format(time.TimeOnly)
		}
		words = append(words, word)
	}
	return words
}
