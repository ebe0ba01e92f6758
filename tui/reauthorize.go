package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/tui/kit"
)

// reauthorizeForm asks for the level and the description of a new token of a
// configured graph. The old token is kept until the new one is saved.
type reauthorizeForm struct {
	env         *env
	entry       configstore.Entry
	level       *localapi.AccessLevel
	description *string
	form        *kit.Form
}

var _ screen = (*reauthorizeForm)(nil)

// reauthorization returns the request for a new token of a configured graph. A graph
// that Roam does not list is somebody else's public one.
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

// newReauthorizeForm returns the form, or for a public graph, which leaves nothing to
// choose, the exchange.
func newReauthorizeForm(e *env, entry configstore.Entry, level localapi.AccessLevel) screen {
	request := e.reauthorization(entry, level)
	if request.Public {
		return newExchangeScreen(e, request, entry)
	}
	level = request.AccessLevel
	description := e.options.Description
	s := &reauthorizeForm{env: e, entry: entry, level: &level, description: &description}
	s.form = kit.NewForm(&e.Look, levelField(s.level), descriptionField(s.description))
	s.form.SubmitFrom = 0 // the level, which is mostly kept
	return s
}

func (s *reauthorizeForm) title() string {
	return "Re-authorize " + s.env.Glyphs.Cut(s.entry.Nickname, 30)
}

func (s *reauthorizeForm) mode() mode { return mode{typing: true} }

func (s *reauthorizeForm) update(msg tea.Msg) (action, tea.Cmd) {
	left, sent := s.env.typeInto(s.form, msg)
	if !sent {
		return left, nil
	}
	request := exchange.Request{
		Graph: s.entry.Graph(), AccessLevel: *s.level, Description: strings.TrimSpace(kit.Sanitize(*s.description)),
	}
	return replace{newExchangeScreen(s.env, request, s.entry)}, nil
}

func (s *reauthorizeForm) keys() []key.Binding {
	k := s.env.keys
	out := []key.Binding{kit.Relabel(k.enter, "ask Roam")}
	if s.form.Focused() == 0 {
		out = append(out, k.chooseRow, kit.Relabel(k.next, "what Roam shows"))
	} else {
		out = append(out, kit.Relabel(k.previous, "previous"))
	}
	return append(out, kit.Relabel(k.esc, "cancel"))
}

func (s *reauthorizeForm) view(width, height int) []string {
	text := "Roam asks you whether to give " + s.entry.Name + " a new token. The one you have is kept until then."
	return s.form.View(text, width, height)
}
