package desk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func granted(t *testing.T, d *Desk, graph localapi.Graph) localapi.Token {
	t.Helper()
	grant, err := d.RequestAccess(t.Context(), access(graph))
	require.NoError(t, err)
	return grant.Token
}

func TestTokensHaveRoamsForm(t *testing.T) {
	d := open(t, Options{Policy: Allow})
	seen := map[string]bool{}
	for range 50 {
		token := granted(t, d, demo)
		if _, err := localapi.ParsePastedToken(token.Reveal()); err != nil || seen[token.Reveal()] {
			t.Fatalf("token %s: %v", token.Hint(), err)
		}
		seen[token.Reveal()] = true
	}
	distinct := map[rune]bool{}
	for _, r := range nanoidAlphabet {
		distinct[r] = true
	}
	if len(distinct) != 64 {
		t.Errorf("the alphabet has %d characters, want 64", len(distinct))
	}
}

func TestCheckTellsWhatIsWrongWithAToken(t *testing.T) {
	d := open(t, Options{Policy: Allow})
	mine := granted(t, d, demo).Reveal()
	other := localapi.Graph{Name: "other", Type: localapi.Hosted}
	for name, c := range map[string]struct {
		secret string
		graph  localapi.Graph
		code   problem.Code
	}{
		"the right graph":             {mine, demo, ""},
		"the other type":              {mine, offline, localapi.CodeWrongGraphType},
		"another graph":               {mine, other, localapi.CodeTokenNotFound},
		"unknown":                     {localapi.TokenPrefix + strings.Repeat("x", 29), demo, localapi.CodeTokenNotFound},
		"a cloud token":               {"roam-graph-token-abcdef", demo, localapi.CodeInvalidTokenFormat},
		"not a token":                 {"hello", demo, localapi.CodeInvalidTokenFormat},
		"nothing":                     {"", demo, localapi.CodeInvalidTokenFormat},
		"the beginning of the token":  {mine[:len(mine)-1], demo, localapi.CodeTokenNotFound},
		"the token and something":     {mine + "x", demo, localapi.CodeTokenNotFound},
		"the hash in place of it":     {localapi.TokenPrefix + hash(mine), demo, localapi.CodeTokenNotFound},
		"the token in capitals":       {localapi.TokenPrefix + strings.ToUpper(mine[len(localapi.TokenPrefix):]) + "A", demo, localapi.CodeTokenNotFound},
		"with a line break inside it": {mine[:30] + "\n" + mine[30:], demo, localapi.CodeInvalidTokenFormat},
	} {
		_, err := d.Check(c.secret, c.graph)
		if problem.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
		if err != nil && c.secret != "" && strings.Contains(err.Error(), c.secret) {
			t.Errorf("%s: the error quotes the token", name)
		}
	}
}

func TestTokensSurviveARestartAndAreKeptAsHashes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	token := granted(t, open(t, Options{Path: path, Policy: Allow}), demo)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	if strings.Contains(string(data), token.Reveal()[len(localapi.TokenPrefix):]) {
		t.Error("the token itself is in the file")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	d := open(t, Options{Path: path})
	info, err := d.Check(token.Reveal(), demo)
	if err != nil || info.Description != "a test" || !info.May(Edit) || "…"+info.LastFour != token.Hint() {
		t.Errorf("after a restart: %+v, %v", info, err)
	}
	if shown := fmt.Sprintf("%+v", d.Tokens()); strings.Contains(shown, token.Reveal()) {
		t.Error("the list of tokens shows one")
	}
}

func TestRevokedTokensAreForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	d := open(t, Options{Path: path, Policy: Allow})
	first, second, elsewhere := granted(t, d, demo), granted(t, d, demo), granted(t, d, offline)
	if n, err := d.Revoke(demo, first.Hint()); n != 1 || err != nil {
		t.Fatalf("revoked %d, %v", n, err)
	}
	if n, err := d.Revoke(demo, "none"); n != 0 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	d = open(t, Options{Path: path})
	if _, err := d.Check(first.Reveal(), demo); problem.CodeOf(err) != localapi.CodeTokenNotFound {
		t.Errorf("a revoked token: %v", err)
	}
	if _, err := d.Check(second.Reveal(), demo); err != nil {
		t.Errorf("the token that was kept: %v", err)
	}
	if n, err := d.Revoke(demo, ""); n != 1 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if _, err := d.Check(elsewhere.Reveal(), offline); err != nil {
		t.Errorf("the other graph's token: %v", err)
	}
}

func TestScopesImplyEachOther(t *testing.T) {
	for level, want := range map[localapi.AccessLevel]string{
		localapi.Full: "[read append edit]", localapi.ReadAppend: "[read append]", localapi.ReadOnly: "[read]", "root": "[]",
	} {
		if got := fmt.Sprint(Scopes(level)); got != want {
			t.Errorf("%s: %s, want %s", level, got, want)
		}
	}
}

func TestABrokenTokenFileIsRefusedAndLeftAlone(t *testing.T) {
	for name, content := range map[string]string{
		"half":             `{"version":1,"tokens":[`,
		"from the future":  `{"version":2}`,
		"two documents":    `{"version":1}{"version":1}`,
		"a made up hash":   `{"version":1,"tokens":[{"graph":{"name":"a","type":"hosted"},"sha256":"zz","accessLevel":"full"}]}`,
		"a made up level":  `{"version":1,"tokens":[{"graph":{"name":"a","type":"hosted"},"sha256":"` + hash("") + `","accessLevel":"root"}]}`,
		"a made up graph":  `{"version":1,"blocked":[{"name":"a b","type":"hosted"}]}`,
		"an unknown field": `{"version":1,"keys":[]}`,
		"nothing":          ``,
	} {
		path := filepath.Join(t.TempDir(), "tokens.json")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		if _, err := Open(Options{Path: path}); problem.CodeOf(err) != localapi.CodeTokenFileCorrupted {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != content {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func FuzzTokenFile(f *testing.F) {
	f.Add([]byte(`{"version":1,"tokens":[],"blocked":[]}`))
	f.Add([]byte(`{"version":1,"tokens":[{"graph":{"name":"a","type":"hosted"},"sha256":"` + hash("") + `","accessLevel":"full"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRegister(data)
		if err != nil {
			return
		}
		for _, token := range r.Tokens {
			if !isGraph(token.Graph) || len(Scopes(token.AccessLevel)) == 0 {
				t.Errorf("accepted %+v", token)
			}
		}
	})
}
