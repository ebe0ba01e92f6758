package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/require"
)

func turn(t *testing.T, s *Server, texts ...string) {
	t.Helper()
	settings, err := ParseSettings(texts)
	require.NoError(t, err)
	s.Switches().Apply(settings...)
}

// seen is what the real client makes of a call.
type seen struct {
	code   problem.Code
	status int
	says   string // part of the error, or of the result
}

func (want seen) check(t *testing.T, name, result string, err error) {
	t.Helper()
	e, ok := problem.AsCall(err)
	switch {
	case (err != nil) != (want.code != ""):
		t.Errorf("%s: %s, %v", name, result, err)
	case err == nil && !strings.Contains(result, want.says):
		t.Errorf("%s: %s, want %s", name, result, want.says)
	case err != nil && (!ok || e.Code != want.code || e.Status() != want.status || !strings.Contains(e.Error(), want.says)):
		t.Errorf("%s: %v, want %+v", name, err, want)
	}
}

const readBread = `{"title": "Bread", "maxDepth": 1}`

func TestSwitchesOfTheServer(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	for setting, want := range map[string]seen{
		"latency=1ms":         {says: "Bread"},
		"window-closed":       {localapi.CodeWindowClosed, 500, "Promise error"},
		"api-version=1.1.0":   {says: "Bread"},
		"api-version=1.2.0":   {localapi.CodeVersionMismatch, 400, "1.2.0"},
		"api-version=1.0.9":   {localapi.CodeVersionMismatch, 400, "1.0.9"},
		"disabled":            {localapi.CodeDisabled, 403, ""},
		"tokens=revoked":      {localapi.CodeTokenNotFound, 401, ""},
		"tokens=wrong-graph":  {localapi.CodeTokenNotFound, 401, ""},
		"tokens=wrong-type":   {localapi.CodeWrongGraphType, 401, ""},
		"tokens=cloud":        {localapi.CodeInvalidTokenFormat, 401, ""},
		"tokens=corrupt-file": {localapi.CodeTokenFileCorrupted, 500, ""},
		"demoted":             {says: "Bread"},
		"public=small":        {says: "Bread"},
		"public=other":        {says: "Bread"},
		"encrypted=small":     {says: "Bread"},
		"locked=1ms":          {localapi.CodeInternal, 504, ""},
		"signed-out":          {says: "Bread"},
		"no-move-stamp":       {says: "Bread"},
		"build=api-0.0.9":     {localapi.CodeVersionMismatch, 400, "this is 0.0.9"},
	} {
		s.Switches().Clear()
		c.do("data.ai.getPage", readBread) // it says hello again where it did not answer as Roam does
		turn(t, s, setting)
		result, err := c.try("data.ai.getPage", readBread)
		want.check(t, setting, result, err)
	}
	s.Switches().Clear()
	seen{says: `heading=\"2\"`}.check(t, "all off", c.do("data.ai.getPage", readBread), nil)
}

func TestSwitchesOfWrites(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow, SemanticSearch: true})
	c := callerOf(t, s, small)
	const write = `{"block": {"uid": "blk-child", "open": true}}`
	for _, one := range []struct {
		setting, action, argument string
		want                      seen
	}{
		{"demoted", "data.block.update", write, seen{localapi.CodeScopeExceedsPermission, 403, ""}},
		{"public=small", "data.block.update", write, seen{localapi.CodeScopeExceedsPermission, 403, ""}},
		{"encrypted=small", "graph.isEncrypted", "", seen{says: "true"}},
		{"encrypted=other", "graph.isEncrypted", "", seen{says: "false"}},
		{"signed-out", "data.semanticSearchEnabled", "", seen{says: "false"}},
		{"signed-out=off", "data.semanticSearchEnabled", "", seen{says: "true"}},
	} {
		s.Switches().Clear()
		turn(t, s, one.setting)
		result, err := c.try(one.action, one.argument)
		one.want.check(t, one.setting+" "+one.action, result, err)
	}
}

