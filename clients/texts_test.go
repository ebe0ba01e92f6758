package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestSnippetsKeepCommandAndArgumentsApart(t *testing.T) {
	server := Server{Name: "roam", Command: "/opt/my tools/roam-mcp", Args: []string{"serve"}}
	for _, snippet := range Snippets(server) {
		if snippet.Where == "" {
			if !strings.HasSuffix(snippet.Text, "-- '/opt/my tools/roam-mcp' serve") {
				t.Errorf("%s: the path with a space is not quoted: %s", snippet.Client, snippet.Text)
			}
			continue
		}
		var file map[string]map[string]struct {
			Command string
			Args    []string
		}
		if err := json.Unmarshal([]byte(snippet.Text), &file); err != nil {
			t.Fatalf("%s: not JSON: %v\n%s", snippet.Client, err, snippet.Text)
		}
		for key, servers := range file {
			entry := servers["roam"]
			if entry.Command != server.Command || len(entry.Args) != 1 || entry.Args[0] != "serve" {
				t.Errorf("%s: %s.roam is %+v", snippet.Client, key, entry)
			}
		}
	}
}

// TestNoCommandHasTheTokenAmongItsArguments runs the command for Claude Code in a
// shell, with a claude that notes its arguments, as the list of processes shows
// them, and then has a shell make the headers, as Claude Code does.
func TestNoCommandHasTheTokenAmongItsArguments(t *testing.T) {
	if runtime.GOOS == windows {
		t.Skip("the commands are for a POSIX shell")
	}
	shell, err := exec.LookPath("sh")
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), `it's "$(here)"`)
	require.NoError(t, os.Mkdir(folder, 0o700))
	tokenPath, seenPath := filepath.Join(folder, "http-token"), filepath.Join(folder, "arguments")
	require.NoError(t, os.WriteFile(tokenPath, []byte("the-secret\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "claude"), []byte("#!"+shell+"\nprintf '%s\\0' \"$@\" >\"$SEEN\"\n"), 0o700))
	run := func(command string) string {
		process := exec.CommandContext(t.Context(), shell, "-c", command)
		process.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "SEEN="+seenPath)
		output, err := process.Output()
		require.NoError(t, err)
		return string(output)
	}
	run(HTTPSnippets("roam", "http://127.0.0.1:3939/mcp", tokenPath)[0].Text)
	seen, err := os.ReadFile(seenPath)
	require.NoError(t, err)
	if strings.Contains(string(seen), "the-secret") {
		t.Fatalf("every user of the machine can read %q", seen)
	}
	arguments := strings.Split(strings.TrimSuffix(string(seen), "\x00"), "\x00")
	var entry struct{ Type, URL, HeadersHelper string }
	require.NoError(t, json.Unmarshal([]byte(arguments[len(arguments)-1]), &entry))
	if got := run(entry.HeadersHelper); got != `{"Authorization":"Bearer the-secret"}` || entry.Type != "http" || entry.URL != "http://127.0.0.1:3939/mcp" {
		t.Errorf("%q of %+v", got, entry)
	}
}
