package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/tui/kit"
)

const (
	// holdLimit is how long keys typed ahead are held back until the configuration
	// and Roam are known. At most maxTypedAhead are held.
	holdLimit     = 1500 * time.Millisecond
	maxTypedAhead = 256
)

// root is the one Bubble Tea model. It owns the stack of screens, the shared state
// and the sandbox's panel, and decides what keys and ctrl+c do.
type root struct {
	env           *env
	stack         []screen
	panel         panel
	views         viewSet
	work          backgroundWork
	width, height int
	notice        notice
	// typedAhead are keys and pasted texts held back until ready.
	typedAhead []tea.Msg
	ready      bool
	// knowsClusters is set if the terminal said that it knows grapheme clusters.
	knowsClusters bool
	// quitAfterWrites is set while the program waits for pendingWrites to end.
	quitAfterWrites bool
	quitting        bool
	next            Next   // what Run returns
	quitWarned      string // the warning that the last ctrl+c gave, or ""
}

var _ tea.Model = (*root)(nil)

func newRoot(ctx context.Context, ports Ports, options Options) *root {
	env := newEnv(ctx, ports, options)
	r := &root{env: env, panel: panel{env: env}, views: viewSet{env: env}, stack: []screen{newGraphList(env)}}
	if options.Todo != "" {
		r.notice = notice{options.Todo, noticeInfo}
	}
	if options.Switched {
		r.notice = notice{env.words.Arrived(), noticeInfo}
	}
	return r
}

// Init implements tea.Model.
func (r *root) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, r.startBackground(), r.env.after(holdLimit, holdTimeoutMsg{}))
}

func (r *root) top() screen { return r.stack[len(r.stack)-1] }

// Update implements tea.Model.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	r.env.now = r.env.ports.Graphs.Now()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.width, r.height = msg.Width, msg.Height
		return r, nil
	case tea.BackgroundColorMsg:
		background := kit.LightBackground
		if msg.IsDark() {
			background = kit.DarkBackground
		}
		r.env.SetBackground(background)
		return r, nil
	case tea.ColorProfileMsg:
		r.env.SetProfile(msg.Profile)
		return r, nil
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore {
			// As Bubble Tea decides: known and not switched off for good.
			r.knowsClusters = msg.Value == ansi.ModeSet || msg.Value == ansi.ModeReset || msg.Value == ansi.ModePermanentlySet
		}
		return r, nil
	case tea.KeyPressMsg:
		return r, r.handleKey(msg)
	case tea.PasteMsg:
		return r, r.handlePaste(msg)
	case tea.MouseMsg:
		return r, r.handleMouse(msg)
	case streamMsg:
		_, cmd := r.Update(msg.msg)
		return r, tea.Batch(cmd, msg.next)
	}
	cmds := []tea.Cmd{r.handleBackground(msg), r.handleServing(msg)}
	for _, s := range append([]screen(nil), r.stack...) {
		action, cmd := s.update(msg)
		cmds = append(cmds, cmd, r.perform(s, action))
	}
	cmds = append(cmds, r.updateHidden(msg))
	_, timedOut := msg.(holdTimeoutMsg)
	cmds = append(cmds, r.replayTyped(timedOut))
	if r.quitWarned != "" && r.quitWarning() != r.quitWarned { // the reason is gone
		r.quitWarned, r.notice = "", notice{}
	}
	if r.quitAfterWrites && !r.quitting && r.env.pendingWrites == 0 {
		cmds = append(cmds, r.quit())
	}
	return r, tea.Batch(cmds...)
}

// wheelLines is how many lines a notch of the wheel scrolls.
const wheelLines = 3

// headerLines is how many lines are above a screen's own view.
const headerLines = 2

// quitWarning returns a sentence on what quitting would lose, or "".
func (r *root) quitWarning() string {
	busy := r.env.serving.quitWarning()
	for _, s := range slices.Concat(r.views.hidden(r.stack), r.stack) {
		if b := s.mode().quitWarning; b != "" {
			busy = b
		}
	}
	return busy
}

// quitQuestion is asked where quitting ends what agents use, or what is under way.
func (r *root) quitQuestion(busy string) question {
	return question{
		title: "Quit", text: "Quit?\n" + busy, safe: "Stay", other: "Quit",
		confirm: func() (action, tea.Cmd) {
			r.next = Quit
			return nil, r.quit()
		},
	}
}

// quit ends the program once pendingWrites have ended, or at once if called again.
// Where a write fails, the program stays and says so.
func (r *root) quit() tea.Cmd {
	if r.env.pendingWrites > 0 && !r.quitAfterWrites {
		r.quitAfterWrites = true
		r.notice = notice{"Writing " + r.env.words.ConfigPath() + ", then this ends. Press ctrl+c to quit without that.", noticeInfo}
		return nil
	}
	r.quitting = true
	cmd := r.closeFrom(0)
	for _, s := range r.views.kept {
		if s, ok := s.(closer); ok {
			cmd = tea.Batch(cmd, s.close())
		}
	}
	return tea.Batch(cmd, r.env.serving.stop(), tea.Quit)
}

