package configstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// The tests' tokens all hold this word, so that one search finds any leak.
const secretWord = "SECRETsecretSECRETsecret"

func tokenText(suffix string) string { return localapi.TokenPrefix + secretWord + suffix }

func token(t testing.TB, suffix string) localapi.Token {
	t.Helper()
	token, err := localapi.ParseToken(tokenText(suffix))
	require.NoError(t, err)
	return token
}

func entry(t testing.TB, name, nickname string) Entry {
	t.Helper()
	return Entry{Name: name, Type: localapi.Hosted, Token: token(t, name), Nickname: nickname, AccessLevel: localapi.Full, LastKnownTokenStatus: localapi.TokenActive}
}

// storeWith makes a store over a file with the text; TOKEN in it becomes a token.
func storeWith(t testing.TB, text string) *Store {
	t.Helper()
	s := New(filepath.Join(t.TempDir(), ".roam-mcp.json"))
	writeFile(t, s.Path(), text)
	return s
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, "TOKEN", tokenText(""))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func fileText(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.ReplaceAll(string(text), tokenText(""), "TOKEN")
}

func mustLoad(t testing.TB, s *Store) Config {
	t.Helper()
	c, err := s.Load(t.Context())
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c
}

func wantCode(t testing.TB, err error, code problem.Code) {
	t.Helper()
	if problem.CodeOf(err) != code {
		t.Fatalf("error is %v, want code %s", err, code)
	}
}

func nicknames(entries []Entry) string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Nickname)
	}
	return strings.Join(names, ",")
}

func problemCodes(problems []Problem) string {
	var codes []string
	for _, p := range problems {
		codes = append(codes, string(p.Code))
	}
	return strings.Join(codes, ",")
}
