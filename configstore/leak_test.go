package configstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// wantNoSecret prints v in every way there is and looks for a token.
func wantNoSecret(t *testing.T, what string, v any) {
	t.Helper()
	encoded, err := json.Marshal(v)
	require.NoError(t, err)
	for _, text := range []string{
		fmt.Sprintf("%v", v), fmt.Sprintf("%+v", v), fmt.Sprintf("%#v", v), fmt.Sprintf("%s", v), fmt.Sprintf("%q", v), fmt.Sprintf("%x", v), string(encoded),
	} {
		if strings.Contains(text, secretWord) || strings.Contains(text, fmt.Sprintf("%x", secretWord)) {
			t.Errorf("%s shows a token: %s", what, text)
		}
	}
}

func wantNoSecretInError(t *testing.T, what string, err error) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		wantNoSecret(t, what, err.Error())
		wantNoSecret(t, what, err)
		if e, ok := problem.As(err); ok {
			wantNoSecret(t, what, problem.World{}.Say(e.Hint))
			if e.Place != nil {
				wantNoSecret(t, what, e.Place.Text)
			}
		}
	}
}

func TestNoTokenIsShownAnywhere(t *testing.T) {
	for name, text := range map[string]string{
		"a good file":                `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A","spare":"TOKEN"}]}`,
		"a token cut by a bad quote": `{"graphs":[{"name":"a","token":"TOKEN`,
		"a token without quotes":     `{"graphs":[{"name":"a","token":TOKEN}]}`,
		"a token as a key":           `{"TOKEN":1,"TOKEN":2}`,
		"a token as an entry's key":  `{"graphs":[{"TOKEN":1,"TOKEN":2}]}`,
		"a token as the file":        `"TOKEN"`,
		"a token as an entry":        `{"graphs":["TOKEN"]}`,
		"a token as the version":     `{"version":"TOKEN"}`,
		"a token in every field":     `{"graphs":[{"name":"TOKEN","type":"TOKEN","token":"xTOKEN","nickname":"TOKEN","accessLevel":"TOKEN","lastKnownTokenStatus":"TOKEN","disabled":"TOKEN"}]}`,
		"a token as the nickname":    `{"graphs":[{"name":"a","token":"TOKEN","nickname":"my TOKEN"}]}`,
		"a token with a bad letter":  `{"graphs":[{"name":"a","token":"TOKEN\u0001","nickname":"A"}]}`,
		"the same graph twice":       `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A"},{"name":"a","token":"TOKEN","nickname":"A"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, text)
			c, err := s.Load(t.Context())
			wantNoSecretInError(t, "Load's error", err)
			wantNoSecret(t, "the config", c)
			wantNoSecret(t, "the store", *s)
			for _, p := range c.Problems {
				wantNoSecret(t, "a problem", p)
				wantNoSecret(t, "what to do about it", problem.World{}.Say(p.Hint))
			}
			wantNoSecretInError(t, "Save's error", s.Save(t.Context(), entry(t, "n", tokenText("x"))))
			wantNoSecretInError(t, "Rename's error", s.Rename(t.Context(), tokenText("x"), "x"))
			wantNoSecretInError(t, "Rename's error", s.Rename(t.Context(), "A", tokenText("x")))
			removed, err := s.Remove(t.Context(), "A")
			wantNoSecretInError(t, "Remove's error", err)
			wantNoSecret(t, "a removed entry", removed)
			wantNoSecret(t, "a removed entry held by another value", struct{ kept []Removed }{[]Removed{{kept: removed.kept}}})
			report, err := s.Import(t.Context(), []Entry{entry(t, "z", "Z"), entry(t, tokenText(""), "Y"), {Token: token(t, "")}})
			wantNoSecretInError(t, "Import's error", err)
			wantNoSecret(t, "an import report", report)
			_, err = WriteRescue(filepath.Join(s.Path(), "x"), entry(t, "a", "A"))
			wantNoSecretInError(t, "WriteRescue's error", err)
		})
	}
}
