package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/manage"
	"roam-mcp/mcpserve/transport"
)

func TestWhatIsSaidOfAProgramThatWasToldToEnd(t *testing.T) {
	told, tell := context.WithCancel(t.Context())
	tell()
	rescued := &problem.Error{Code: configstore.CodeConfigUnwritable, Message: "The granted token was kept in a file.", Err: manage.ErrNotSaved}
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		text string
		code int
	}{
		"an error that nobody interrupted":  {t.Context(), errors.New("no"), "No.", exitFailed},
		"whatever came of the interruption": {told, errors.New("no"), "Interrupted.", exitInterrupted},
		"where a token went, all the same":  {told, fmt.Errorf("save: %w", rescued), "was kept in a file.", exitUsage},
		"that replies were lost":            {told, transport.ErrClientStalled, "stopped reading", exitFailed},
	} {
		var said bytes.Buffer
		if code := report(&said, ended(c.ctx, c.err), problem.World{}); code != c.code || !strings.Contains(said.String(), c.text) {
			t.Errorf("%s: exit code %d, %s", name, code, said.String())
		}
	}
}

func TestATokenInThePlaceOfANameIsNotRepeated(t *testing.T) {
	token := localapi.TokenPrefix + strings.Repeat("x", 29)
	for _, args := range [][]string{{"connect", token + "!"}, {"reauth", token}, {"rename", token, "x"}, {token}, {"connect", "notes", token}} {
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		require.NoError(t, err)
		defer out.Close()
		code := execute(t.Context(), append(args, "--config", filepath.Join(t.TempDir(), configName)), streams{in: out, out: out, err: out})
		said, err := os.ReadFile(out.Name())
		if err != nil || code == exitDone || len(said) == 0 || strings.Contains(string(said), token) {
			t.Errorf("exit code %d: %s", code, said)
		}
	}
}

func TestNothingThatATerminalObeysIsReported(t *testing.T) {
	folder := t.TempDir()
	archive, err := os.Create(filepath.Join(folder, "notes.zip"))
	require.NoError(t, err)
	packed := zip.NewWriter(archive)
	file, err := packed.Create("a\x1b]0;title\x07\u202eb.md")
	require.NoError(t, err)
	_, err = file.Write([]byte("no text: \xff"))
	require.NoError(t, errors.Join(err, packed.Close(), archive.Close()))
	out, err := os.Create(filepath.Join(folder, "out"))
	require.NoError(t, err)
	defer out.Close()
	code := execute(t.Context(), []string{"sandbox", "--home", filepath.Join(folder, "home"), "--import", archive.Name()}, streams{in: out, out: out, err: out})
	said, err := os.ReadFile(out.Name())
	if err != nil || code != exitFailed || !strings.Contains(string(said), "not UTF-8") || strings.ContainsAny(string(said), "\x1b\x07\u202e") {
		t.Errorf("exit code %d: %q", code, said)
	}
	if got, want := shown("no command\n\n\tDid you mean \u2068th\u200bis\U000e0041 👩\u200d💻?"), "no command\n\n\tDid you mean \uFFFDth\uFFFDis\uFFFD 👩\u200d💻?"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
