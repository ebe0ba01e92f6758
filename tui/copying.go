package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// copyTimeout bounds what the system's clipboard may take.
const copyTimeout = 3 * time.Second

// copiedMsg tells whether the system's clipboard has taken a text.
type copiedMsg struct {
	what string
	err  error
}

// copy puts a text into the clipboard in both ways there are: through the
// terminal, which works over ssh but not in every terminal and never says
// whether it did, and through the system's own tool. what names the text.
// Whoever copies shows the text too.
func (e *env) copy(what, text string) (action, tea.Cmd) {
	terminal := tea.SetClipboard(text)
	if e.ports.Copy == nil {
		return say{handedOver(what)}, terminal
	}
	ctx, system := e.ctx, e.ports.Copy
	return nil, tea.Batch(terminal, func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, copyTimeout)
		defer cancel()
		return copiedMsg{what, system(ctx, text)}
	})
}

func handedOver(what string) notice {
	return notice{"Handed " + what + " to the terminal, which may not take it. You can select it on this screen as well.", told}
}

// copied is what the person is told.
func (m copiedMsg) notice() notice {
	if m.err != nil {
		return handedOver(m.what)
	}
	return notice{"Copied " + m.what + ".", succeeded}
}
