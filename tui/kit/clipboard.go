package kit

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
)

// copyTimeout bounds what the system's clipboard may take.
const copyTimeout = 3 * time.Second

// Clipboard puts a text into the system's clipboard.
type Clipboard func(ctx context.Context, text string) error

// CopiedMsg reports whether the system's clipboard has taken a text.
type CopiedMsg struct {
	What string // that was copied, for the person
	Err  error
}

// Copy returns a command that puts a text into the clipboard in both ways there
// are: through the terminal, which works over ssh but not in every terminal and
// never says whether it did, and through the system's own tool, which may be nil.
// It reports with a copiedMsg. what names the text. Whoever copies shows the text
// too.
func (system Clipboard) Copy(ctx context.Context, what, text string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), func() tea.Msg {
		if system == nil {
			return CopiedMsg{what, errors.New("this system has no clipboard of its own")}
		}
		ctx, cancel := context.WithTimeout(ctx, copyTimeout)
		defer cancel()
		return CopiedMsg{what, system(ctx, text)}
	})
}

// Sentence says what became of the text.
func (m CopiedMsg) Sentence() string {
	if m.Err != nil {
		return "Handed " + m.What + " to the terminal, which may not take it. You can select it on this screen as well."
	}
	return "Copied " + m.What + "."
}
