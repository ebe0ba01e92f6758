package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/require"
)

// wireRow is a request and what must answer it. In its texts FULL, READ and
// APPEND stand for tokens of the small graph.
type wireRow struct {
	method, path, token, body string
	status                    int
	code                      problem.Code
	holds                     string // is in the body of the reply
}

// routeRows are the routes without a graph: LOCAL_API.md 1.3.2 to 1.3.4.
func routeRows() map[string]wireRow {
	const request, info = "/api/graphs/tokens/request", "/api/graphs/tokens/info"
	return map[string]wireRow{
		"open graphs":      {"GET", "/api/graphs/open", "", "", 200, "", `"result":[{"name":"small","type":"hosted"}]`},
		"available graphs": {"GET", "/api/graphs/available", "", "", 200, "", `"result":[{"name":"small","type":"hosted"}]`},

		"a token request":                   {"POST", request, "", `{"graph":"small","description":"x","accessLevel":"read-append","ai":true}`, 200, "", `"grantedAccessLevel":"read-append","grantedScopes":{"append":true,"read":true}`},
		"a token request with more keys":    {"POST", request, "", `{"graph":"small","graphType":"hosted","description":"x","accessLevel":"full","deviceName":"d"}`, 200, "", `"graphName":"small","graphType":"hosted"`},
		"a token request without graph":     {"POST", request, "", `{"description":"x","accessLevel":"full"}`, 400, localapi.CodeValidation, "Graph name is required"},
		"a token request that says nothing": {"POST", request, "", `{"graph":"small","accessLevel":"full"}`, 400, localapi.CodeValidation, "Description is required"},
		"a token request without level":     {"POST", request, "", `{"graph":"small","description":"x"}`, 400, localapi.CodeValidation, "read-only, read-append, full"},
		"a token request for edit-own":      {"POST", request, "", `{"graph":"small","description":"x","accessLevel":"read-edit-own"}`, 400, localapi.CodeValidation, ""},
		"a token request of another type":   {"POST", request, "", `{"graph":"small","graphType":"cloud","description":"x","accessLevel":"full"}`, 400, localapi.CodeValidation, ""},
		"a token request for no graph":      {"POST", request, "", `{"graph":"none","description":"x","accessLevel":"full"}`, 404, localapi.CodeGraphNotFound, "no hosted graph named none"},
		"a token request for the wrong kind": {"POST", request, "", `{"graph":"small","graphType":"offline","description":"x","accessLevel":"full"}`, 404, localapi.CodeGraphNotFound,
			"no offline graph named small"},
		"a token request of half a JSON":  {"POST", request, "", `{"graph":"sm`, 400, localapi.CodeValidation, "ends too early"},
		"a token request of wrong types":  {"POST", request, "", `{"graph":7}`, 400, localapi.CodeValidation, `\"graph\" can't be a JSON number`},
		"a token request that is a list":  {"POST", request, "", `[]`, 400, localapi.CodeValidation, "it is a JSON array"},
		"a token request with two bodies": {"POST", request, "", `{}{}`, 400, localapi.CodeValidation, "something follows"},

		"token info":                     {"POST", info, "", `{"token":"APPEND","graph":"small","type":"hosted"}`, 200, "", `"grantedAccessLevel":"read-append","grantedScopes":{"append":true,"read":true},"description":"a test"`},
		"token info of the wrong type":   {"POST", info, "", `{"token":"FULL","graph":"small","type":"offline"}`, 401, localapi.CodeWrongGraphType, "leave ?type=offline out"},
		"token info of another graph":    {"POST", info, "", `{"token":"FULL","graph":"other"}`, 401, localapi.CodeTokenNotFound, ""},
		"token info of an unknown token": {"POST", info, "", `{"token":"roam-graph-local-token-zzz","graph":"small"}`, 401, localapi.CodeTokenNotFound, ""},
		"token info of a cloud token":    {"POST", info, "", `{"token":"roam-graph-token-zzz","graph":"small"}`, 401, localapi.CodeInvalidTokenFormat, "cloud"},
		"token info without token":       {"POST", info, "", `{"graph":"small"}`, 400, localapi.CodeValidation, "Token and graph are required"},
	}
}

