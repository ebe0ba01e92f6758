package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// connectForm is the form before an exchange: access level, nickname, description. One
// enter asks Roam.
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
	nickname := manage.ProposedNickname(e.roster.Config, g)
	level, description := localapi.Full, e.options.Description
	s := &connectForm{env: e, graph: g, public: public, nickname: &nickname, level: &level, description: &description}
	fields := []kit.Field{nicknameField(e, g, &nickname), descriptionField(&description)}
	if public {
		level = localapi.ReadOnly // other people's graphs can be read, no more
	} else {
		fields = append([]kit.Field{levelField(&level)}, fields...)
	}
	s.form = kit.NewForm(&e.Look, fields...)
	return s
}

// textField asks for what a field of the wording describes.
func textField(f Field, value *string) kit.TextField {
	return kit.TextField{Title: f.Title, Description: f.About, Limit: f.Limit, Value: value, Check: func() string { return f.Check(*value) }}
}

func descriptionField(value *string) kit.TextField { return textField(DescriptionField(), value) }

func nicknameField(e *env, g localapi.Graph, value *string) kit.TextField {
	return textField(e.words.Nickname(e.roster, g), value)
}

func levelField(level *localapi.AccessLevel) kit.Field {
	words := func(l localapi.AccessLevel) string {
		return l.Words() + strings.Repeat(" ", max(15-len(l.Words()), 1)) + l.Explain()
	}
	return kit.Choice[localapi.AccessLevel]{Title: "Access", Description: AboutAccess, Options: localapi.RequestableLevels(), Label: words, Value: level}
}

func (s *connectForm) title() string { return "Connect " + s.env.Glyphs.Cut(s.graph.Name, 36) }

func (s *connectForm) mode() mode { return mode{typing: true} }

func (s *connectForm) update(msg tea.Msg) (action, tea.Cmd) {
	left, sent := s.env.typeInto(s.form, msg)
	if !sent {
		return left, nil
	}
	authorization, err := manage.Connect(s.env.roster.Config, s.graph, manage.Options{
		Nickname: *s.nickname, AccessLevel: *s.level, Public: s.public, Description: typedDescription(*s.description),
	})
	if err != nil {
		return s.env.complain(err), nil
	}
	return replace{newExchangeScreen(s.env, authorization)}, nil
}

// typedDescription returns a description as Roam is given it.
func typedDescription(text string) string { return strings.TrimSpace(kit.Sanitize(text)) }

func (s *connectForm) keys() []key.Binding {
	k := s.env.keys
	out := []key.Binding{kit.Relabel(k.enter, "ask Roam")}
	switch {
	case s.form.OnLast():
		out = append(out, kit.Relabel(k.previous, "nickname"))
	case !s.public && s.form.Focused() == 0:
		out = append(out, kit.Relabel(k.chooseRow, "access"), kit.Relabel(k.next, "nickname"))
	default:
		out = append(out, kit.Relabel(k.next, "what Roam shows"))
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
	lines := s.env.path.above(s.form.View(about, width, height), 1, height)
	if s.level.CanAppend() {
		lines = s.env.historyNote(lines, width, height)
	}
	return lines
}

// newByNameForm asks for a graph's name: one that Roam does not list.
func newByNameForm(e *env) screen {
	name := ""
	return &formScreen{
		env: e, form: kit.NewForm(&e.Look, textField(GraphNameField(), &name)), name: "Connect by name",
		intro:    func() string { return e.words.AboutGraphName(e.roster) },
		bindings: enterDoes("next"), leaving: "cancel",
		submit: func() (action, tea.Cmd) {
			graph := strings.TrimSpace(name)
			if graph == "" {
				return nil, nil
			}
			a, cmd := e.openConnectForm(e.roster.Named(graph))
			if form, ok := a.(open); ok { // it takes this one's place
				a = replace(form)
			}
			return a, cmd
		},
	}
}
