package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/localapi"
	"roam-mcp/tui/kit"
)

// tokenForm takes a token that a person has made in Roam. The token is never drawn.
type tokenForm struct {
	env   *env
	graph string
	text  *string
	form  *kit.Form
	use   func(localapi.Token) tea.Cmd
}

var _ screen = (*tokenForm)(nil)

func newTokenForm(e *env, graph string, use func(localapi.Token) tea.Cmd) *tokenForm {
	text := ""
	check := func() string {
		if strings.TrimSpace(text) == "" {
			return ""
		}
		_, err := localapi.ParsePastedToken(text)
		return e.errorText(err)
	}
	return &tokenForm{env: e, graph: graph, text: &text, use: use, form: kit.NewForm(&e.Look, kit.TextField{Title: "Token", Limit: 256, Hidden: true, Value: &text, Check: check})}
}

func (s *tokenForm) title() string { return "Token of " + s.env.Glyphs.Cut(s.graph, 30) }

func (s *tokenForm) mode() mode { return mode{typing: true} }

func (s *tokenForm) update(msg tea.Msg) (action, tea.Cmd) {
	left, sent := s.env.typeInto(s.form, msg)
	if !sent {
		return left, nil
	}
	token, err := localapi.ParsePastedToken(*s.text)
	if err != nil {
		return nil, nil // empty
	}
	*s.text = ""
	return back{}, s.use(token)
}

// tokenFormAbout returns where such a token comes from.
func (e *env) tokenFormAbout() string {
	if e.options.Sandbox {
		return "The sandbox makes no tokens by hand, but knows those that it has granted. Paste one here; it is not shown."
	}
	return "Open the graph in Roam and make a token under Settings > Graph > Local API Tokens. Roam shows it once. Paste it here; it is not shown."
}

func (s *tokenForm) keys() []key.Binding {
	return []key.Binding{kit.Relabel(s.env.keys.enter, "check it"), kit.Relabel(s.env.keys.esc, "back")}
}

func (s *tokenForm) view(width, height int) []string {
	return s.form.View(s.env.tokenFormAbout(), width, height)
}
