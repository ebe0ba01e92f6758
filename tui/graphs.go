package tui

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
)

// graphs is the first screen: the configured graphs, and what else Roam lists.
type graphs struct {
	env *env
	// selected is a graph rather than a place, so that a refresh moves nothing.
	selected localapi.Graph
	index    int
	// filter narrows the list; filtering while it is typed.
	filter    string
	filtering bool
}

var _ screen = (*graphs)(nil)

func newGraphs(e *env) *graphs { return &graphs{env: e} }

func (s *graphs) title() string { return "" }

func (s *graphs) mode() mode {
	return mode{typing: s.filtering, lendsKeys: !s.filtering, polls: true}
}

// current is the list and the place of the selected row in it; -1 where the list
// is empty.
func (s *graphs) current() ([]row, int) {
	rows := s.env.rows(s.filter)
	for i, r := range rows {
		if r.graph == s.selected {
			return rows, i
		}
	}
	return rows, min(s.index, len(rows)-1)
}

func (s *graphs) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		// The first row is chosen once there is one, and stays chosen.
		if rows, at := s.current(); at >= 0 {
			s.selected, s.index = rows[at].graph, at
		}
		return nil, nil
	}
	if s.filtering {
		s.typeFilter(press)
		return nil, nil
	}
	if s.move(press) {
		return nil, nil
	}
	if a, cmd, done := s.always(press); done {
		return a, cmd
	}
	rows, at := s.current()
	if at < 0 {
		return nil, nil
	}
	if rows[at].configured {
		return s.env.actOn(rows[at], press)
	}
	if key.Matches(press, s.env.keys.enter) {
		return s.env.connect(rows[at].graph, false)
	}
	if a := s.env.notConfigured(press); a != nil {
		return a, nil
	}
	return nil, nil
}

func (s *graphs) move(press tea.KeyPressMsg) bool {
	k := s.env.keys
	rows, at := s.current()
	switch {
	case key.Matches(press, k.up):
		at--
	case key.Matches(press, k.down):
		at++
	case key.Matches(press, k.pageUp):
		at -= 10
	case key.Matches(press, k.pageDown):
		at += 10
	case key.Matches(press, k.first):
		at = 0
	case key.Matches(press, k.last):
		at = len(rows) - 1
	default:
		return false
	}
	if len(rows) > 0 {
		s.index = min(max(at, 0), len(rows)-1)
		s.selected = rows[s.index].graph
	}
	return true
}

// always are the keys that need no graph.
func (s *graphs) always(press tea.KeyPressMsg) (action, tea.Cmd, bool) {
	e, k := s.env, s.env.keys
	switch {
	case key.Matches(press, k.quit):
		return quit{}, nil, true
	case key.Matches(press, k.esc):
		s.filter = ""
		return nil, nil, true
	case key.Matches(press, k.filter):
		s.filtering = true
		return nil, nil, true
	case key.Matches(press, k.connect):
		return open{newByName(e)}, nil, true
	case key.Matches(press, k.serve):
		return open{newServe(e, s.nickname())}, nil, true
	case key.Matches(press, k.take):
		a, cmd := e.startImport()
		return a, cmd, true
	case key.Matches(press, k.open):
		a, cmd := e.openRoam(localapi.Graph{})
		return a, cmd, true
	case key.Matches(press, k.putBack):
		a, cmd := e.putBack()
		return a, cmd, true
	case key.Matches(press, k.mend) && e.modeOpen():
		_, cmd := e.write(e.configPath()+" is now yours alone to read.", func(ctx context.Context, store Store) error { return store.FixMode(ctx) })
		return nil, cmd, true
	}
	return nil, nil, false
}

// nickname of the selected graph, where it is configured.
func (s *graphs) nickname() string {
	if rows, at := s.current(); at >= 0 && rows[at].configured && !rows[at].entry.Disabled {
		return rows[at].entry.Nickname
	}
	return ""
}

func (s *graphs) typeFilter(press tea.KeyPressMsg) {
	k := s.env.keys
	switch {
	case key.Matches(press, k.esc):
		s.filter, s.filtering = "", false
	case key.Matches(press, k.enter):
		s.filtering = false
	case press.String() == "backspace":
		_, size := utf8.DecodeLastRuneInString(s.filter)
		s.filter = s.filter[:len(s.filter)-size]
	case press.Text != "" && len(s.filter) < localapi.TokenLength:
		s.filter += plain(press.Text)
	}
	if rows, at := s.current(); at >= 0 {
		s.selected, s.index = rows[at].graph, at
	}
}

func (s *graphs) keys() []key.Binding {
	e, k := s.env, s.env.keys
	if s.filtering {
		return []key.Binding{named(k.enter, "keep the filter"), named(k.esc, "show all")}
	}
	rows, at := s.current()
	var out []key.Binding
	switch {
	case at >= 0 && rows[at].configured:
		out = append(out, named(k.enter, "details"), k.rename, e.toggleKey(rows[at]), k.reauthorize, k.remove, k.test)
	case at >= 0:
		out = append(out, named(k.enter, "connect"))
	}
	if e.roam.known && e.roam.err != nil && e.ports.OpenRoam != nil {
		out = append(out, k.open)
	}
	if e.modeOpen() {
		out = append(out, k.mend)
	}
	if e.removed != nil {
		out = append(out, named(k.putBack, "put "+e.glyphs.cut(e.removed.Entry.Nickname, 16)+" back"))
	}
	out = append(out, k.connect, k.serve)
	if e.ports.Official != nil {
		out = append(out, k.take)
	}
	if len(rows) > 5 || s.filter != "" {
		out = append(out, k.filter)
	}
	return out
}

// modeOpen reports whether others can read the configuration.
func (e *env) modeOpen() bool {
	for _, p := range e.config.Problems {
		if p.Code == configstore.CodeConfigModeOpen {
			return true
		}
	}
	return false
}

// problems are the sentences on what is the matter with the configuration.
func (e *env) problems() []string {
	if e.configErr != nil {
		what, todo := explain(e.configErr)
		return []string{strings.TrimSpace(what + " " + todo)}
	}
	const most = 2
	var out []string
	for i, p := range e.config.Problems {
		if i == most && len(e.config.Problems) > most+1 {
			return append(out, fmt.Sprintf("%s more in %s: roam-mcp graphs lists them.", plural(len(e.config.Problems)-most, "problem"), e.configPath()))
		}
		advice := p.Advice
		if p.Code == configstore.CodeConfigModeOpen {
			advice = "f closes it."
		}
		out = append(out, plain(strings.TrimSpace(p.Message+" "+advice)))
	}
	return out
}
