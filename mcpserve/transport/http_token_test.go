package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/textsafe"
)

func TestOnlyTheSameSecretMatches(t *testing.T) {
	token, other := NewToken(), NewToken()
	for sent, want := range map[string]bool{
		token.Reveal():       true,
		other.Reveal():       false,
		"":                   false,
		token.Reveal() + "x": false,
		token.Reveal()[:20]:  false,
		"[token redacted]":   false,
	} {
		if token.Matches(sent) != want {
			t.Errorf("matching is not %v", want)
		}
	}
	if (Token{}).Matches("") {
		t.Error("no token matches no token")
	}
}

func TestTheSecretShowsInNothingThatIsPrinted(t *testing.T) {
	token := NewToken()
	var out bytes.Buffer
	holder := struct {
		Public Token
		hidden Token
	}{token, token}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+verb+verb, token, holder, &holder)
	}
	text, err := json.Marshal(holder)
	require.NoError(t, err)
	out.Write(text)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "token", token, "holder", holder)
	_, err = ParseToken(token.Reveal() + "!")
	out.WriteString(err.Error())
	if strings.Contains(out.String(), token.Reveal()[len(textsafe.HTTPTokenPrefix):]) {
		t.Errorf("the secret shows: %s", out.String())
	}
}

func TestProgramsThatStartAtOnceShareOneSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "http-token")
	tokens := make([]Token, 20)
	var group sync.WaitGroup
	for i := range tokens {
		group.Go(func() {
			var err error
			if tokens[i], err = LoadOrCreateToken(t.Context(), path); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, token := range tokens {
		if token != tokens[0] || token.IsZero() {
			t.Fatal("two programs have different secrets")
		}
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	left, _ := filepath.Glob(path + ".*.tmp")
	if len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestAFileThatCannotBeTrustedIsRefusedAndKept(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		mode  os.FileMode
		want  string
		owner int // 0: whoever runs the test
	}{
		"empty":              {"", 0o600, "holds no token", 0},
		"cut short":          {NewToken().Reveal()[:40], 0o600, "holds no token", 0},
		"something else":     {"password123", 0o600, "holds no token", 0},
		"huge":               {strings.Repeat("x", 1<<20), 0o600, "holds no token", 0},
		"open to the group":  {NewToken().Reveal(), 0o640, "can read", 0},
		"another user's own": {NewToken().Reveal(), 0o600, "belongs to another user", 12345},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.mode != 0o600 && runtime.GOOS == "windows" {
				t.Skip("no file modes here")
			}
			if tc.owner != 0 && os.Geteuid() != 0 {
				t.Skip("only root can give a file away")
			}
			path := filepath.Join(t.TempDir(), "http-token")
			require.NoError(t, errors.Join(os.WriteFile(path, []byte(tc.text), 0o600), os.Chmod(path, tc.mode)))
			if tc.owner != 0 {
				require.NoError(t, os.Chown(path, tc.owner, tc.owner))
			}
			_, err := LoadOrCreateToken(t.Context(), path)
			if told, ok := problem.As(err); !ok || told.Code != CodeTokenFile || told.Hint.IsZero() {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(err.Error(), tc.want) || tc.text != "" && strings.Contains(err.Error(), tc.text) {
				t.Errorf("got %v", err)
			}
			if kept, _ := os.ReadFile(path); string(kept) != tc.text {
				t.Error("the file was changed")
			}
		})
	}
}
