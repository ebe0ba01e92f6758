package tui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

type holdTimeoutMsg struct{}

// replayTyped handles what was typed ahead once the configuration and Roam are known,
// or once timedOut.
func (r *root) replayTyped(timedOut bool) tea.Cmd {
	if r.ready || !timedOut && !(r.env.roster.ConfigKnown && r.env.roster.Roam.Known) {
		return nil
	}
	r.ready = true
	var cmds []tea.Cmd
	for _, msg := range r.typedAhead {
		switch msg := msg.(type) {
		case tea.KeyPressMsg:
			cmds = append(cmds, r.handleKey(msg))
		default:
			cmds = append(cmds, r.handlePaste(msg))
		}
	}
	r.typedAhead = nil
	return tea.Batch(cmds...)
}

func (r *root) holdTyped(msg tea.Msg) {
	if len(r.typedAhead) < maxTypedAhead {
		r.typedAhead = append(r.typedAhead, msg)
	}
}

// handlePaste hands pasted text to the top screen.
func (r *root) handlePaste(msg tea.Msg) tea.Cmd {
	if !r.ready {
		r.holdTyped(msg)
		return nil
	}
	s := r.top()
	action, cmd := s.update(msg)
	return tea.Batch(cmd, r.perform(s, action))
}

func (r *root) handleKey(msg tea.KeyPressMsg) tea.Cmd {
	k := r.env.keys
	switch {
	case r.quitting:
		return nil
	case key.Matches(msg, k.interrupt):
		return r.interrupt()
	case key.Matches(msg, k.suspend):
		return tea.Suspend
	case r.quitAfterWrites:
		return nil
	case !r.ready:
		r.holdTyped(msg)
		return nil
	case r.tooSmall():
		return nil // the screen is not drawn
	}
	r.quitWarned, r.notice = "", notice{}
	s := r.top()
	mode := s.mode()
	if r.panelTakesKeys() {
		if taken, cmd := r.panel.update(msg); taken {
			return cmd
		}
	}
	if !mode.typing && key.Matches(msg, k.help) {
		return r.push(newMenu(r.env, s, r.menuItems))
	}
	if v, ok := r.viewKey(msg); ok {
		return r.show(v)
	}
	if _, examining := s.(*doctorScreen); !examining && mode.polls && !mode.typing && key.Matches(msg, k.refresh) {
		return r.lookAgain()
	}
	if mode.typing || r.means(s, msg) {
		action, cmd := s.update(msg)
		return tea.Batch(cmd, r.perform(s, action))
	}
	before := r.lines()
	action, cmd := s.update(msg)
	if action == nil && cmd == nil && slices.Equal(r.lines(), before) {
		r.notice = r.deadKeyNotice(msg)
	}
	return tea.Batch(cmd, r.perform(s, action))
}

// lookAgain asks Roam at once for its graphs and about every token.
func (r *root) lookAgain() tea.Cmd {
	e := r.env
	e.roster.CheckAgain(e.now)
	r.notice = notice{"Looking at Roam and the tokens again.", noticeInfo}
	var cmds []tea.Cmd
	if !r.env.roam.polling {
		cmds = append(cmds, r.env.roam.poll())
	}
	return tea.Batch(append(cmds, r.allowHiddenChecks(len(e.roster.Config.Entries)))...)
}

// means reports whether a key is one of those that a screen has now, or one that may do
// nothing in silence: at the end of a list, or out of the first screen.
func (r *root) means(s screen, press tea.KeyPressMsg) bool {
	k := r.env.keys
	if slices.ContainsFunc(s.keys(), func(b key.Binding) bool { return key.Matches(press, b) }) {
		return true
	}
	scroll := k.ScrollKeys
	return key.Matches(press, k.esc, scroll.Up, scroll.Down, scroll.PageUp, scroll.PageDown, scroll.First, scroll.Last)
}

// deadKeyNotice says that a key does nothing here, and what does.
func (r *root) deadKeyNotice(press tea.KeyPressMsg) notice {
	if key.Matches(press, r.env.keys.quit) {
		return notice{"q quits from your graphs. esc goes back; ctrl+c quits from here.", noticeInfo}
	}
	return notice{kit.Sanitize(press.String()) + " does nothing here. ? lists what can be done.", noticeInfo}
}

// handleMouse hands clicks and the wheel to the top screen.
func (r *root) handleMouse(msg tea.MouseMsg) tea.Cmd {
	s := r.top()
	if !r.ready || r.quitting || r.tooSmall() || !s.mode().mouse {
		return nil
	}
	var own tea.Msg
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		if msg.Button != tea.MouseLeft {
			return nil
		}
		r.quitWarned, r.notice = "", notice{}
		own = clickMsg{msg.X, msg.Y - headerLines}
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			own = wheelMsg{-wheelLines}
		case tea.MouseWheelDown:
			own = wheelMsg{wheelLines}
		}
	}
	if own == nil {
		return nil
	}
	action, cmd := s.update(own)
	return tea.Batch(cmd, r.perform(s, action))
}

// panelTakesKeys reports whether the panel is shown and none of its keys means
// something on the top screen: no key ever has two meanings.
func (r *root) panelTakesKeys() bool { return r.panelTakesKeysOver(r.top()) }

// panelTakesKeysOver is panelTakesKeys for the screen that is on top once others are closed.
func (r *root) panelTakesKeysOver(s screen) bool {
	if !r.panel.visible() || !s.mode().allowsPanelKeys {
		return false
	}
	for _, own := range s.keys() {
		for _, lent := range r.panel.keys() {
			if slices.Contains(own.Keys(), lent.Keys()[0]) {
				return false
			}
		}
	}
	return true
}

// viewKey returns the view that a digit leads to from the top screen.
func (r *root) viewKey(press tea.KeyPressMsg) (view, bool) {
	for v, b := range r.env.keys.views {
		if key.Matches(press, b) {
			return view(v), r.leadsAway(r.top())
		}
	}
	return 0, false
}

// leadsAway reports whether digits lead to the views from a screen on the stack: no text is
// typed, no question is open, and nothing below would be lost.
func (r *root) leadsAway(top screen) bool {
	for _, s := range r.stack {
		if mode := s.mode(); !mode.inView || mode.typing {
			return false
		}
		if s == top {
			break
		}
	}
	return true
}

// interrupt handles ctrl+c. It quits at once, or at the second press if something
// would be lost.
func (r *root) interrupt() tea.Cmd {
	busy := r.quitWarning()
	if busy == "" || busy == r.quitWarned || r.quitAfterWrites {
		r.next = Quit
		return r.quit()
	}
	r.quitWarned = busy
	r.notice = notice{busy + " Press ctrl+c again to quit.", noticeFailure}
	return nil
}
