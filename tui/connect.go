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

// maxDescription bounds what Roam's dialog is given to show, in characters.
const maxDescription = 120

// connectForm is the form before an exchange: nickname, access level, description.
type connectForm struct {
	env         *env
	graph       localapi.Graph
	public      bool // Roam does not list the graph: it is somebody else's
	nickname    *string
	level       *localapi.AccessLevel
	description *string
	form        *kit.Form
}

var _ screen = (*connectForm)(nil)

func newConnectForm(e *env, g localapi.Graph, public bool) *connectForm {
	nickname := e.config.UniqueNickname(localapi.DefaultNickname(g.Name))
	level, description := localapi.Full, e.options.Description
	s := &connectForm{env: e, graph: g, public: public, nickname: &nickname, level: &level, description: &description}
	fields := []kit.Field{nicknameField(e, g, &nickname)}
	if public {
		level = localapi.ReadOnly // other people's graphs can be read, no more
	} else {
		fields = append(fields, levelField(&level))
	}
	s.form = kit.NewForm(&e.Look, append(fields, descriptionField(&description))...)
	return s
}

// descriptionField is a field for the words with which Roam's dialog names us.
func descriptionField(value *string) kit.TextField {
	return kit.TextField{
		Title: "Shown in Roam", Description: "How Roam's dialog and its list of tokens name this.", Limit: maxDescription, Value: value,
		Check: func() string {
			if strings.TrimSpace(kit.Sanitize(*value)) == "" {
				return "Roam needs a few words on who asks."
			}
			return ""
		},
	}
}

func levelField(level *localapi.AccessLevel) kit.Field {
	words := func(l localapi.AccessLevel) string {
		return l.Words() + strings.Repeat(" ", max(15-len(l.Words()), 1)) + l.Explain()
	}
	return kit.Choice[localapi.AccessLevel]{Title: "Access", Description: AccessAbout, Options: localapi.RequestableLevels(), Label: words, Value: level}
}

func (s *connectForm) title() string { return "Connect " + s.env.Glyphs.Cut(s.graph.Name, 36) }

func (s *connectForm) mode() mode { return mode{typing: true} }

func (s *connectForm) update(msg tea.Msg) (action, tea.Cmd) {
	left, sent := s.env.typeInto(s.form, msg)
	if !sent {
		return left, nil
	}
	nickname, err := configstore.NormalizeNickname(*s.nickname)
	if err != nil {
		return s.env.complain(err), nil
	}
	request := exchange.Request{
		Graph: s.graph, AccessLevel: *s.level, Public: s.public,
		Description: strings.TrimSpace(kit.Sanitize(*s.description)),
	}
	entry := configstore.Entry{Name: s.graph.Name, Type: s.graph.Type, Nickname: nickname}
	return replace{newExchangeScreen(s.env, request, entry)}, nil
}

func (s *connectForm) keys() []key.Binding {
	k := s.env.keys
	enter := kit.Relabel(k.enter, "next")
	if s.form.OnLast() {
		enter = kit.Relabel(k.enter, "ask Roam")
	}
	out := []key.Binding{enter, kit.Relabel(k.previous, "previous")}
	if !s.public && s.form.Focused() == 1 {
		out = append(out, k.chooseRow)
	}
	return append(out, kit.Relabel(k.esc, "cancel"))
}

func (s *connectForm) view(width, height int) []string {
	about := "A graph hosted by Roam."
	if s.graph.Type == localapi.Offline {
		about = "An offline graph, on this machine."
	}
	if s.public {
		about = "Not listed by Roam, so it is asked for as somebody's public graph: read only."
	}
	if height < kit.RoomyHeight && !s.public {
		about = ""
	}
	return s.form.View(about, width, height)
}

// byNameForm asks for a graph's name: one that Roam does not list.
type byNameForm struct {
	env  *env
	name *string
	form *kit.Form
}

var _ screen = (*byNameForm)(nil)

func newByNameForm(e *env) *byNameForm {
	name := ""
	return &byNameForm{env: e, name: &name, form: kit.NewForm(&e.Look, nameField(&name))}
}

// nameField is a field for a graph's name, which may stay empty.
func nameField(value *string) kit.TextField {
	return kit.TextField{
		Title: "Name of the graph", Description: "As in its address: roamresearch.com/#/app/NAME", Limit: 128, Value: value,
		Check: func() string {
			if trimmed := strings.TrimSpace(*value); trimmed != "" && !localapi.ValidGraphName(trimmed) {
				return "A graph's name holds letters, digits, - and _ only."
			}
			return ""
		},
	}
}

func (s *byNameForm) title() string { return "Connect by name" }

func (s *byNameForm) mode() mode { return mode{typing: true} }

func (s *byNameForm) update(msg tea.Msg) (action, tea.Cmd) {
	left, sent := s.env.typeInto(s.form, msg)
	if !sent {
		return left, nil
	}
	name := strings.TrimSpace(*s.name)
	if name == "" {
		return nil, nil
	}
	for _, r := range s.env.rows() {
		switch {
		case r.graph.Name != name:
		case r.configured:
			return inform(name + " is connected already, as " + r.entry.Nickname + "."), nil
		default:
			return s.replaced(s.env.openConnectForm(r.graph, false))
		}
	}
	return s.replaced(s.env.openConnectForm(localapi.Graph{Name: name, Type: localapi.Hosted}, s.env.graphListKnown()))
}

// replaced lets the next form take this one's place.
func (s *byNameForm) replaced(a action, cmd tea.Cmd) (action, tea.Cmd) {
	if o, ok := a.(open); ok {
		return replace(o), cmd
	}
	return a, cmd
}

// byNameAbout says which graphs are asked for by name.
func (e *env) byNameAbout() string {
	if e.roam.partial {
		return "This build of Roam lists the graphs that are open, and no others. Type the name of any other graph."
	}
	if !e.graphListKnown() {
		return "Roam's list of graphs is not known now. Type the name of one of yours; for somebody's public graph wait until Roam answers."
	}
	return "Other people's public graphs are not in Roam's list. Type the name of one to ask for read access."
}

func (s *byNameForm) keys() []key.Binding {
	return []key.Binding{kit.Relabel(s.env.keys.enter, "next"), kit.Relabel(s.env.keys.esc, "cancel")}
}

func (s *byNameForm) view(width, height int) []string {
	return s.form.View(s.env.byNameAbout(), width, height)
}
