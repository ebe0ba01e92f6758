package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// formScreen is a screen that is a form.
type formScreen struct {
	env    *env
	form   *kit.Form
	name   string // the screen's title
	intro  func() string
	submit func() (action, tea.Cmd)
	// bindings are those besides esc.
	bindings func(keys) []key.Binding
	leaving  string // what esc does
	writing  int    // id of the write that closes the screen if it succeeds, or 0
}

var _ screen = (*formScreen)(nil)

func (s *formScreen) title() string { return s.name }

func (s *formScreen) mode() mode { return mode{typing: true} }

func (s *formScreen) update(msg tea.Msg) (action, tea.Cmd) {
	if written, ok := msg.(configWrittenMsg); ok && written.id == s.writing && s.writing != 0 {
		s.writing = 0
		if written.err == nil {
			return back{}, nil
		}
		return nil, nil
	}
	left, submitted := s.env.typeInto(s.form, msg)
	if !submitted || s.writing != 0 {
		return left, nil
	}
	return s.submit()
}

func (s *formScreen) keys() []key.Binding {
	k := s.env.keys
	return append(s.bindings(k), kit.Relabel(k.esc, s.leaving))
}

func (s *formScreen) view(width, height int) []string {
	return s.form.View(s.intro(), width, height)
}

// enterDoes returns the bindings of a form in which enter alone does something.
func enterDoes(what string) func(keys) []key.Binding {
	return func(k keys) []key.Binding { return []key.Binding{kit.Relabel(k.enter, what)} }
}

// renameDialog gives the graph of the screen below another nickname. A clash is shown
// while it is typed.
type renameDialog struct{ *formScreen }

func (d renameDialog) mode() mode { return mode{typing: true, dialog: true} }

func (d renameDialog) view(width, height int) []string {
	inner := min(width, 64) - 4
	return d.env.Box(d.name, d.form.View("", inner, height-2), inner+4)
}

func newRenameDialog(e *env, entry configstore.Entry) screen {
	nickname := entry.Nickname
	s := &formScreen{
		env: e, name: "Rename " + e.Glyphs.Cut(entry.Nickname, 32),
		form: kit.NewForm(&e.Look, nicknameField(e, entry.Graph(), &nickname)), bindings: enterDoes("rename"), leaving: "cancel",
	}
	s.submit = func() (a action, cmd tea.Cmd) {
		if s.writing, cmd = e.config.rename(entry.Nickname, nickname); s.writing == 0 {
			return back{}, nil
		}
		return nil, cmd
	}
	return renameDialog{s}
}

// newReauthorizeForm asks for the level and the description of a new token of a
// configured graph, which keeps the old one until the new one is saved. For a public
// graph there is nothing to choose, and the exchange starts.
func newReauthorizeForm(e *env, entry configstore.Entry) screen {
	entry.AccessLevel = e.roster.AccessLevel(entry)
	authorization, err := manage.Reauthorize(e.roster.Config, entry, manage.Options{Description: e.options.Description})
	if err != nil || e.roster.Omits(entry.Graph()) { // of an entry of the file there is no error
		return newExchangeScreen(e, authorization)
	}
	request := &authorization.Request
	form := kit.NewForm(&e.Look, levelField(&request.AccessLevel), descriptionField(&request.Description))
	return &formScreen{
		env: e, form: form, name: "Re-authorize " + e.Glyphs.Cut(entry.Nickname, 30), leaving: "cancel",
		intro: func() string {
			return "Roam asks you whether to give " + entry.Name + " a new token. The one you have is kept until then."
		},
		submit: func() (action, tea.Cmd) {
			request.Description = typedDescription(request.Description)
			return replace{newExchangeScreen(e, authorization)}, nil
		},
		bindings: func(k keys) []key.Binding {
			ask := kit.Relabel(k.enter, "ask Roam")
			if form.Focused() == 0 {
				return []key.Binding{ask, k.chooseRow, kit.Relabel(k.next, "what Roam shows")}
			}
			return []key.Binding{ask, kit.Relabel(k.previous, "previous")}
		},
	}
}

// newTokenForm takes a token that a person has made in Roam. The token is never drawn.
func newTokenForm(e *env, graph string, use func(localapi.Token) tea.Cmd) screen {
	text := ""
	check := func() string {
		if strings.TrimSpace(text) == "" {
			return ""
		}
		_, err := localapi.ParsePastedToken(text)
		return e.words.Error(err)
	}
	return &formScreen{
		env: e, form: kit.NewForm(&e.Look, kit.TextField{Title: "Token", Limit: 256, Hidden: true, Value: &text, Check: check}),
		name: "Token of " + e.Glyphs.Cut(graph, 30), intro: e.words.AboutToken, bindings: enterDoes("check it"), leaving: "back",
		submit: func() (action, tea.Cmd) {
			token, err := localapi.ParsePastedToken(text)
			if err != nil {
				return nil, nil // empty
			}
			text = ""
			return back{}, use(token)
		},
	}
}
