//go:build unix

package terminal

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"roam-mcp/internal/testutil/require"
)

const patience = time.Minute

// shows runs a shell's script in a terminal and waits until it shows the text.
func shows(t *testing.T, script, text string) *Terminal {
	t.Helper()
	command := exec.Command("/bin/sh", "-c", script)
	command.Env = []string{"PATH=/usr/bin:/bin", "TERM=xterm-256color"}
	screen, err := Start(command, 20, 3)
	require.NoError(t, err)
	t.Cleanup(screen.Kill)
	require.NoError(t, screen.Await(patience, text))
	return screen
}

func TestCellsAreAsWideAsTheirCharacters(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		cells []string
	}{
		"a wide character takes two columns":        {"日本|", []string{"日", "", "本", "", "|"}},
		"an accent of its own stands on its letter": {"e\u0301x|", []string{"e\u0301", "x", "|"}},
		"a family is one character":                 {"👨‍👩‍👧|", []string{"👨‍👩‍👧", "", "|"}},
	} {
		t.Run(name, func(t *testing.T) {
			screen := shows(t, "printf '"+test.text+"'; exec sleep 60", test.text)
			var cells []string
			screen.Cells(func(column, row int, cell uv.Cell) {
				if row == 0 && column < len(test.cells) {
					cells = append(cells, cell.Content)
				}
			})
			if got, want := strings.Join(cells, ","), strings.Join(test.cells, ","); got != want {
				t.Errorf("the cells are %q, want %q", got, want)
			}
		})
	}
}

// A program that asks what the terminal is gets no answer, and is read further.
func TestQuestionsOfTheProgramHoldNothingUp(t *testing.T) {
	shows(t, `printf '\033[c\033[6n\033]11;?\033\\\033[?2026$pgoes on'; exec sleep 60`, "goes on")
}

func TestTheScreenFollowsTheWindow(t *testing.T) {
	screen := shows(t, "echo begun; read line; stty size; exec sleep 60", "begun")
	require.NoError(t, screen.Resize(33, 7))
	require.NoError(t, screen.Type("\n"))
	require.NoError(t, screen.Await(patience, "7 33"))
	if columns, rows := screen.Size(); columns != 33 || rows != 7 {
		t.Errorf("the screen has %d columns and %d rows", columns, rows)
	}
	if row := screen.Row(); row != 3 {
		t.Errorf("the cursor is in row %d", row)
	}
}

func TestWaitTellsTheExitCode(t *testing.T) {
	screen := shows(t, "echo over; exit 3", "over")
	if code, err := screen.Wait(patience); code != 3 {
		t.Errorf("the exit code is %d (%v)", code, err)
	}
}

func TestKillDoesNotWaitForWhatTheProgramHasStarted(t *testing.T) {
	screen := shows(t, `trap "" HUP; sleep 20 & echo up; wait`, "up")
	killed := make(chan struct{})
	go func() {
		screen.Kill()
		close(killed)
	}()
	select {
	case <-killed:
	case <-time.After(15 * time.Second):
		t.Error("it waits for a program that still has the terminal")
	}
}
