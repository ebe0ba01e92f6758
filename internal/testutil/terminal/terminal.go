// Package terminal runs a program in a real pseudo-terminal with an emulator
// behind it: what a person would see, and the keys a person would press.
//
// It is for tests of whole programs and for the pictures in docs. It promises to
// poll and never to sleep blindly, and to keep every byte the program wrote.
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Terminal is a program under way.
type Terminal struct {
	command *exec.Cmd
	file    *os.File
	screen  *vt.Emulator
	done    chan struct{} // closed when the program's side has closed

	mu  sync.Mutex
	raw bytes.Buffer
}

// Start runs the command in a terminal of that size. Its environment should name
// a TERM, as a terminal would.
func Start(command *exec.Cmd, columns, rows int) (*Terminal, error) {
	file, err := pty.StartWithSize(command, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err != nil {
		return nil, fmt.Errorf("start %s in a terminal: %w", command.Path, err)
	}
	t := &Terminal{
		command: command, file: file, done: make(chan struct{}),
		screen: vt.NewEmulator(columns, rows),
	}
	go t.read()
	go t.drain()
	return t, nil
}

// drain drops what the emulator answers to the program's questions: it writes no
// further until somebody has read that. Tests answer themselves.
func (t *Terminal) drain() {
	_, _ = io.Copy(io.Discard, t.screen) // ends when read closes the emulator's pipe
}

func (t *Terminal) read() {
	defer close(t.done)
	// Close of the emulator itself would race with its Read.
	if answers, ok := t.screen.InputPipe().(io.Closer); ok {
		defer answers.Close()
	}
	buffer := make([]byte, 32<<10)
	for {
		n, err := t.file.Read(buffer)
		if n > 0 {
			t.mu.Lock()
			t.raw.Write(buffer[:n])
			_, _ = t.screen.Write(buffer[:n]) // an emulator in memory
			t.mu.Unlock()
		}
		if err != nil { // on Linux EIO is how a terminal says that the program is gone
			return
		}
	}
}

// Screen is what is on the screen, a line a row, without trailing space.
func (t *Terminal) Screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(t.screen.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Row is the cursor's line on the screen, 0 at the top.
func (t *Terminal) Row() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.CursorPosition().Y
}

// Cells calls f for each cell of the screen, row by row. The second of the two
// cells that a wide character takes has no content.
func (t *Terminal) Cells(f func(column, row int, cell uv.Cell)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for row := range t.screen.Height() {
		for column := range t.screen.Width() {
			f(column, row, *t.screen.CellAt(column, row))
		}
	}
}

// Size is the terminal's size in cells.
func (t *Terminal) Size() (columns, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.Width(), t.screen.Height()
}

// Resize changes the size, as a person does who drags the window.
func (t *Terminal) Resize(columns, rows int) error {
	t.mu.Lock()
	t.screen.Resize(columns, rows)
	t.mu.Unlock()
	return pty.Setsize(t.file, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
}

// Written is every byte that the program has written so far.
func (t *Terminal) Written() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.raw.Bytes())
}

// Await waits until the screen holds all of the texts.
func (t *Terminal) Await(patience time.Duration, texts ...string) error {
	deadline := time.Now().Add(patience)
	for {
		screen := t.Screen()
		missing := ""
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = text
			}
		}
		if missing == "" {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("after %v the screen has no %q:\n%s", patience, missing, screen)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Type writes text as a person types or pastes it.
func (t *Terminal) Type(text string) error {
	_, err := t.file.WriteString(text)
	return err
}

// Keys that are not a character of their own.
const (
	Enter     = "\r"
	Escape    = "\x1b"
	Tab       = "\t"
	Up        = "\x1b[A"
	Down      = "\x1b[B"
	Right     = "\x1b[C"
	ControlC  = "\x03"
	ControlD  = "\x04"
	ControlU  = "\x15"
	ControlZ  = "\x1a"
	Backspace = "\x7f"
)

// Wait waits for the program's end and returns its exit code.
func (t *Terminal) Wait(patience time.Duration) (int, error) {
	select {
	case <-t.done:
	case <-time.After(patience):
		return 0, fmt.Errorf("still running after %v:\n%s", patience, t.Screen())
	}
	err := t.command.Wait()
	t.file.Close()
	if t.command.ProcessState == nil {
		return 0, err
	}
	return t.command.ProcessState.ExitCode(), nil
}

// Kill ends the program if it still runs. One that it has started itself loses the terminal.
func (t *Terminal) Kill() {
	select {
	case <-t.done:
	default:
		_ = t.command.Process.Signal(syscall.SIGKILL) // it may be gone by now
		select {
		case <-t.done:
		case <-time.After(time.Second): // what it has started still has the terminal
		}
	}
}