// TestTheFirstVersionOfTheAPI holds the sandbox against the first reference of the
// API, with a client that asks for that version.
func TestTheFirstVersionOfTheAPI(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	token := tokenFor(t, s, small, localapi.Full)
	c := callerOf(t, s, small)
	c.do("data.page.fromMarkdown", `{"page": {"title": "agent guidelines"}, "markdown-string": "- As of old."}`)
	turn(t, s, "build=api-0.0.9")
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: portFilePath(s.options.Home), Strict: true}, ExpectedAPIVersion: "0.0.9"})
	t.Cleanup(client.CloseIdleConnections)
	reply, err := client.Call(t.Context(), small, token, "data.ai.getPage", map[string]any{"title": "Water"})
	if err != nil || reply.APIVersion != "0.0.9" || string(reply.Result) != `{"markdown":"# Water <roam uid=\"page-wate\" refs=\"1\"/>"}` {
		t.Errorf("%+v, %v", reply, err)
	}
	for body, want := range map[string]string{
		`{"action":"data.ai.getPage","args":[{"title":"Bread"}],"expectedApiVersion":"1.1.5"}`:          `"apiVersion":"0.0.9","error":{"code":"VERSION_MISMATCH"`,
		`{"action":"data.none","expectedApiVersion":"0.0.9"}`:                                           `"error":{"code":"UNKNOWN_ACTION"`,
		`{"action":"data.ai.searchTemplates","args":[{}],"expectedApiVersion":"0.0.9"}`:                 `"result":[]`,
		`{"action":"data.ai.getGraphGuidelines","args":[],"expectedApiVersion":"0.0.9"}`:                `"result":"- As of old."`,
		`{"action":"data.ai.getBlock","args":[{"uid":"blk-child"}],"expectedApiVersion":"0.0.9"}`:       `"path":"Bread > Flour and [[Water]]"`,
		`{"action":"batchActions","args":[{"actions":[]}],"expectedApiVersion":"0.0.9"}`:                `"error":{"code":"UNKNOWN_ACTION"`,
		`{"action":"data.block.delete","args":[{"block":{"uid":"none"}}],"expectedApiVersion":"0.0.9"}`: `"result":null`,
	} {
		if _, got, _ := exchange(t, s, "POST", "/api/small", body, "Authorization", "Bearer "+token.Reveal()); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if status, got, _ := exchange(t, s, "POST", "/api/small", `{}`); status != 401 || strings.Contains(got, `"code"`) || !strings.Contains(got, `"error":{"message":"`) {
		t.Errorf("without a token: %d %s", status, got)
	}
	if status, got, _ := exchange(t, s, "GET", "/api/graphs/open", ""); status != 200 || !strings.Contains(got, `"success":true`) {
		t.Errorf("the list: %d %s", status, got)
	}
}

