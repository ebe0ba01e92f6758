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
