package install

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func TestFind(t *testing.T) {
	found, err := Find([]string{"cursor", "zed", "Cursor"})
	if err != nil || len(found) != 2 || found[0].ID != "cursor" || found[1].ID != "zed" {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := Find([]string{"cursor", "nothing"}); problem.CodeOf(err) != CodeUnknownClient {
		t.Error(err)
	}
}

func TestNamed(t *testing.T) {
	in := &Installer{Server: clients.Server{Name: "roam", Command: "roam-mcp", Args: []string{"serve"}}, DefaultProfile: "roam"}
	if server := in.Named(clients.Choice{Profile: "roam"}); server.Name != "roam" || len(server.Args) != 1 {
		t.Errorf("the default profile makes %+v", server)
	}
	if server := in.Named(clients.Choice{Profile: "notes"}); server.Name != "roam-notes" {
		t.Errorf("another one makes %+v", server)
	}
	in.EntryName = "mine"
	if server := in.Named(clients.Choice{Profile: "notes"}); server.Name != "mine" {
		t.Errorf("a name makes %+v", server)
	}
}

func TestApplyByLink(t *testing.T) {
	var opened string
	var failure error
	in := &Installer{
		Machine: clients.Machine{GOOS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }, LookPath: func(string) (string, error) { return "", exec.ErrNotFound }},
		Server:  clients.Server{Name: "roam", Command: "/opt/roam-mcp", Args: []string{"serve"}},
		World:   func(context.Context) clients.World { return clients.World{} },
		OpenLink: func(_ context.Context, link string) error {
			opened = link
			return failure
		},
	}
	plan, err := in.Plan(t.Context(), "cherry-studio", clients.Choice{})
	require.NoError(t, err)
	if err := in.Apply(t.Context(), plan); err != nil || !strings.HasPrefix(opened, "cherrystudio://") {
		t.Errorf("%v, opened %q", err, opened)
	}
	failure = errors.New("no such program")
	if err := in.Apply(t.Context(), plan); problem.CodeOf(err) != CodeNotOpened {
		t.Error(err)
	}
	in.OpenLink = nil
	if plan, err = in.Plan(t.Context(), "cherry-studio", clients.Choice{}); err != nil || plan.Way != clients.ByText {
		t.Errorf("%v, %v", plan.Way, err)
	}
}

func TestSkill(t *testing.T) {
	folder, text := t.TempDir(), "---\nmetadata:\n  version: \"2\"\n---\nUse it.\n"
	path := filepath.Join(folder, "roam-mcp-roam", SkillName)
	installs := func(text string, force bool, words string) {
		t.Helper()
		if said, err := Skill(folder, "roam", text, force); err != nil || !strings.Contains(said, words) {
			t.Errorf("%q, %v; want %q", said, err, words)
		}
	}
	installs(text, false, "is in "+path)
	installs(text, false, "already")
	installs(text+"More.\n", false, "was replaced")
	require.NoError(t, os.WriteFile(path, []byte("my own"), 0o600))
	if _, err := Skill(folder, "roam", text, false); problem.CodeOf(err) != CodeSkillKept {
		t.Error(err)
	}
	installs(text, true, "was replaced")
}
