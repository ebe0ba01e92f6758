package main

import (
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

func TestClientsServeTheConfigurationThatTheSetupProgramShows(t *testing.T) {
	home := filepath.FromSlash("/home/ada")
	own := filepath.Join(home, "notes", "roam.json")
	here, err := filepath.Abs("roam.json")
	require.NoError(t, err)
	for name, test := range map[string]struct {
		world world
		want  string
	}{
		"the usual one needs no flag":          {world{home: home, config: filepath.Join(home, configName)}, "serve"},
		"another one is named":                 {world{home: home, config: own}, "serve --config " + own},
		"by a path that holds in every folder": {world{home: home, config: "roam.json"}, "serve --config " + here},
		"the sandbox has its own":              {world{home: home, config: filepath.Join(home, configName), sandbox: true}, "serve --sandbox"},
	} {
		for _, snippet := range snippets(test.world, mcpserve.DefaultProfile, "") {
			if strings.HasPrefix(snippet.Text, "claude ") && !strings.HasSuffix(strings.ReplaceAll(snippet.Text, "'", ""), " "+test.want) {
				t.Errorf("%s: %s", name, snippet.Text)
			}
		}
	}
}
