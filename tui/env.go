package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
	"roam-mcp/tui/wording"
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

	words  wording.Wording
	roster *manage.Roster
	// rowCache is what rows returns, made at revision rowCacheRevision.
	rowCache         []row
	rowCacheRevision int
	widest           widest
	removed          manage.Removals
	// clients is how the clients on this computer stand; nil before that is known.
	clients *clientsMsg
	serving *serving
	// pendingWrites counts the commands that have to end before the program does:
	// changes of the configuration, and exchanges being closed.
	pendingWrites int

	lastID int
}

func newEnv(ctx context.Context, ports Ports, options Options) *env {
	look := kit.NewLook(options.Theme, options.Environ)
	e := &env{
		ctx: ctx, ports: ports, options: options,
		words: options.Wording(ports.Graphs.Path, ports.Desk != nil), roster: manage.NewRoster(),
		Look: look, keys: newKeys(look.Glyphs), now: ports.Graphs.Now(),
		after: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
	e.serving = &serving{env: e}
	return e
}

// nextID returns a number for a piece of work. Late answers of work that was replaced
// are told by it.
func (e *env) nextID() int {
	e.lastID++
	return e.lastID
}

// spinner returns the sign of work under way. It turns once a second.
func (e *env) spinner() string { return e.Glyphs.SpinnerAt(e.now) }

// copy returns a command that copies text. what names the text: "the path".
func (e *env) copy(what, text string) tea.Cmd {
	return kit.Clipboard(e.ports.Copy).Copy(e.ctx, what, text)
}

// sign returns how the sign of a sentence is drawn.
func (e *env) sign(sign wording.Sign) kit.Sign {
	g, t := e.Glyphs, e.Theme
	switch sign {
	case wording.SignOff:
		return kit.NewSign(g.Off, "", t.Muted)
	case wording.SignDone:
		return kit.NewSign(g.On, "", t.Success)
	case wording.SignWarning:
		return kit.NewSign(g.Warning, "", t.Warning)
	case wording.SignFailed:
		return kit.NewSign(g.Failed, "", t.Danger)
	case wording.SignBusy:
		return kit.NewSign(e.spinner(), "", t.Accent)
	case wording.SignStalled:
		return kit.NewSign(e.spinner(), "", t.Warning)
	case wording.SignNone:
	}
	return kit.NewSign(g.None, "", t.Muted)
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
	// kept is set after a token was granted, which its screen reports.
	kept *manage.Kept
	// renamed is set after a rename which entries of clients have to follow.
	renamed []change
	// late is set where a token was granted as its screen was left.
	late bool
}

// trackWrite adds a command to pendingWrites. Its answer, a configWrittenMsg, an
// importedMsg or an exchangeClosedMsg, takes it off again.
func (e *env) trackWrite(cmd tea.Cmd) tea.Cmd {
	e.pendingWrites++
	return cmd
}

// writeConfig returns a command that changes the configuration and reads it back.
func (e *env) writeConfig(done string, change func(context.Context, *manage.Manager) error) (id int, cmd tea.Cmd) {
	return e.writeConfigWith(func(ctx context.Context, graphs *manage.Manager) configWrittenMsg {
		return configWrittenMsg{err: change(ctx, graphs), done: done}
	})
}

// writeConfigWith is writeConfig for a change that says more than an error.
func (e *env) writeConfigWith(change func(context.Context, *manage.Manager) configWrittenMsg) (id int, cmd tea.Cmd) {
	id = e.nextID()
	ctx, graphs := e.ctx, e.ports.Graphs
	return id, e.trackWrite(func() tea.Msg {
		msg := change(ctx, graphs)
		msg.id = id
		msg.config, msg.loadErr = graphs.Load(ctx)
		return msg
	})
}