func TestSwitchesOfTheExchange(t *testing.T) {
	s := start(t, Options{Policy: desk.Ask, AnswerLimit: 20 * time.Millisecond})
	client := clientOf(t, s)
	for setting, want := range map[string]struct {
		seen
		level localapi.AccessLevel
	}{
		"exchange=allow":       {level: localapi.Full},
		"exchange=read-append": {level: localapi.ReadAppend},
		"exchange=read-only":   {level: localapi.ReadOnly},
		"exchange=deny":        {seen: seen{localapi.CodeUserRejected, 403, ""}},
		"exchange=never":       {seen: seen{localapi.CodeGraphBlocked, 403, ""}},
		"exchange=timeout":     {seen: seen{localapi.CodeTimeout, 408, ""}},
		"exchange=busy":        {seen: seen{localapi.CodeRequestInProgress, 409, ""}},
		"exchange=cancelled":   {seen: seen{localapi.CodeCancelled, 500, ""}},
		"exchange=error":       {seen: seen{localapi.CodeInternal, 500, ""}},
		"exchange=no-token":    {seen: seen{localapi.CodeInvalidReply, 200, "no usable token"}},
		"disabled":             {seen: seen{localapi.CodeDisabled, 403, ""}},
	} {
		s.Switches().Clear()
		turn(t, s, setting)
		grant, err := client.RequestToken(t.Context(), localapi.TokenRequest{Graph: small, AccessLevel: localapi.Full, Description: "x"})
		want.check(t, setting, "", err)
		if grant.AccessLevel != want.level {
			t.Errorf("%s: granted %q", setting, grant.AccessLevel)
		}
	}
	s.Switches().Clear()
	turn(t, s, "exchange=allow", "public=small")
	grant, err := client.RequestToken(t.Context(), localapi.TokenRequest{Graph: small, AccessLevel: localapi.Full, Description: "x"})
	if err != nil || grant.AccessLevel != localapi.ReadOnly {
		t.Errorf("of a public graph: %q, %v", grant.AccessLevel, err)
	}
	turn(t, s, "build")
	info := client.TokenInfo(t.Context(), small, grant.Token)
	if info.Status != localapi.TokenUnknown {
		t.Errorf("without the route: %+v", info)
	}
	turn(t, s, "build=off", "tokens=revoked")
	if info := client.TokenInfo(t.Context(), small, grant.Token); info.Status != localapi.TokenRevoked {
		t.Errorf("%+v", info)
	}
}

func TestSwitchesOfTheLists(t *testing.T) {
	s := start(t, Options{Home: filepath.Join(t.TempDir(), "home"), Policy: desk.Allow})
	client := clientOf(t, s)
	tokenFor(t, s, notebook, localapi.ReadOnly)
	for _, graph := range s.graphs.graphs {
		graph.open.Store(true)
	}
	for setting, want := range map[string]string{
		"latency=1ms": "[{demo hosted} {notebook offline}] [{demo hosted} {notebook offline}]",
		"signed-out":  "[{notebook offline}] []",
		"public=demo": "[{demo hosted} {notebook offline}] [{notebook offline}]",
	} {
		s.Switches().Clear()
		turn(t, s, setting)
		open, err := client.OpenGraphs(t.Context())
		available, err2 := client.AvailableGraphs(t.Context())
		if got := names(open) + " " + names(available); errors.Join(err, err2) != nil || got != want {
			t.Errorf("%s: %s, %v, %v", setting, got, err, err2)
		}
	}
}

func names(graphs []localapi.Graph) string {
	list := []string{}
	for _, g := range graphs {
		list = append(list, "{"+g.Name+" "+string(g.Type)+"}")
	}
	return "[" + strings.Join(list, " ") + "]"
}

func TestSwitchesAreAllTested(t *testing.T) {
	files, err := filepath.Glob("switches*_test.go")
	if err != nil || len(files) == 0 {
		t.Skip("the source is not here")
	}
	var source []byte
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		source = append(source, text...)
	}
	for _, known := range Switches() {
		for _, setting := range append([]string{""}, known.Choices...) {
			if !strings.Contains(string(source), strings.TrimSuffix(`"`+known.Name+"="+setting, "=")) {
				t.Errorf("%s=%s is in no test", known.Name, setting)
			}
		}
	}
}

