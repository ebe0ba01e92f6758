package localapi

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestTokensAreChecked(t *testing.T) {
	body := strings.Repeat("a", 29)
	for name, c := range map[string]struct {
		in         string
		ok, pasted bool
	}{
		"as Roam makes it":           {TokenPrefix + body, true, true},
		"with space around it":       {"\t " + TokenPrefix + body + " \r\n", true, true},
		"another length":             {TokenPrefix + "abc", true, false},
		"cut":                        {(TokenPrefix + body)[:40], true, false},
		"a cloud token":              {"roam-graph-token-" + body, false, false},
		"no prefix":                  {body, false, false},
		"the prefix alone":           {TokenPrefix, false, false},
		"empty":                      {"  ", false, false},
		"a space inside":             {TokenPrefix + "aaa " + body, false, false},
		"a control character inside": {TokenPrefix + "aaa\x00" + body, false, false},
		"a quote inside":             {TokenPrefix + `a"a` + body, false, false},
		"endless":                    {TokenPrefix + strings.Repeat("a", 1000), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := ParseToken(c.in)
			if (err == nil) != c.ok || (c.ok && token.Reveal() != strings.TrimSpace(c.in)) {
				t.Errorf("ParseToken: %v", err)
			}
			_, pastedErr := ParsePastedToken(c.in)
			if (pastedErr == nil) != c.pasted {
				t.Errorf("ParsePastedToken: %v", pastedErr)
			}
			for _, err := range []error{err, pastedErr} {
				if err != nil && strings.Contains(err.Error(), "aaa") {
					t.Errorf("the error quotes the token: %v", err)
				}
			}
		})
	}
}

func TestATokenRedactsHoweverItIsPrinted(t *testing.T) {
	token := secretToken(t)
	holder := struct {
		Name  string
		Token Token
		Many  []Token
		Keyed map[string]*Token
		inner Token
		deep  struct{ inner []Token }
	}{"x", token, []Token{token}, map[string]*Token{"k": &token}, token, struct{ inner []Token }{[]Token{token}}}
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	logger.Info("m", "token", token, "holder", holder)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "token", token, "holder", holder)
	encoded, err := json.Marshal(holder)
	require.NoError(t, err)
	texts := []string{log.String(), string(encoded), token.String(), fmt.Sprint(token), fmt.Sprintln(&token), fmt.Errorf("x %w", fmt.Errorf("%v", token)).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T %v"} {
		texts = append(texts, fmt.Sprintf(verb, token), fmt.Sprintf(verb, holder))
	}
	for _, text := range texts {
		if strings.Contains(text, "secret-part") || strings.Contains(text, fmt.Sprintf("%x", "secret-part")) {
			t.Errorf("the token shows in %q", text)
		}
	}
	if hint := token.Hint(); hint != "…ken-" {
		t.Errorf("the hint is %q", hint)
	}
}

func TestLevelsCompare(t *testing.T) {
	order := []AccessLevel{ReadOnly, ReadAppend, ReadEditOwn, Full}
	for i, a := range order {
		for j, b := range order {
			if a.LowerThan(b) != (i < j) {
				t.Errorf("%s lower than %s: %v", a, b, a.LowerThan(b))
			}
		}
	}
	if AccessLevel("future").LowerThan(Full) || AccessLevel("future").Known() || AccessLevel("future").CanAppend() {
		t.Error("an unknown level is compared")
	}
	if ReadOnly.CanAppend() || !ReadAppend.CanAppend() || ReadAppend.CanEdit() || !Full.CanEdit() {
		t.Error("what the levels allow")
	}
	if _, err := ParseAccessLevel("read-edit-own"); err == nil {
		t.Error("a level that can't be requested is accepted")
	}
}

func TestANicknameIsMadeFromAGraphName(t *testing.T) {
	for name, want := range map[string]string{"my-work_graph": "My work graph", "help": "Help", "---": "---", "jfb-2024": "Jfb 2024"} {
		if got := DefaultNickname(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzReply(f *testing.F) {
	for _, seed := range []string{`{"success":true,"result":1}`, `{"success":false,"error":{"code":"A","message":"b"}}`, `[]`, `"x"`, `<p>`, `{`, `{"error":"Local API is disabled"}`} {
		f.Add(200, seed)
		f.Add(403, seed)
		f.Add(500, seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		out, err := decode("a", reply{status: status, body: []byte(body)}, APIVersion)
		if err == nil {
			if len(out.Result) > 0 && !json.Valid(out.Result) {
				t.Errorf("a result that is no JSON: %q", out.Result)
			}
			return
		}
		e := failedCall(t, err)
		if e.Code == "" || e.Message == "" || strings.ContainsAny(e.Message, "\x00\n\x1b") {
			t.Errorf("%+v", e)
		}
	})
}

func FuzzPort(f *testing.F) {
	f.Add([]byte(`{"port": 3333}`))
	f.Add([]byte(`{"port": -1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if port, err := ParsePort(data); err == nil && (port < 1 || port > 65535) {
			t.Errorf("port %d", port)
		}
	})
}
