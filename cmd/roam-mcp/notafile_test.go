//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

// Whatever is in the place of a file that the program opens, the command that opens it
// ends by itself and says which file it is.
func TestNoCommandWaitsForWhatIsNoFile(t *testing.T) {
	program := programPath(t, "roam-mcp")
	token := `"roam-graph-local-token-` + strings.Repeat("a", 29) + `"`
	config := `{"version":1,"graphs":[{"name":"g","token":` + token + `,"nickname":"G"}]}`
	files := map[string]struct {
		place string // below the home folder
		run   string
		wants string // in what it says where that is not the place's name

		takesText bool // any file will do
		own       bool // it is a file of our own, which no link is
	}{
		"config":            {place: configName, run: "graphs"},
		"config to write":   {place: configName, run: "rename G H", wants: "can't be read"},
		"lock of config":    {place: configName + ".lock", run: "rename G H", takesText: true, own: true},
		"port file":         {place: "world/.roam-local-api.json", run: "sandbox switch --home HOME/world latency=1s", wants: "No sandbox of the home folder"},
		"log":               {place: "log", run: "--log-file HOME/log graphs", takesText: true, own: true},
		"official tools":    {place: officialName, run: "import"},
		"file to import":    {place: "rescued", run: "import HOME/rescued"},
		"HTTP token":        {place: ".local/state/roam-mcp/http-token", run: "serve --http 127.0.0.1:0", own: true},
		"lock of the token": {place: ".local/state/roam-mcp/http-token.lock", run: "serve --http 127.0.0.1:0", takesText: true, own: true},
		"export to import":  {place: "export", run: "sandbox --home HOME/world --import HOME/export --graph-name g"},
		"sandbox lock":      {place: "world/.roam-sandbox/lock", run: "sandbox --home HOME/world", takesText: true, own: true},
		"sandbox tokens":    {place: "world/.roam-sandbox/tokens.json", run: "sandbox --home HOME/world", own: true},
		"sandbox key":       {place: "world/.roam-sandbox/key", run: "sandbox --home HOME/world", takesText: true, own: true},
	}
	kinds := map[string]func(path string) error{
		"a named pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":     func(path string) error { return os.Mkdir(path, 0o700) },
		"a device":     func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link to another file": func(path string) error {
			canary := filepath.Join(filepath.Dir(path), "canary")
			return errors.Join(os.WriteFile(canary, []byte("canary"), 0o644), os.Symlink(canary, path))
		},
		"a link to a missing file": func(path string) error { return os.Symlink(path+".missing", path) },
		"a link to itself":         func(path string) error { return os.Symlink(path, path) },
		"a file of something":      func(path string) error { return os.WriteFile(path, []byte("\x89PNG\r\n\x1a\n\x00\xff"), 0o600) },
	}
	for name, file := range files {
		for kind, place := range kinds {
			if kind == "a file of something" && file.takesText || strings.HasPrefix(kind, "a link to a") && !file.own {
				continue
			}
			t.Run(name+" is "+kind, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(home, configName), []byte(config), 0o600))
				path := filepath.Join(home, file.place)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				_ = os.Remove(path)
				require.NoError(t, place(path))
				said := endsByItself(t, program, home, strings.Fields(strings.ReplaceAll(file.run, "HOME", home)))
				if canary, err := os.ReadFile(filepath.Join(filepath.Dir(path), "canary")); err == nil && string(canary) != "canary" {
					t.Errorf("it has changed another file to %q", canary)
				}
				if _, err := os.Lstat(path + ".missing"); err == nil {
					t.Error("it has made another file")
				}
				if name := filepath.Base(file.place); !strings.Contains(said, name) && (file.wants == "" || !strings.Contains(said, file.wants)) {
					t.Errorf("it says %q, not %q or %q", said, name, file.wants)
				}
			})
		}
	}
}

// endsByItself runs the program, which must fail, and returns what it says.
func endsByItself(t *testing.T, program, home string, args []string) string {
	t.Helper()
	const deadline = 30 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home+"/.local/share", "XDG_STATE_HOME="+home+"/.local/state")
	var said bytes.Buffer
	command.Stderr = &said
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%v still runs after %v", args, deadline)
	case !errors.As(err, &exit) || exit.ExitCode() < 1:
		t.Errorf("%v ends with %v and says %q", args, err, said.String())
	case strings.Contains(said.String(), "goroutine "):
		t.Errorf("%v panics: %s", args, said.String())
	}
	return said.String()
}
