package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"roam-mcp/internal/testutil/require"
)

func TestEveryCommandTellsTheVersion(t *testing.T) {
	var tells func(*cobra.Command)
	tells = func(command *cobra.Command) {
		t.Run(command.CommandPath(), func(t *testing.T) {
			out, err := os.Create(filepath.Join(t.TempDir(), "out"))
			require.NoError(t, err)
			defer out.Close()
			args := append(strings.Fields(command.CommandPath())[1:], "--version")
			code := execute(t.Context(), args, streams{in: os.Stdin, out: out, err: out})
			said, err := os.ReadFile(out.Name())
			if want := builtFrom().String() + "\n"; err != nil || code != exitDone || string(said) != want {
				t.Errorf("exit code %d, %q, %v; want %q", code, said, err, want)
			}
		})
		for _, below := range command.Commands() {
			tells(below)
		}
	}
	tells((&app{}).rootCommand())
}

func TestAnAnswerLimitBelowNothingIsWrongUsage(t *testing.T) {
	options := sandboxOptions{approve: "ask", home: t.TempDir(), answerLimit: -time.Second}
	_, err := options.resolve(slog.New(slog.DiscardHandler))
	if err == nil || exitCode(explain(err).Code) != exitUsage {
		t.Errorf("%v, want wrong usage", err)
	}
}
