//go:build campaign && unix

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/terminal"
)

const (
	anyKeysInAll  = 25_000
	anyKeysOfARun = 200 // at most: a key may leave the program
)

// anyKeyTyped returns a random key as a terminal sends it: of those that do something, a
// character, or one with a modifier. None of them is to end the program at once.
func anyKeyTyped(random *rand.Rand) string {
	named := []string{
		terminal.Enter, terminal.Down, terminal.Escape, "\x1b[A", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[5~", "\x1b[6~", "\x1b[3~", "\x1b[Z", "\t", "\x7f", " ", "?", "/", "\x15", "\x12", "\x01", "\x05", "\x0b", "\x17",
	}
	switch random.IntN(8) {
	case 0, 1, 2:
		return named[random.IntN(len(named))]
	case 3:
		return "\x1b" + string("abdefghknpuvw"[random.IntN(13)]) // with alt
	case 4:
		return string([]rune("é日本👩")[random.IntN(4)])
	case 5:
		return string("12345mvhd"[random.IntN(9)]) // a view
	}
	if key := rune('!' + random.IntN('~'-'!'+1)); key != 'q' { // which leaves it
		return string(key)
	}
	return "w"
}

// TestAnyKeysInATerminal presses 25,000 random keys in terminals whose size changes in between.
// The program ends where a key says so, and in good order.
func TestAnyKeysInATerminal(t *testing.T) {
	random := rand.New(rand.NewPCG(29, 6))
	size := func() (columns, rows int) { return 60 + random.IntN(141), 16 + random.IntN(45) }
	for run, pressed := 0, 0; pressed < anyKeysInAll; run++ {
		t.Run(fmt.Sprint("run ", run), func(t *testing.T) {
			columns, rows := size()
			p := sitDown(t, columns, rows, "--sandbox")
			p.sees("Roam")
			var keys []string
			for len(keys) < anyKeysOfARun {
				key := anyKeyTyped(random)
				keys = append(keys, key)
				if p.terminal.Type(key) != nil {
					break // it has ended
				}
				if random.IntN(20) == 0 {
					columns, rows = size()
					require.NoError(t, p.terminal.Resize(columns, rows))
				}
			}
			pressed += len(keys)
			var code int
			err := errors.New("it was not asked to end")
			for asked := 0; err != nil && asked < 60; asked++ { // a key may have led to another Roam, where what is typed meanwhile is lost
				_ = p.terminal.Type(terminal.ControlC)
				code, err = p.terminal.Wait(time.Second / 2)
			}
			if err != nil || code != 0 && code != 130 {
				t.Fatalf("exit code %d (%v) after %q\n%s", code, err, keys, p.terminal.Screen())
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d keys", anyKeysInAll)
}
