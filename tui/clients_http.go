package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/clients"
	"roam-mcp/tui/kit"
)

// httpClientsScreen shows how clients reach a server that runs.
type httpClientsScreen struct {
	env      *env
	about    string
	snippets []clients.Snippet
	selected int // index of the snippet that is copied
	scroll   kit.Scroll
}

var _ screen = (*httpClientsScreen)(nil)

func newHTTPClientsScreen(e *env, service Service, profile string) *httpClientsScreen {
	about := "While it runs, clients reach the server at " + service.URL() + ", with the token from " + e.words.Path(service.TokenPath()) +
		". The token stays the same the next time, and so does the address while its port is free."
	if !service.KeepsAddress() {
		about = "The usual port is taken: do not register clients for good with " + service.URL() + ", which is for this time alone. The token is in " + e.words.Path(service.TokenPath()) + "."
	}
	return &httpClientsScreen{env: e, snippets: HTTPSnippets(service, profile, e.words), about: about}
}

// HTTPSnippets are what clients on this computer are told of a server that runs, with a
// profile that is not the usual one, or "".
func HTTPSnippets(service Service, profile string, words Wording) []clients.Snippet {
	name := "roam"
	if words.Sandbox {
		name = "roam-sandbox"
	}
	server := clients.Server{Name: name}.With(clients.Choice{Profile: profile})
	return clients.HTTPSnippets(server.Name, service.URL(), words.Path(service.TokenPath()))
}

func (s *httpClientsScreen) title() string { return "How to connect" }

func (s *httpClientsScreen) mode() mode {
	return mode{inView: true, allowsPanelKeys: true, polls: true}
}

func (s *httpClientsScreen) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	k := s.env.keys
	switch {
	case key.Matches(press, k.esc):
		return back{}, nil
	case key.Matches(press, k.copy) && len(s.snippets) > 0:
		return nil, s.env.copy("the text", s.snippets[s.selected].Text)
	case key.Matches(press, k.next) && len(s.snippets) > 0:
		s.selected = (s.selected + 1) % len(s.snippets)
	default:
		s.scroll.HandleKey(k.ScrollKeys, press)
	}
	return nil, nil
}

func (s *httpClientsScreen) keys() []key.Binding {
	k := s.env.keys
	out := []key.Binding{kit.Relabel(k.copy, "copy for "+s.snippets[s.selected].Client), kit.Relabel(k.next, "the next text")}
	out = append(out, k.scrolling(&s.scroll)...)
	return append(out, k.esc)
}

func (s *httpClientsScreen) view(width, height int) []string {
	e := s.env
	lines := append(kit.Paragraph(e.Theme.Text, s.about, width), "")
	for i, snippet := range s.snippets {
		head := e.Theme.Text.Render(snippet.Client)
		if snippet.Where != "" {
			head += e.Theme.Muted.Render("  " + snippet.Where)
		}
		lines = append(lines, e.Row(head, width, i == s.selected))
		text := e.literal(snippet.Text, width-8)
		if snippet.Where == "" {
			text = kit.Styled(e.Theme.Link, kit.Command(snippet.Text, width-8))
		}
		lines = append(append(lines, kit.Indent(text, 5)...), "")
	}
	return s.scroll.View(e.Look, lines, height)
}