// perform carries out an action of a screen that is still on the stack.
func (r *root) perform(from screen, a action) tea.Cmd {
	at := slices.Index(r.stack, from)
	if a == nil || at < 0 {
		return nil
	}
	switch a := a.(type) {
	case open:
		return r.push(a.screen)
	case replace:
		cmd := r.closeFrom(at)
		r.stack = r.stack[:at]
		return tea.Batch(cmd, r.push(a.screen))
	case back:
		cmd := r.closeFrom(at)
		r.stack = r.stack[:max(at, 1)]
		return tea.Batch(cmd, r.refresh())
	case show:
		return r.show(a.view)
	case home:
		cmd := r.closeFrom(1)
		r.stack = r.stack[:1]
		return tea.Batch(cmd, r.refresh())
	case quit:
		if busy := r.quitWarning(); busy != "" {
			return r.push(newQuestion(r.env, r.quitQuestion(busy)))
		}
		r.next = Quit
		return r.quit()
	case switchWorld:
		r.next = a.next
		return r.quit()
	case pressKey:
		cmd := r.closeFrom(at)
		r.stack = r.stack[:max(at, 1)]
		return tea.Batch(cmd, r.handleKey(a.key))
	case notify:
		r.notice = a.notice
	}
	return nil
}

// show leads to a view. What lies above the one that is left is closed.
func (r *root) show(v view) tea.Cmd {
	s := r.views.kept[v]
	opened := s == nil && v != viewGraphs
	if opened {
		var refusal action
		if s, refusal = r.views.open(v); refusal != nil {
			return r.perform(r.top(), refusal)
		}
	}
	cmds := []tea.Cmd{r.closeFrom(1)}
	r.stack = r.stack[:1]
	if v == viewGraphs {
		return tea.Batch(append(cmds, r.refresh())...)
	}
	r.views.kept[v] = s
	r.stack = append(r.stack, s)
	if s, ok := s.(starter); ok && opened {
		cmds = append(cmds, s.start())
	}
	if s, ok := s.(follower); ok && !opened {
		cmds = append(cmds, s.resume())
	}
	return tea.Batch(append(cmds, r.refresh())...)
}

// updateHidden hands a message to the views that are not looked at: what became of their
// work, and none of what would begin some. Of what they ask for, only notices are shown.
func (r *root) updateHidden(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tickMsg, configMsg, polledMsg, newsMsg:
		return nil
	}
	var cmds []tea.Cmd
	for _, s := range r.views.hidden(r.stack) {
		action, cmd := s.update(msg)
		cmds = append(cmds, cmd)
		if told, ok := action.(notify); ok {
			r.notice = told.notice
		}
	}
	return tea.Batch(cmds...)
}

// refresh polls Roam if the screen that has become the top one shows it, and looks at the
// clients if the first one has.
func (r *root) refresh() tea.Cmd {
	var looks tea.Cmd
	if len(r.stack) == 1 {
		looks = r.env.path.look()
	}
	if !r.top().mode().polls || r.env.roam.polling {
		return looks
	}
	return tea.Batch(looks, r.env.roam.poll())
}

func (r *root) push(s screen) tea.Cmd {
	r.stack = append(r.stack, s)
	if s, ok := s.(starter); ok {
		return s.start()
	}
	return nil
}

// closeFrom closes the screens from an index up. Those of views are kept.
func (r *root) closeFrom(index int) tea.Cmd {
	var cmds []tea.Cmd
	for _, s := range r.stack[index:] {
		if slices.Contains(r.views.kept[:], s) {
			if f, ok := s.(follower); ok {
				f.pause()
			}
		} else if s, ok := s.(closer); ok {
			cmds = append(cmds, s.close())
		}
	}
	return tea.Batch(cmds...)
}

// unsaved reports whether there is a granted token that leaving would lose.
func (r *root) unsaved() bool {
	return slices.ContainsFunc(r.stack, func(s screen) bool {
		holder, ok := s.(tokenHolder)
		return ok && holder.unsaved()
	})
}

func (r *root) size() (width, height int) {
	if r.width <= 0 || r.height <= 0 {
		return 80, 24 // until the terminal reports its size
	}
	return r.width, r.height
}

func (r *root) tooSmall() bool {
	width, height := r.size()
	return width < minWidth || height < minHeight
}

// View implements tea.Model.
func (r *root) View() tea.View {
	view := tea.NewView(strings.Join(r.lines(), "\n"))
	view.AltScreen = true
	view.WindowTitle = "roam-mcp"
	if r.top().mode().mouse && !r.tooSmall() {
		view.MouseMode = tea.MouseModeCellMotion
	}
	return view
}
