package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
)

// reauthorize is the form before a new token of a configured graph is asked for:
// the level may be another one than before. The old token stays until the new
// one is saved.
type reauthorize struct {
	env         *env
	entry       configstore.Entry
	level       *localapi.AccessLevel
	description *string
	form        *form
}

var _ screen = (*reauthorize)(nil)

// reauthorization is the request for a new token of a configured graph, with the
// level that it has. A graph that Roam does not list is somebody else's public one.
func (e *env) reauthorization(entry configstore.Entry, level localapi.AccessLevel) exchange.Request {
	if _, err := localapi.ParseAccessLevel(string(level)); err != nil {
		level = localapi.Full
	}
	_, listed := e.listed(entry.Graph())
	return exchange.Request{
		Graph: entry.Graph(), AccessLevel: level, Description: e.options.Description,
		Public: !listed && e.roam.err == nil && len(e.roam.available) > 0,
	}
}

// newReauthorize is the form for it; of a public graph there is nothing to choose.
func newReauthorize(e *env, entry configstore.Entry, level localapi.AccessLevel) screen {
	request := e.reauthorization(entry, level)
	if request.Public {
		return newAsking(e, request, entry)
	}
	level = request.AccessLevel
	description := e.options.Description
	s := &reauthorize{env: e, entry: entry, level: &level, description: &description}
	s.form = newForm(&e.look, levelField(s.level), descriptionField(s.description))
	s.form.sendsFrom = 0 // mostly it is the same again
	return s
}

func (s *reauthorize) title() string {
	return "Re-authorize " + s.env.glyphs.cut(s.entry.Nickname, 30)
}

func (s *reauthorize) mode() mode { return mode{typing: true} }

func (s *reauthorize) update(msg tea.Msg) (action, tea.Cmd) {
	left, sent := s.env.typeInto(s.form, msg)
	if !sent {
		return left, nil
	}
	request := exchange.Request{
		Graph: s.entry.Graph(), AccessLevel: *s.level, Description: strings.TrimSpace(plain(*s.description)),
	}
	return replace{newAsking(s.env, request, s.entry)}, nil
}

func (s *reauthorize) keys() []key.Binding {
	k := s.env.keys
	out := []key.Binding{named(k.enter, "ask Roam")}
	if s.form.focused() == 0 {
		out = append(out, k.choices, named(k.next, "what Roam shows"))
	} else {
		out = append(out, named(k.prev, "previous"))
	}
	return append(out, named(k.esc, "cancel"))
}

func (s *reauthorize) view(width, height int) []string {
	text := "Roam asks you whether to give " + s.entry.Name + " a new token. The one you have is kept until then."
	lines := append(indent(render(s.env.theme.muted, text, min(width-4, proseWidth)), 2), "")
	return append(lines, indent(s.form.view(width-4, height-len(lines)), 2)...)
}
