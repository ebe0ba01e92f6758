package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/testutil/syncbuffer"
)

// puppet is a model that does what the test says.
type puppet struct{ command tea.Cmd }

func (p puppet) Init() tea.Cmd                       { return p.command }
func (p puppet) Update(tea.Msg) (tea.Model, tea.Cmd) { return p, p.command }
func (p puppet) View() tea.View                      { return tea.NewView("") }

func TestGuardCatchesAPanicInACommand(t *testing.T) {
	broken := func() tea.Msg { panic("broken") }
	fine := func() tea.Msg { return nil }
	for name, cmd := range map[string]tea.Cmd{
		"alone":            broken,
		"among several":    tea.Batch(fine, broken),
		"one after others": tea.Sequence(fine, fine, broken),
		"deep inside":      tea.Batch(fine, tea.Sequence(fine, tea.Batch(fine, broken))),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			g := &guard{model: puppet{cmd}, cancel: cancel}
			in := strings.NewReader("")
			_, err := tea.NewProgram(g, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(&syncbuffer.Buffer{}), tea.WithoutSignalHandler()).Run()
			if !errors.Is(err, context.Canceled) || errors.Is(err, tea.ErrProgramPanic) {
				t.Errorf("Run: %v", err)
			}
			if f := g.crashed(); f == nil || f.what != "broken" || f.where != "working in the background" {
				t.Errorf("caught is %+v", f)
			}
		})
	}
}

func TestCrashRescuesAToken(t *testing.T) {
	h := notSaved()(t, 80, 24)
	h.rescueErr = nil
	h.root.env.ports.Report = func([]byte) (string, error) { return "", errors.New("the disk is full") }
	err := h.root.crashError(&fault{where: "drawing", what: "broken\n"})
	for _, want := range []string{"while drawing: Broken", "A report could not be written: The disk is full.", "was kept in /home/ada/.local/state"} {
		if said := h.root.env.words.Error(err); !strings.Contains(said, want) {
			t.Errorf("%q is not told: %s", want, said)
		}
	}
}