// actionRows are POST /api/{graph} and what is no route: LOCAL_API.md 1.3.1,
// 1.4 to 1.6.
func actionRows() map[string]wireRow {
	return map[string]wireRow{
		"an action":                         {"POST", "/api/small", "READ", `{"action":"data.ai.getPage","args":[{"title":"Water"}],"expectedApiVersion":"1.1.5"}`, 200, "", `"result":{"uid":"page-wate"`},
		"an action with another patch":      {"POST", "/api/small", "READ", `{"action":"data.ai.getGraphGuidelines","expectedApiVersion":"1.1.0"}`, 200, "", `"guidelines":"`},
		"an action with no args":            {"POST", "/api/small", "READ", `{"action":"data.ai.getGraphGuidelines"}`, 200, "", `"homepage":null`},
		"an action with null args":          {"POST", "/api/small", "READ", `{"action":"data.ai.getGraphGuidelines","args":null,"expectedApiVersion":null}`, 200, "", ""},
		"markup in a result stays as it is": {"POST", "/api/small", "READ", `{"action":"data.ai.getPage","args":[{"title":"Water"}]}`, 200, "", `<roam uid=`},
		"a page that is not there":          {"POST", "/api/small", "READ", `{"action":"data.ai.getPage","args":[{"title":"Nothing"}]}`, 200, "", `"success":true,"result":null,`},
		"an undefined result":               {"POST", "/api/small", "APPEND", `{"action":"data.page.create","args":[{"page":{"title":"New"}}]}`, 200, "", `{"success":true,"apiVersion":"1.1.5"}`},

		"another minor version": {"POST", "/api/small", "READ", `{"action":"data.ai.getGraphGuidelines","expectedApiVersion":"1.2.0"}`, 400, localapi.CodeVersionMismatch, `"apiVersion":"1.1.5","expectedApiVersion":"1.2.0"`},
		"a version that is a number": {"POST", "/api/small", "READ", `{"action":"data.ai.getGraphGuidelines","expectedApiVersion":1}`, 400, localapi.CodeVersionMismatch,
			`"expectedApiVersion":1`},
		"no token":                 {"POST", "/api/small", "", `{"action":"data.ai.getGraphGuidelines"}`, 401, localapi.CodeMissingToken, ""},
		"a token of no form":       {"POST", "/api/small", "hello", `{}`, 401, localapi.CodeInvalidTokenFormat, ""},
		"a cloud token":            {"POST", "/api/small", "roam-graph-token-abc", `{}`, 401, localapi.CodeInvalidTokenFormat, ""},
		"the other type":           {"POST", "/api/small?type=offline", "FULL", `{}`, 401, localapi.CodeWrongGraphType, ""},
		"a type that means hosted": {"POST", "/api/small?type=other", "FULL", `{"action":"data.ai.getGraphGuidelines"}`, 200, "", ""},
		"an unknown token":         {"POST", "/api/small", "roam-graph-local-token-abc", `{}`, 401, localapi.CodeTokenNotFound, ""},
		"another graph's token":    {"POST", "/api/other", "FULL", `{}`, 401, localapi.CodeTokenNotFound, "not valid for this graph"},
		"a graph that can't be":    {"POST", "/api/a%20b", "FULL", `{}`, 400, localapi.CodeValidation, ""},
		"an unknown action":        {"POST", "/api/small", "FULL", `{"action":"data.ai.suggestNothing","args":[]}`, 404, localapi.CodeUnknownAction, "data.ai.suggestNothing"},
		"no action":                {"POST", "/api/small", "FULL", `{"args":[]}`, 400, localapi.CodeValidation, "Action is required"},
		"args that are no list":    {"POST", "/api/small", "FULL", `{"action":"data.ai.getPage","args":{}}`, 400, localapi.CodeValidation, `\"args\" can't be a JSON object`},
		"reading needs read":       {"POST", "/api/small", "READ", `{"action":"data.ai.search","args":[{"query":"x"}]}`, 200, "", ""},
		"creating needs append":    {"POST", "/api/small", "READ", `{"action":"data.block.create","args":[]}`, 403, localapi.CodeInsufficientScope, "append"},
		"changing needs edit":      {"POST", "/api/small", "APPEND", `{"action":"data.block.update","args":[]}`, 403, localapi.CodeInsufficientScope, "edit"},
		"deleting needs edit":      {"POST", "/api/small", "APPEND", `{"action":"data.page.delete","args":[]}`, 403, localapi.CodeInsufficientScope, ""},
		"a handler that throws":    {"POST", "/api/small", "FULL", `{"action":"data.block.update","args":[]}`, 500, "", "an object is expected"},
		"arguments of wrong type":  {"POST", "/api/small", "FULL", `{"action":"data.ai.getPage","args":[{"title":7}]}`, 500, "", `\"title\" can't be a JSON number`},
		"a title that is taken":    {"POST", "/api/small", "FULL", `{"action":"data.page.create","args":[{"page":{"title":"Water"}}]}`, 500, "", "already exists"},
		"a parent that is not":     {"POST", "/api/small", "FULL", `{"action":"data.block.create","args":[{"location":{"parent-uid":"none","order":0},"block":{"string":"x"}}]}`, 500, "", "doesn't exist"},

		"the wrong method":      {"GET", "/api/small", "", "", 405, codeWrongMethod, ""},
		"posting for the list":  {"POST", "/api/graphs/open", "", "", 405, codeWrongMethod, ""},
		"a route that is not":   {"GET", "/api/graphs/tokens", "", "", 404, localapi.CodeNotFound, ""},
		"no route of this name": {"GET", "/health", "", "", 404, localapi.CodeNotFound, ""},
	}
}

