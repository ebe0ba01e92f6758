package tui

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// env is what the screens share: the ports, the look, and what is known of the
// configuration and of Roam. Only the root changes it.
type env struct {
	ctx     context.Context
	ports   Ports
	options Options
	kit.Look
	keys keys
	now  time.Time
	// after sends a message later. Tests replace it.
	after func(time.Duration, tea.Msg) tea.Cmd

	config      configstore.Config
	configErr   error
	configKnown bool
	roam        roamState
	checks      map[tokenKey]tokenCheck
	// rowCache is what rows returns, made at revision rowCacheRevision.
	rowCache         []row
	rowCacheRevision int
	widest           widest
	revision         int
	// removed are the entries that putBack restores, the newest last.
	removed []configstore.Removed
	// pendingWrites counts the commands that have to end before the program does:
	// changes of the configuration, and exchanges being closed.
	pendingWrites int

	lastID int
}

// roamState is the result of the last poll.
type roamState struct {
	known     bool
	err       error
	address   string
	version   string // of the Local API; may be empty
	open      []localapi.Graph
	available []localapi.Graph
	partial   bool // see localapi.Listing
}

// tokenKey identifies a token of a graph. An answer about a token says nothing of the
// one that replaces it.
type tokenKey struct {
	graph localapi.Graph
	token localapi.Token
}

func keyOf(entry configstore.Entry) tokenKey { return tokenKey{entry.Graph(), entry.Token} }

// tokenCheck is Roam's last answer about a token.
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

// nextID returns a number for a piece of work. Late answers of work that was replaced
// are told by it.
func (e *env) nextID() int {
	e.lastID++
	return e.lastID
}

// roamName returns what the Roam of this run is called.
func (e *env) roamName() string {
	if e.options.Sandbox {
		return "Roam (sandbox)"
	}
	return "Roam Desktop"
}

// shortPath returns a path with ~ for the home folder.
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

// spinner returns the sign of work under way. It turns once a second.
func (e *env) spinner() string { return e.Glyphs.SpinnerAt(e.now) }

// copy returns a command that copies text. what names the text: "the path".
func (e *env) copy(what, text string) tea.Cmd {
	return kit.Clipboard(e.ports.Copy).Copy(e.ctx, what, text)
}

func (e *env) configPath() string { return e.shortPath(e.ports.Store.Path()) }

// graphListKnown reports whether Roam has listed its graphs. Until then a graph that
// is not listed may be the person's own.
func (e *env) graphListKnown() bool { return e.roam.known && e.roam.err == nil && !e.roam.partial }

// configUnreadable reports whether the configuration could never be read, so that
// nobody knows which graphs are connected.
func (e *env) configUnreadable() bool { return e.configErr != nil && len(e.config.Entries) == 0 }

// listed reports whether Roam lists a graph, and whether it is open there.
func (e *env) listed(graph localapi.Graph) (open, listed bool) {
	open = slices.Contains(e.roam.open, graph)
	return open, open || slices.Contains(e.roam.available, graph)
}

// explain returns the two sentences of an error: what happened and what to do.
func (e *env) explain(err error) (what, todo string) {
	if known, ok := problem.As(err); ok {
		return kit.Sanitize(known.Message), kit.Sanitize(e.options.World.Say(known.Hint))
	}
	if err == nil {
		return "", ""
	}
	return problem.Sentence(kit.Sanitize(err.Error())), ""
}

// command returns a command of this program as a person types it in this world.
func (e *env) command(c problem.Command) string { return e.options.World.Command(c) }

// errorText returns what happened and what to do as one text, or "" for nil.
func (e *env) errorText(err error) string {
	what, todo := e.explain(err)
	return strings.TrimSpace(what + " " + todo)
}

// configWrittenMsg reports that a change of the configuration has ended.
type configWrittenMsg struct {
	id      int
	err     error
	config  configstore.Config
	loadErr error
	// done is the sentence that says what was done.
	done string
	// removed is set after a removal, putBack after an attempt to undo one.
	removed, putBack *configstore.Removed
	// quiet is set where the screen that asked for the change reports it itself.
	quiet bool
}

// trackWrite adds a command to pendingWrites. Its answer, a configWrittenMsg, an
// importedMsg or an exchangeClosedMsg, takes it off again.
func (e *env) trackWrite(cmd tea.Cmd) tea.Cmd {
	e.pendingWrites++
	return cmd
}

// writeConfig returns a command that changes the configuration and reads it back. The
// answer carries the id.
func (e *env) writeConfig(done string, change func(context.Context, Store) error) (id int, cmd tea.Cmd) {
	id = e.nextID()
	ctx, store := e.ctx, e.ports.Store
	return id, e.trackWrite(func() tea.Msg {
		err := change(ctx, store)
		config, loadErr := store.Load(ctx)
		return configWrittenMsg{id: id, err: err, config: config, loadErr: loadErr, done: done}
	})
}
