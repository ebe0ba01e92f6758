package tui

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/tui/kit"
)

// env is what all screens share: the ports, the look, and what is known of the
// world. The root alone changes it.
type env struct {
	ctx     context.Context
	ports   Ports
	options Options
	kit.Look
	keys keys
	now  time.Time
	// after sends a message later; tests put their own here.
	after func(time.Duration, tea.Msg) tea.Cmd

	config      configstore.Config
	configErr   error
	configKnown bool
	roam        roamState
	checks      map[tokenKey]tokenCheck
	// rowCache is the list without a filter, made anew when revision has moved on.
	rowCache         []row
	rowCacheRevision int
	widest           widest
	revision         int
	// removed are the entries that u puts back, the newest last.
	removed []configstore.Removed
	// pendingWrites counts what has to come to its end before the program does: changes
	// of the configuration, and exchanges that were left.
	pendingWrites int

	lastID int
}

// roamState is what the last look at Roam has shown.
type roamState struct {
	known     bool
	err       error
	address   string
	version   string // of the Local API; may be empty
	open      []localapi.Graph
	available []localapi.Graph
	partial   bool // see localapi.Listing
}

// tokenKey tells the tokens of a graph apart, so that an answer about an old one
// says nothing of its successor.
type tokenKey struct {
	graph localapi.Graph
	token localapi.Token
}

func keyOf(entry configstore.Entry) tokenKey { return tokenKey{entry.Graph(), entry.Token} }

// tokenCheck is what Roam last said of a token.
type tokenCheck struct {
	info localapi.TokenInfo
	at   time.Time
	took time.Duration
}

func newEnv(ctx context.Context, ports Ports, options Options) *env {
	if ports.Now == nil {
		ports.Now = time.Now
	}
	look := kit.NewLook(options.Environ)
	return &env{
		ctx: ctx, ports: ports, options: options,
		Look: look, keys: newKeys(look.Glyphs), now: ports.Now(),
		checks: make(map[tokenKey]tokenCheck), revision: 1,
		after: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
}

// nextID numbers a piece of work, so that its late answer can be told from that
// of the work that has replaced it.
func (e *env) nextID() int {
	e.lastID++
	return e.lastID
}

// roamName is what the Roam of this run is called.
func (e *env) roamName() string {
	if e.options.Sandbox {
		return "Roam (sandbox)"
	}
	return "Roam Desktop"
}

// shortPath writes a path with ~ for the home folder.
func (e *env) shortPath(path string) string {
	home := kit.Getenv(e.options.Environ, "HOME")
	if home == "" {
		return path
	}
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(home, "/")+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// spinner is the sign of what is under way; it turns once a second.
func (e *env) spinner() string { return e.Glyphs.SpinnerAt(e.now) }

// copy returns a command that puts a text into the clipboard; what names it.
func (e *env) copy(what, text string) tea.Cmd {
	return kit.Clipboard(e.ports.Copy).Copy(e.ctx, what, text)
}

func (e *env) configPath() string { return e.shortPath(e.ports.Store.Path()) }

// graphListKnown reports whether Roam has told which graphs there are. Until then one
// that is not listed may be a person's own.
func (e *env) graphListKnown() bool { return e.roam.known && e.roam.err == nil && !e.roam.partial }

// configUnreadable reports whether the configuration never could be read, so that
// nobody knows which graphs are connected.
func (e *env) configUnreadable() bool { return e.configErr != nil && len(e.config.Entries) == 0 }

// listed reports whether Roam lists a graph, as open or as available.
func (e *env) listed(graph localapi.Graph) (open, listed bool) {
	for _, g := range e.roam.open {
		if g == graph {
			return true, true
		}
	}
	for _, g := range e.roam.available {
		if g == graph {
			return false, true
		}
	}
	return false, false
}

// explain gives the two sentences of an error: what happened and what to do.
func explain(err error) (what, todo string) {
	var explainer localapi.Explainer
	if errors.As(err, &explainer) {
		explanation := explainer.Explain()
		return kit.Sanitize(explanation.What), kit.Sanitize(explanation.Todo)
	}
	if err == nil {
		return "", ""
	}
	return localapi.Sentence(kit.Sanitize(err.Error())), ""
}

// errorText gives what happened and what to do in one text; empty for no error.
func errorText(err error) string {
	what, todo := explain(err)
	return strings.TrimSpace(what + " " + todo)
}

// configWrittenMsg tells that a change of the configuration is done, or is not.
type configWrittenMsg struct {
	id      int
	err     error
	config  configstore.Config
	loadErr error
	// done says what was done, for the person.
	done string
	// removed is set after a removal, putBack after a try to undo one.
	removed, putBack *configstore.Removed
	// quiet: whoever asked for the change tells of it.
	quiet bool
}

// trackWrite counts a command that has to come to its end; its answer, which is a
// storedMsg, an importedMsg or a closedMsg, takes it off again.
func (e *env) trackWrite(cmd tea.Cmd) tea.Cmd {
	e.pendingWrites++
	return cmd
}

// writeConfig is a command that changes the configuration and reads it back.
func (e *env) writeConfig(done string, change func(context.Context, Store) error) (id int, cmd tea.Cmd) {
	id = e.nextID()
	ctx, store := e.ctx, e.ports.Store
	return id, e.trackWrite(func() tea.Msg {
		err := change(ctx, store)
		config, loadErr := store.Load(ctx)
		return configWrittenMsg{id: id, err: err, config: config, loadErr: loadErr, done: done}
	})
}