func TestWire(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	tokens := strings.NewReplacer(
		"FULL", tokenFor(t, s, small, localapi.Full).Reveal(),
		"READ", tokenFor(t, s, small, localapi.ReadOnly).Reveal(),
		"APPEND", tokenFor(t, s, small, localapi.ReadAppend).Reveal())
	rows := routeRows()
	maps.Copy(rows, actionRows())
	for name, c := range rows {
		t.Run(name, func(t *testing.T) {
			header := []string{"Content-Type", "application/json"}
			if c.token != "" {
				header = append(header, "Authorization", "Bearer "+tokens.Replace(c.token))
			}
			status, body, headers := exchange(t, s, c.method, c.path, tokens.Replace(c.body), header...)
			var got struct {
				Success *bool
				Error   *struct {
					Code    problem.Code
					Message string
				}
				APIVersion string
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil || got.Success == nil {
				t.Fatalf("%v: %s", err, body)
			}
			if status != c.status || !strings.Contains(body, c.holds) || got.APIVersion != localapi.APIVersion {
				t.Errorf("status %d, %s\nwant %d with %s", status, body, c.status, c.holds)
			}
			if *got.Success != (status == 200) || (got.Error == nil) != (status == 200) {
				t.Errorf("success does not go with status %d: %s", status, body)
			}
			if got.Error != nil && (got.Error.Code != c.code || got.Error.Message == "") {
				t.Errorf("error %+v, want %q", got.Error, c.code)
			}
			if headers.Get("Content-Length") == "" || !strings.HasPrefix(headers.Get("Content-Type"), "application/json") || headers.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("headers %v", headers)
			}
			if status != 200 && secret.MatchString(body) {
				t.Errorf("an error quotes a token: %s", body)
			}
		})
	}
}

