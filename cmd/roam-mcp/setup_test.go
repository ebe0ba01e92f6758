package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestClientsServeTheConfigurationThatTheSetupProgramShows(t *testing.T) {
	home := filepath.FromSlash("/home/ada")
	own := filepath.Join(home, "notes", "roam.json")
	here, err := filepath.Abs("roam.json")
	require.NoError(t, err)
	for name, test := range map[string]struct {
		world dirs
		name  string
		want  string
	}{
		"the usual one needs no flag":          {dirs{home: home, config: filepath.Join(home, configName)}, "roam", "serve"},
		"another one is named":                 {dirs{home: home, config: own}, "roam", "serve --config " + own},
		"by a path that holds in every folder": {dirs{home: home, config: "roam.json"}, "roam", "serve --config " + here},
		"the sandbox has its own":              {dirs{home: home, config: filepath.Join(home, configName), sandbox: true}, "roam-sandbox", "serve --sandbox"},
	} {
		installer, err := test.world.installer()
		require.NoError(t, err)
		if got := strings.Join(installer.Server.Args, " "); got != test.want || installer.Server.Name != test.name {
			t.Errorf("%s: %s %s", name, installer.Server.Name, got)
		}
	}
}

// Roam's dialog and its list of tokens name whoever asked by that, so that a person with
// two computers knows which one it was.
func TestCommandsAskAsTheSetupProgramDoes(t *testing.T) {
	host, err := os.Hostname()
	require.NoError(t, err)
	for name, test := range map[string]struct{ said, want string }{
		"by the name of the computer": {"", "roam-mcp on " + host},
		"by what a person said":       {"my agent", "my agent"},
	} {
		t.Run(name, func(t *testing.T) {
			chosen, err := connectOptions{description: test.said, timeout: time.Minute}.chosen()
			if err != nil || chosen.Description != test.want {
				t.Errorf("%q, %v; want %q", chosen.Description, err, test.want)
			}
		})
	}
	command := graphCommands{&app{}}.connectCommand()
	if said := command.Flag("description").DefValue; said != "" {
		t.Errorf("the flag's value is %q where it is not given", said)
	}
}
