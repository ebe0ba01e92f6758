package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
)

// copyTimeout bounds what the system's clipboard may take.
const copyTimeout = 3 * time.Second

// clipboard puts a text into the system's clipboard.
type clipboard func(ctx context.Context, text string) error

// copiedMsg reports whether the system's clipboard has taken a text.
type copiedMsg struct {
	what string // that was copied, for the person
	err  error
}

// copy returns a command that puts a text into the clipboard in both ways there
// are: through the terminal, which works over ssh but not in every terminal and
// never says whether it did, and through the system's own tool, which may be nil.
// It reports with a copiedMsg. what names the text. Whoever copies shows the text
// too.
func (system clipboard) copy(ctx context.Context, what, text string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), func() tea.Msg {
		if system == nil {
			return copiedMsg{what, errors.New("this system has no clipboard of its own")}
		}
		ctx, cancel := context.WithTimeout(ctx, copyTimeout)
		defer cancel()
		return copiedMsg{what, system(ctx, text)}
	})
}

// sentence says what became of the text.
func (m copiedMsg) sentence() string {
	if m.err != nil {
		return "Handed " + m.what + " to the terminal, which may not take it. You can select it on this screen as well."
	}
	return "Copied " + m.what + "."
}