func TestGuard(t *testing.T) {
	s := start(t, Options{})
	own := fmt.Sprintf("http://127.0.0.1:%d", s.Port())
	for name, c := range map[string]struct {
		header []string
		status int
		code   problem.Code
	}{
		"no origin":               {nil, 200, ""},
		"localhost":               {[]string{"Host", "localhost:1"}, 200, ""},
		"another page":            {[]string{"Origin", "https://example.com"}, 403, codeForbiddenOrigin},
		"a file":                  {[]string{"Origin", "null"}, 403, codeForbiddenOrigin},
		"a page of another port":  {[]string{"Origin", "http://127.0.0.1:1"}, 403, codeForbiddenOrigin},
		"a page of this address":  {[]string{"Origin", own}, 403, codeForbiddenOrigin},
		"a name that points here": {[]string{"Host", "evil.example:3333"}, 403, codeForbiddenHost},
		"a name that begins well": {[]string{"Host", "127.0.0.1.evil.example"}, 403, codeForbiddenHost},
		"the loopback of IPv6":    {[]string{"Host", "[::1]:3333"}, 200, ""},
	} {
		status, body, _ := exchange(t, s, "GET", "/api/graphs/open", "", c.header...)
		if status != c.status || !strings.Contains(body, string(c.code)) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if status, _, _ := exchange(t, s, "OPTIONS", "/api/small", "", "Origin", "https://example.com", "Access-Control-Request-Method", "POST"); status != 403 {
		t.Errorf("a preflight of another page: %d", status)
	}
}

// bare is a server without graphs for tests of the handler alone.
func bare(t testing.TB) *Server {
	approval, err := desk.Open(desk.Options{Path: t.TempDir() + "/tokens.json", Policy: desk.Allow})
	require.NoError(t, err)
	s := &Server{
		options: Options{Home: t.TempDir(), Now: clock, Log: slog.New(slog.DiscardHandler)},
		desk:    approval, graphs: &library{}, actions: actions.New(actions.Options{}), maxBody: 1000,
		switches: newSwitchSet(),
	}
	s.page = s.newPage()
	return s
}

func TestMaxBody(t *testing.T) {
	for path, want := range map[string]int{"/api/graphs/tokens/request": 413, "/api/graphs/tokens/info": 413} {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest("POST", "http://127.0.0.1"+path, io.LimitReader(spaces{}, 2000))
		bare(t).handler().ServeHTTP(recorder, request)
		if recorder.Code != want || !strings.Contains(recorder.Body.String(), `"code":"PAYLOAD_TOO_LARGE"`) {
			t.Errorf("%s: %d %s", path, recorder.Code, recorder.Body)
		}
	}
}

// TestSend holds a large result, which is written as it is, to the form of a small one.
func TestSend(t *testing.T) {
	for _, size := range []int{2, maxCopied - 2, maxCopied + 1} {
		answer := reply{Success: true, APIVersion: localapi.APIVersion, Result: json.RawMessage(`"` + strings.Repeat("<", size-2) + `"`)}
		recorder := httptest.NewRecorder()
		send(recorder, http.StatusOK, answer)
		if got := recorder.Body.String(); got != string(rawjson.Encode(answer)) || recorder.Header().Get("Content-Length") != strconv.Itoa(len(got)) {
			t.Errorf("%d bytes: %.60s…", size, got)
		}
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestPanic(t *testing.T) {
	s := bare(t)
	handler := s.guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a bug") }))
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest("GET", "http://127.0.0.1/", nil))
	if recorder.Code != 500 || strings.Contains(recorder.Body.String(), "a bug") || !strings.Contains(recorder.Body.String(), `"INTERNAL_ERROR"`) {
		t.Errorf("%d %s", recorder.Code, recorder.Body)
	}
}

func TestTokenWithoutGraph(t *testing.T) {
	s := bare(t)
	token := tokenFor(t, s, demo, localapi.Full)
	request := httptest.NewRequest("POST", "http://127.0.0.1/api/demo", strings.NewReader(`{"action":"data.ai.search","args":[{"query":"x"}]}`))
	request.Header.Set("Authorization", "Bearer "+token.Reveal())
	recorder := httptest.NewRecorder()
	s.handler().ServeHTTP(recorder, request)
	if recorder.Code != 500 || !strings.Contains(recorder.Body.String(), "does not exist") {
		t.Errorf("%d %s", recorder.Code, recorder.Body)
	}
}
