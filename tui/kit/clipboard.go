package kit

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
)

// copyTimeout bounds a call of the system's clipboard.
const copyTimeout = 3 * time.Second

// Clipboard puts a text into the system's clipboard. It may be nil.
type Clipboard func(ctx context.Context, text string) error

// CopiedMsg reports that a text was copied. Err is why the system's clipboard did
// not take it; the terminal may have.
type CopiedMsg struct {
	What string // names the text for the person: "the path"
	Err  error
}

// Copy returns a command that copies text and reports with a CopiedMsg. It uses the
// terminal, which works over ssh but never says whether it did, and the system's
// clipboard. Since both may fail, the screen shows the text too.
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

// Sentence says whether the text was copied.
func (m CopiedMsg) Sentence() string {
	if m.Err != nil {
		return "Handed " + m.What + " to the terminal, which may not take it. You can select it on this screen as well."
	}
	return "Copied " + m.What + "."
}
