package problem

import (
	"slices"
	"testing"
)

func TestLines(t *testing.T) {
	text := func(s string) Line { return Line{Text: s} }
	command := func(s string) Line { return Line{s, true} }
	key := func(Command) string { return "e" }
	for name, test := range map[string]struct {
		world World
		hint  Hint
		want  []Line
	}{
		"are one where there is no command":         {World{}, Say("Wait.").Then("Try again."), []Line{text("Wait. Try again.")}},
		"put a command behind what leads to it":     {World{}, Say("It is gone. Take it over: %s.", Run("import", "a b")), []Line{text("It is gone. Take it over:"), command("roam-mcp import 'a b'")}},
		"say this where it stands within":           {World{}, Say("%s lists them. Then choose.", Run("graphs")), []Line{text("This lists them:"), command("roam-mcp graphs"), text("Then choose.")}},
		"hold several":                              {World{}, Say("To set up: %s, or %s.", Run(""), Run("install", "CLIENT")), []Line{text("To set up:"), command("roam-mcp"), command("roam-mcp install CLIENT")}},
		"hold those of another hint":                {World{}, Say("%s Wait.", Say("Run: %s.", Run("graphs"))), []Line{text("Run:"), command("roam-mcp graphs"), text("Wait.")}},
		"keep what is counted and quoted":           {World{}, Say("%d of %q: %s", 3, "a", Run("graphs")), []Line{text(`3 of "a":`), command("roam-mcp graphs")}},
		"keep a percent sign":                       {World{}, Say("100%% of it: %s", Run("graphs")), []Line{text("100% of it:"), command("roam-mcp graphs")}},
		"name the key where a shell has no way":     {World{Shell: Windows, Key: key}, Say("Rename it: %s", Run("rename", "50%")), []Line{text("Rename it: press e on it in the setup program:"), command("roam-mcp")}},
		"name no command where there is none":       {World{Shell: Windows, Flags: []string{"--config", "50%"}}, Say("Rename it: %s", Run("rename", "a")), []Line{text("Rename it: choose it in the setup program")}},
		"leave the command of another program away": {World{Shell: Windows}, Say("Close it: %s", CommandLine{"chmod", "600", "50%"}), []Line{text("Close it: by hand")}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.world.Lines(test.hint); !slices.Equal(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestShellFor(t *testing.T) {
	for _, test := range []struct {
		goos, variable string
		want           Shell
	}{
		{"darwin", "/bin/zsh", Bash}, {"linux", "/usr/bin/bash", Bash}, {"linux", "/usr/bin/fish", Fish}, {"linux", "/bin/dash", POSIX}, {"linux", "", POSIX},
		{"windows", "", Windows}, {"windows", "/usr/bin/bash", Windows},
	} {
		if got := ShellFor(test.goos, test.variable); got != test.want {
			t.Errorf("%s with SHELL=%s: got %d, want %d", test.goos, test.variable, got, test.want)
		}
	}
}
