package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// env is what the screens share, in parts: the look, the configuration, Roam, the way to a
// client, and the server. Only the root and these parts change it.
type env struct {
	ctx     context.Context
	ports   Ports
	options Options
	drawing
	roster *manage.Roster // what is known of the configuration and of Roam
	// rowCache is what rows returns, made at revision rowCacheRevision.
	rowCache         []row
	rowCacheRevision int
	columns          kit.Table // of these

	config  *configWriter
	roam    *roam
	path    *path
	serving *serving

	// after sends a message later. Tests replace it.
	after func(time.Duration, tea.Msg) tea.Cmd
	// pendingWrites counts the commands that have to end before the program does:
	// changes of the configuration, and exchanges being closed.
	pendingWrites int
	lastID        int
}

func newEnv(ctx context.Context, ports Ports, options Options) *env {
	look := kit.NewLook(options.Theme, options.Environ)
	e := &env{
		ctx: ctx, ports: ports, options: options, roster: manage.NewRoster(),
		drawing: drawing{
			Look: look, keys: newKeys(look.Glyphs), now: ports.Graphs.Now(),
			words: options.Wording(ports.Graphs.Path, ports.Desk != nil),
		},
		after: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
	e.config, e.roam, e.path, e.serving = &configWriter{env: e}, &roam{env: e}, &path{env: e}, &serving{env: e}
	return e
}

// nextID returns a number for a piece of work. Late answers of work that was replaced
// are told by it.
func (e *env) nextID() int {
	e.lastID++
	return e.lastID
}

// copy returns a command that copies text. what names the text: "the path".
func (e *env) copy(what, text string) tea.Cmd {
	return kit.Clipboard(e.ports.Copy).Copy(e.ctx, what, text)
}

// trackWrite adds a command to pendingWrites. Its answer, a configWrittenMsg, an
// importedMsg or an exchangeClosedMsg, takes it off again.
func (e *env) trackWrite(cmd tea.Cmd) tea.Cmd {
	e.pendingWrites++
	return cmd
}
