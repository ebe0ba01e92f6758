package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// everyCommand calls check with each command that a person can find.
func everyCommand(command *cobra.Command, check func(*cobra.Command)) {
	check(command)
	for _, below := range command.Commands() {
		everyCommand(below, check)
	}
}

func TestHelp(t *testing.T) {
	a := &app{streams: streams{out: os.Stdout}}
	root := a.rootCommand()
	groups := map[string]bool{}
	for _, group := range root.Groups() {
		groups[group.ID] = true
	}
	everyCommand(root, func(command *cobra.Command) {
		t.Run(command.CommandPath(), func(t *testing.T) {
			if command.Example == "" {
				t.Error("it has no example")
			}
			for line := range strings.Lines(command.Example) {
				if !strings.HasPrefix(strings.TrimLeft(line, "# "), "roam-mcp") && !strings.HasPrefix(line, "# ") {
					t.Errorf("%q is no example", line)
				}
			}
			if command.Parent() == root && !groups[command.GroupID] {
				t.Errorf("it is in no group of the help")
			}
			for _, width := range []int{50, 80, 100} {
				for line := range strings.Lines(a.helpText(command, width)) {
					line = strings.TrimSuffix(line, "\n")
					whole := strings.HasPrefix(line, "  roam-mcp ") // to be copied
					if ansi.StringWidth(line) > width && !whole && strings.Contains(strings.TrimSpace(line), " ") {
						t.Errorf("wider than %d: %q", width, line)
					}
				}
			}
		})
	})
}

// Each example is one that the command line takes as it stands.
func TestExamplesAreCommands(t *testing.T) {
	everyCommand((&app{}).rootCommand(), func(command *cobra.Command) {
		for line := range strings.Lines(command.Example) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
				continue
			}
			line, _, _ = strings.Cut(strings.ReplaceAll(line, `"`, ""), " | ")
			line, _, _ = strings.Cut(line, " > ")
			root := (&app{}).rootCommand()
			found, rest, err := root.Find(strings.Fields(line)[1:])
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err == nil && found == root && len(found.Flags().Args()) > 0 {
				err = fmt.Errorf("there is no command %s", found.Flags().Args()[0])
			}
			if err != nil {
				t.Errorf("%s: %s: %v", command.CommandPath(), line, err)
			}
		}
	})
}
