package plain

import (
	"strings"
	"testing"
)

func TestClients(t *testing.T) {
	const before = "claude mcp add --scope user roam"
	for name, tc := range map[string]struct {
		lines []string
		want  []string
	}{
		"are given what is usual":        {[]string{"clients"}, []string{"it serves every enabled graph.", "Profile roam: all that Roam can do.", before + " -- /usr/local/bin/roam-mcp serve\n"}},
		"are given a profile, one graph": {[]string{"profile", "notes", "clients"}, []string{"2. notes: notes with labels", "it serves the graph Work", "Profile notes: notes with labels.", before + "-notes -- /usr/local/bin/roam-mcp serve --profile notes --graph Work\n"}},
		"prove the profile":              {[]string{"profile", "2", "test", "Work"}, []string{"get_labels on Work in 38 ms"}},
		"of several graphs ask which":    {[]string{"enable", "1", "profile", "notes", "Reading", "clients"}, []string{"1. Work", "3. all: every enabled graph", "--profile notes --graph Reading\n"}},
		"can have all of them":           {[]string{"enable", "1", "profile", "notes", "all", "clients"}, []string{"every enabled graph.", "--profile notes\n"}},
		"go back to what is usual":       {[]string{"profile", "notes", "profile", "roam", "clients", "test", "Work"}, []string{before + " -- /usr/local/bin/roam-mcp serve\n", "get_graph_guidelines on Work"}},
	} {
		t.Run(name, func(t *testing.T) { newWorld(t).says(tc.lines, tc.want...) })
	}
	t.Run("are not told of profiles where there is one", func(t *testing.T) {
		w := newWorld(t)
		w.ports.Profiles = w.ports.Profiles[:1]
		if printed := w.says([]string{"clients"}, before+" -- "); strings.Contains(printed, "Profile") || strings.Contains(printed, "choose the tools") {
			t.Errorf("it says:\n%s", printed)
		}
	})
}
