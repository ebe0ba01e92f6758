package transport

import (
	"fmt"
	"mime"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/mcptest"
)

func TestEveryAnswerIsJSONRPC(t *testing.T) {
	e := serveHTTP(t, func(o *HTTPOptions) { o.MaxBody = 10_000 })
	session := e.hello()
	in := func(headers ...string) []string { return append([]string{headerSession, session}, headers...) }
	alone := func(method string, headers ...string) []string {
		return append([]string{headerVersion, StatelessVersion, headerMethod, method, "Mcp-Name", "text"}, headers...)
	}
	request := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":7.50,"method":%q%s}`, method, params)
	}
	list := request("tools/list", `,"params":{}`)
	listAlone := request("tools/list", `,"params":{`+mcptest.StatelessMeta+`}`)
	long := strings.Repeat("x", 10_000)
	for name, tc := range map[string]struct {
		body    string
		headers []string
		status  int
		code    float64
		hasID   bool
	}{
		"an unknown method":                       {request("no/such", ""), in(), 200, -32601, true},
		"an unknown method, stateless":            {request("no/such", `,"params":{`+mcptest.StatelessMeta+`}`), alone("no/such"), 404, -32601, true},
		"an unknown notification":                 {`{"jsonrpc":"2.0","method":"notifications/no"}`, in(), 400, -32601, false},
		"a request without params":                {request("tools/call", ""), in(), 200, -32600, true},
		"a notification with an id":               {request("notifications/initialized", ""), in(), 200, -32600, true},
		"a request without an id":                 {`{"jsonrpc":"2.0","method":"tools/list"}`, in(), 400, -32600, false},
		"an id that is a list":                    {`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, in(), 400, -32600, false},
		"an id that is null":                      {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, in(), 400, -32600, false},
		"no version of JSON-RPC":                  {`{"id":7.50,"method":"ping"}`, in(), 400, -32600, true},
		"another version of JSON-RPC":             {`{"jsonrpc":"1.0","id":7.50,"method":"ping"}`, in(), 400, -32600, true},
		"a method that is a number":               {`{"jsonrpc":"2.0","id":7.50,"method":7}`, in(), 400, -32600, true},
		"a version of MCP that never was":         {list, in(headerVersion, "2020-01-01"), 400, -32600, true},
		"a version of MCP that is to come":        {listAlone, alone("tools/list", headerVersion, "2099-01-01"), 400, -32020, true},
		"a header that is not what the body says": {listAlone, alone("tools/call"), 400, -32020, true},
		"no session":                              {list, nil, 400, -32600, true},
		"a session that is not open":              {list, []string{headerSession, "none"}, 404, -32600, true},
		"another content type":                    {list, in("Content-Type", "text/plain"), 415, -32600, true},
		"another content type, stateless":         {listAlone, alone("tools/list", "Content-Type", "text/plain"), 415, -32600, true},
		"no content type":                         {list, in("Content-Type", ""), 415, -32600, true},
		"one kind of answer only":                 {list, in("Accept", "application/json"), 400, -32600, true},
		"one kind of answer only, stateless":      {listAlone, alone("tools/list", "Accept", "text/event-stream"), 400, -32600, true},
		"an event to go on from":                  {list, in("Last-Event-ID", "1_1"), 400, -32600, true},
		"a message that is too long":              {request("ping", `,"params":{"x":"`+long+`"}`), in(), 413, -32600, false},
		"half a message":                          {list[:20], in(), 400, -32700, false},
		"no message":                              {"", in(), 400, -32700, false},
		"a string":                                {`"ping"`, in(), 400, -32600, false},
		"a batch":                                 {"[" + list + "]", in(headerVersion, "2025-06-18"), 400, -32600, false},
		"a batch of nothing":                      {"[]", in(), 400, -32600, false},
		"a batch that is too long":                {"[" + strings.Repeat("{},", MaxPerClient) + "{}]", in(), 400, -32600, false},
		"a batch with a number in it":             {"[" + list + ",7]", in(), 400, -32600, false},
	} {
		t.Run(fmt.Sprintf("to %s, with %d", name, tc.status), func(t *testing.T) {
			response, text := e.Post(t, tc.body, tc.headers...)
			kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
			if response.StatusCode != tc.status || kind != "application/json" {
				t.Errorf("status %d, %s: %.300s", response.StatusCode, kind, text)
			}
			message := mcptest.Message(t, text)
			if message["jsonrpc"] != "2.0" || mcptest.Code(message) != tc.code {
				t.Errorf("got %.300s", text)
			}
			if strings.Contains(text, `"id":7.50,`) != tc.hasID || !tc.hasID && !strings.Contains(text, `"id":null`) {
				t.Errorf("the id is not as it came: %.300s", text)
			}
			if strings.Contains(text, "roam-mcp-id") || strings.Contains(text, "JSON RPC not handled") || mcptest.NamesGo(message) {
				t.Errorf("it speaks of what is within: %.300s", text)
			}
		})
	}
	for _, method := range []string{"GET", "DELETE", "PUT", "PATCH"} {
		t.Run("to "+method+" without a message", func(t *testing.T) {
			request := e.Request(t, "")
			request.Method = method
			response, err := e.Client().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode < 400 || response.Header.Get("Content-Type") != "application/json" {
				t.Errorf("status %d, %s", response.StatusCode, response.Header.Get("Content-Type"))
			}
		})
	}
}