func TestSwitchLocked(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	turn(t, s, "locked")
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := c.client.Call(ctx, small, c.token, "data.ai.getPage", map[string]string{"title": "Bread"})
		gone <- err
	}()
	done := make(chan error, 1)
	go func() {
		_, err := c.client.Call(t.Context(), small, c.token, "data.ai.getPage", map[string]string{"title": "Bread"})
		done <- err
	}()
	cancel()
	if err := <-gone; problem.CodeOf(err) != localapi.CodeCancelled {
		t.Errorf("one who went away: %v", err)
	}
	turn(t, s, "latency=1ms") // another switch does not open it
	select {
	case err := <-done:
		t.Errorf("too early: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	turn(t, s, "locked=off")
	if err := <-done; err != nil {
		t.Errorf("after the password: %v", err)
	}
}

func TestTurnSwitches(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	const route = "/sandbox/switches"
	for name, header := range map[string][]string{"no key": nil, "a wrong key": {"x"}, "another origin": {s.key, "Origin", "http://evil.example"}} {
		if status, body := askWith(t, s, "POST", route, `{"set":["disabled"]}`, header...); status != 401 && status != 403 || s.Switches().isOn(disabled) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	for body, want := range map[string]int{`{"set":["disabled"]}`: 200, `{"set":["nothing"]}`: 400, `[`: 400, `{"clear":true}`: 200} {
		if status, got := askWith(t, s, "POST", route, body, s.key); status != want || strings.Contains(got, s.key) {
			t.Errorf("%s: %d %s", body, status, got)
		}
	}
	if status, body := askWith(t, s, "GET", route, "", s.key); status != 200 || !strings.Contains(body, `"usage":"latency=DURATION"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := askWith(t, s, "DELETE", route, "", s.key); status != 405 {
		t.Errorf("%d", status)
	}

	states, err := TurnSwitches(t.Context(), s.options.Home, "", true, Setting{Name: latency, Value: "1ms"})
	if err != nil || len(states) != len(Switches()) || s.Switches().value(latency) != "1ms" {
		t.Errorf("%v, %v, %v", states, err, s.Switches().List())
	}
	s.Switches().Apply(Setting{Name: latency, Value: "1h"})
	if _, err := TurnSwitches(t.Context(), s.options.Home, "", true); err != nil || s.Switches().value(latency) != "" {
		t.Errorf("a sandbox that answers calls late can't be made quick again: %v", err)
	}
	if _, err := TurnSwitches(t.Context(), t.TempDir(), "", true); problem.CodeOf(err) != CodeNotRunning {
		t.Errorf("nothing runs there: %v", err)
	}
	info, err := os.Stat(filepath.Join(s.options.Data, keyFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", info, err)
	}
}

func TestNewGraphs(t *testing.T) {
	var wanted []NewGraph
	for _, text := range []string{"twin", "twin:offline:7", "large:2500", "other:9:offline"} {
		made, err := ParseNewGraph(text)
		require.NoError(t, err)
		wanted = append(wanted, made)
	}
	s := start(t, Options{Home: t.TempDir(), Policy: desk.Allow, New: wanted})
	got := map[localapi.Graph]int{}
	for _, graph := range s.Graphs() {
		got[graph.Graph] = graph.Blocks
	}
	twin := localapi.Graph{Name: "twin", Type: localapi.Hosted}
	if len(got) != 4 || got[localapi.Graph{Name: "other", Type: localapi.Offline}] != 9 || got[twin] != 0 || got[localapi.Graph{Name: "twin", Type: localapi.Offline}] != 7 || got[localapi.Graph{Name: "large", Type: localapi.Hosted}] != 2500 {
		t.Errorf("%v", got)
	}
	large := callerOf(t, s, localapi.Graph{Name: "large", Type: localapi.Hosted})
	if read := large.do("data.ai.getPage", `{"title": "`+bigPageTitle+`"}`); strings.Count(read, "<roam ") < 1000 {
		t.Errorf("the large page: %d bytes", len(read))
	}
	if read := callerOf(t, s, twin).do("data.ai.search", `{"query": "note"}`); !strings.Contains(read, `"total":0`) {
		t.Errorf("%s", read)
	}
	for _, text := range []string{"", "a b", "a:private", "a:offline:x", "a:-1", "a:9999999", "a:1:2", "a:", "a:offline:", "a:hosted:offline", "a:1:offline:2"} {
		if made, err := ParseNewGraph(text); err == nil {
			t.Errorf("%q: %v", text, made)
		}
	}
}
