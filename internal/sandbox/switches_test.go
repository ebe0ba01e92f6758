package sandbox

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/switches"
	"roam-mcp/internal/testutil/require"
)

func turn(t *testing.T, s *Server, texts ...string) {
	t.Helper()
	settings, err := switches.ParseAll(texts)
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
		"latency=1ms":          {says: "Bread"},
		"slow-start=1ms":       {says: "Bread"},
		"window-closed":        {localapi.CodeWindowClosed, 500, "Promise error"},
		"body-cap=10":          {localapi.CodeRequestTooLarge, 413, ""},
		"body-cap=1MiB":        {says: "Bread"},
		"drop":                 {localapi.CodeConnectionFailed, 0, "broke before the reply"},
		"reply=html":           {localapi.CodeInvalidReply, 502, "text/html"},
		"reply=text":           {localapi.CodeInvalidReply, 200, "text/plain"},
		"reply=half":           {localapi.CodeInvalidReply, 200, "can't be understood"},
		"reply=empty":          {localapi.CodeInvalidReply, 200, "nothing else"},
		"reply=redirect":       {localapi.CodeValidation, 302, "nothing else"},
		"fail=data.ai.getPage": {localapi.CodeInternal, 500, "fail is on"},
		"fail=data.ai.getPage:the query took too long": {localapi.CodeQueryTimeout, 500, "took too long"},
		"fail=data.ai.getBlock":                        {says: "Bread"},
		"no-api-version":                               {says: "Bread"},
		"api-version=1.1.0":                            {says: "Bread"},
		"api-version=1.2.0":                            {localapi.CodeVersionMismatch, 400, "1.2.0"},
		"api-version=1.0.9":                            {localapi.CodeVersionMismatch, 400, "1.0.9"},
		"disabled":                                     {localapi.CodeDisabled, 403, ""},
		"lax-origin":                                   {says: "Bread"},
		"tokens=revoked":                               {localapi.CodeTokenNotFound, 401, ""},
		"tokens=wrong-graph":                           {localapi.CodeTokenNotFound, 401, ""},
		"tokens=wrong-type":                            {localapi.CodeWrongGraphType, 401, ""},
		"tokens=cloud":                                 {localapi.CodeInvalidTokenFormat, 401, ""},
		"tokens=corrupt-file":                          {localapi.CodeTokenFileCorrupted, 500, ""},
		"demoted":                                      {says: "Bread"},
		"public=small":                                 {says: "Bread"},
		"public=other":                                 {says: "Bread"},
		"encrypted=small":                              {says: "Bread"},
		"locked=1ms":                                   {localapi.CodeInternal, 504, ""},
		"no-linked-references":                         {says: `"uid":"page-brea"}`},
		"signed-out":                                   {says: "Bread"},
		"old-wire":                                     {says: `- ## Flour and [[Water]] <roam uid=\"blk-flour\" refs=\"1\"`},
		"build=early-2026":                             {says: `See [Flour and [[Water]]](((blk-flour)))`},
		"build=api-0.0.9":                              {localapi.CodeVersionMismatch, 400, "this is 0.0.9"},
		"bare-documents":                               {says: `{"markdown":"# Bread`},
		"few-ai-actions":                               {says: "Bread"},
		"no-token-codes":                               {says: "Bread"},
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

func TestSwitchesOfWritesAndOldBuilds(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow, SemanticSearch: true})
	c := callerOf(t, s, small)
	const write, nothing = `{"block": {"uid": "blk-child", "open": true}}`, `{"block": {"uid": "no-such"}}`
	const batch = `{"uids": ["no-such"]}`
	c.do("data.page.fromMarkdown", `{"page": {"title": "agent guidelines"}, "markdown-string": "- As of old."}`)
	c.do("data.page.fromMarkdown", `{"page": {"title": "Forms"}, "markdown-string": "- Form #[[roam/templates]]"}`)
	for _, one := range []struct {
		setting, action, argument string
		want                      seen
	}{
		{"demoted", "data.block.update", write, seen{localapi.CodeScopeExceedsPermission, 403, ""}},
		{"public=small", "data.block.update", write, seen{localapi.CodeScopeExceedsPermission, 403, ""}},
		{"encrypted=small", "graph.isEncrypted", "", seen{says: "true"}},
		{"signed-out", "data.semanticSearchEnabled", "", seen{says: "false"}},
		{"signed-out=off", "data.semanticSearchEnabled", "", seen{says: "true"}},
		{"encrypted=other", "graph.isEncrypted", "", seen{says: "false"}},
		{"string-errors", "data.nothing", "", seen{localapi.CodeUnknownAction, 404, "Unknown action"}},
		{"no-codes", "data.nothing", "", seen{localapi.CodeUnknownAction, 404, "Unknown action"}},
		{"no-delete-report", "data.block.delete", nothing, seen{says: "null"}},
		{"no-delete-report=off", "data.block.delete", nothing, seen{says: "not-found"}},
		{"no-delete-report", "data.page.delete", `{"page": {"uid": "no-such"}}`, seen{says: "null"}},
		{"bare-guidelines", "data.ai.getGraphGuidelines", "", seen{says: `"- Ask before you delete."`}},
		{"old-guidelines-page", "data.ai.getGraphGuidelines", "", seen{says: `"guidelines":"- As of old."`}},
		{"build=early-2026", "data.ai.getGraphGuidelines", "", seen{says: `"- As of old."`}},
		{"bare-templates", "data.ai.searchTemplates", "", seen{says: `[{"name":"Form"`}},
		{"build=early-2026", "data.ai.searchTemplates", `{"query":"no such"}`, seen{says: `[]`}},
		{"few-ai-actions", "data.ai.getComments", `{"uid":"blk-child"}`, seen{localapi.CodeUnknownAction, 404, ""}},
		{"few-ai-actions", "data.block.addComment", `{"block-uid":"blk-child","reply-string":"x"}`, seen{localapi.CodeUnknownAction, 404, ""}},
		{"few-ai-actions", "data.ai.suggestLinks", `{"text": "Water"}`, seen{localapi.CodeUnknownAction, 404, ""}},
		{"few-ai-actions=off", "data.ai.getComments", `{"uid":"blk-child"}`, seen{says: "comments"}},
		{"no-batch", "data.block.deleteBlocks", batch, seen{localapi.CodeUnknownAction, 404, ""}},
		{"no-batch", "batchActions", `{"actions":[]}`, seen{localapi.CodeUnknownAction, 404, ""}},
		{"no-batch=off", "data.block.deleteBlocks", batch, seen{says: "not-found"}},
		{"old-batch-names", "data.block.deleteBlocks", batch, seen{localapi.CodeUnknownAction, 404, ""}},
		{"old-batch-names", "data.block.deleteMany", batch, seen{says: "not-found"}},
		{"old-batch-names=off", "data.block.deleteMany", batch, seen{localapi.CodeUnknownAction, 404, ""}},
		{"no-suggest-links", "data.ai.suggestLinks", `{"text": "Water"}`, seen{localapi.CodeUnknownAction, 404, ""}},
		{"no-linked-references", "data.ai.getBacklinks", `{"title": "Water"}`, seen{says: `"total":1`}},
		{"old-wire", "data.ai.getBlock", `{"uid": "blk-child"}`, seen{says: `"path":"Bread > Flour and [[Water]]"`}},
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
		`{"action":"data.ai.getGraphGuidelines","args":[],"expectedApiVersion":"0.0.9"}`:                `"result":null`,
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
	turn(t, s, "build=early-2026")
	if s.Switches().On(switches.FewForAI) || s.Switches().Value(switches.APIVersion) != "" {
		t.Errorf("what belongs to the other build is on: %v", s.Switches().List())
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
	turn(t, s, "no-tokens-info")
	info := client.TokenInfo(t.Context(), small, grant.Token)
	if info.Status != localapi.TokenUnknown {
		t.Errorf("without the route: %+v", info)
	}
	if _, err := client.VerifyToken(t.Context(), small, grant.Token); err != nil {
		t.Errorf("the client reads the graph instead: %v", err)
	}
	turn(t, s, "no-tokens-info=off", "tokens=revoked")
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
	turn(t, s, "no-available")
	if listing, err := localapi.List(t.Context(), client); err != nil || !listing.Partial || names(listing.Open) != "[{demo hosted} {notebook offline}]" {
		t.Errorf("without a list of available graphs: %+v, %v", listing, err)
	}
	for setting, want := range map[string]string{
		"latency=1ms": "[{demo hosted} {notebook offline}] [{demo hosted} {notebook offline}]",
		"bare-lists":  "[{demo hosted} {notebook offline}] [{demo hosted} {notebook offline}]",
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
	for _, known := range switches.Catalog() {
		for _, setting := range append([]string{""}, known.Choices...) {
			if name := string(known.Name); !strings.Contains(string(source), strings.TrimSuffix(`"`+name+"="+setting, "=")) {
				t.Errorf("%s=%s is in no test", name, setting)
			}
		}
	}
}

func TestSwitchDrop(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow, Switches: []switches.Setting{{Name: switches.Drop, Value: "1"}}})
	c := callerOf(t, s, small)
	_, err := c.try("data.block.update", `{"block": {"uid": "blk-child", "string": "written"}}`)
	if e, ok := problem.AsCall(err); !ok || !e.Sent() {
		t.Errorf("%v", err)
	}
	if got := c.markdown("blk-child"); !strings.HasPrefix(got, "- written") {
		t.Errorf("%s", got)
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

func TestSwitchLaxOrigin(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow, Switches: []switches.Setting{{Name: switches.LaxOrigin, Value: "on"}}})
	evil := []string{"Origin", "http://evil.example"}
	if status, body, header := exchange(t, s, "GET", "/api/graphs/open", "", evil...); status != 200 || header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %s", status, body)
	}
	if status, _, header := exchange(t, s, "OPTIONS", "/api/small", "", evil...); status != 204 || !strings.Contains(header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("the question before: %d %v", status, header)
	}
	for _, path := range []string{"/", "/switches", "/sandbox/switches", "/page/events"} {
		if status, body, _ := exchange(t, s, "GET", path, "", evil...); status != http.StatusForbidden {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	s.Switches().Clear()
	if status, _, _ := exchange(t, s, "GET", "/api/graphs/open", "", evil...); status != http.StatusForbidden {
		t.Errorf("without the switch: %d", status)
	}
}

func TestTurnSwitches(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	const route = "/sandbox/switches"
	for name, header := range map[string][]string{"no key": nil, "a wrong key": {"x"}, "another origin": {s.key, "Origin", "http://evil.example"}} {
		if status, body := askWith(t, s, "POST", route, `{"set":["disabled"]}`, header...); status != 401 && status != 403 || s.Switches().On(switches.Disabled) {
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

	states, err := TurnSwitches(t.Context(), s.options.Home, "", true, switches.Setting{Name: switches.Latency, Value: "1ms"})
	if err != nil || len(states) != len(switches.Catalog()) || s.Switches().Value(switches.Latency) != "1ms" {
		t.Errorf("%v, %v, %v", states, err, s.Switches().List())
	}
	s.Switches().Apply(switches.Setting{Name: switches.Latency, Value: "1h"})
	if _, err := TurnSwitches(t.Context(), s.options.Home, "", true); err != nil || s.Switches().Value(switches.Latency) != "" {
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
