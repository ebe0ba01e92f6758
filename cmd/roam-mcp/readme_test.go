package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roam-mcp/internal/testutil/require"
)

// The README is what people read first: each command and each flag has to be in
// it, and nothing that is not there any more.
func TestTheReadmeNamesEveryCommandAndFlag(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	readme := string(data)
	root := (&app{}).rootCommand()
	known := map[string]bool{"help": true, "version": true}
	check := func(command *cobra.Command) func(*pflag.Flag) {
		return func(flag *pflag.Flag) {
			known[flag.Name] = true
			if !strings.Contains(readme, "--"+flag.Name) {
				t.Errorf("README.md does not name --%s of %s", flag.Name, command.Name())
			}
		}
	}
	root.Flags().VisitAll(check(root))
	root.PersistentFlags().VisitAll(check(root))
	var walk func([]*cobra.Command)
	walk = func(commands []*cobra.Command) {
		for _, command := range commands {
			if !strings.Contains(readme, "`"+command.CommandPath()) && !strings.Contains(readme, "`"+command.Name()+" ") {
				t.Errorf("README.md does not name the command %s", command.CommandPath())
			}
			command.Flags().VisitAll(check(command))
			walk(command.Commands())
		}
	}
	walk(root.Commands())
	commands := readme[strings.Index(readme, "## Commands"):strings.Index(readme, "## Files")]
	for _, word := range strings.FieldsFunc(commands, func(r rune) bool { return strings.ContainsRune(" `;,.|\n\\()", r) }) {
		if name, isFlag := strings.CutPrefix(word, "--"); isFlag && strings.Trim(name, "-") != "" && !known[name] {
			t.Errorf("README.md names --%s, which no command has", name)
		}
	}
}
