package transport

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
)

func TestPages(t *testing.T) {
	const page = "http://localhost:5173"
	e := serveHTTP(t, func(o *HTTPOptions) { o.Origins = []string{page + "/", "https://App.Example:443"} })
	preflight := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type,mcp-protocol-version", "Authorization", ""}
	for name, tc := range map[string]struct {
		method, origin string
		headers        []string
		status         int
		allowed        bool
	}{
		"a page that is allowed":             {"POST", page, []string{"Sec-Fetch-Site", "same-site"}, 200, true},
		"another, on another machine":        {"POST", "https://app.example", []string{"Sec-Fetch-Site", "cross-site"}, 200, true},
		"one without the token":              {"POST", page, []string{"Authorization", ""}, 401, true},
		"one with another token":             {"POST", page, []string{"Authorization", "Bearer x"}, 401, true},
		"one that calls by another name":     {"POST", page, []string{"Host", "evil.example"}, 403, true},
		"a page of another port":             {"POST", "http://localhost:5174", nil, 403, false},
		"a page of another scheme":           {"POST", "https://localhost:5173", nil, 403, false},
		"a page of a name that ends so":      {"POST", "https://evil.app.example", nil, 403, false},
		"a page without an origin":           {"POST", "null", nil, 403, false},
		"what is allowed, in other words":    {"POST", "http://LOCALHOST:5173", nil, 403, false},
		"the preflight of one":               {"OPTIONS", page, preflight, 204, true},
		"the preflight of another page":      {"OPTIONS", "http://evil.example", preflight, 403, false},
		"a preflight with another host name": {"OPTIONS", page, append(preflight, "Host", "evil.example"), 403, true},
		"OPTIONS that are no preflight":      {"OPTIONS", page, nil, 405, true},
		"no page":                            {"POST", "", nil, 200, false},
	} {
		t.Run(fmt.Sprintf("%s gets %d", name, tc.status), func(t *testing.T) {
			request := e.Request(t, mcptest.Initialize, append([]string{"Origin", tc.origin}, tc.headers...)...)
			request.Method = tc.method
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			response.Body.Close()
			if response.StatusCode != tc.status {
				t.Errorf("status %d", response.StatusCode)
			}
			want := ""
			if tc.allowed {
				want = tc.origin
			}
			header := response.Header
			if got := header.Get("Access-Control-Allow-Origin"); got != want {
				t.Errorf("the answer may be read by %q", got)
			}
			if got := header.Get("Access-Control-Expose-Headers"); strings.Contains(got, headerSession) != tc.allowed {
				t.Errorf("of its header %q may be read", got)
			}
			if header.Get("Vary") != "Origin" || header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("the header is %v", header)
			}
			if tc.status != 204 {
				return
			}
			for _, each := range []string{"Authorization", "Content-Type", headerSession, "MCP-Protocol-Version", headerMethod, "Mcp-Name", "Last-Event-ID"} {
				if !strings.Contains(header.Get("Access-Control-Allow-Headers"), each) {
					t.Errorf("a page may not send %s", each)
				}
			}
			if got := header.Get("Access-Control-Allow-Methods"); got != "GET, POST, DELETE" {
				t.Errorf("a page may %s", got)
			}
		})
	}
	t.Run("are told of nowhere where none is allowed", func(t *testing.T) {
		e := serveHTTP(t)
		request := e.Request(t, "", append([]string{"Origin", page}, preflight...)...)
		request.Method = http.MethodOptions
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		response.Body.Close()
		if response.StatusCode != 403 || response.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("status %d: %v", response.StatusCode, response.Header)
		}
	})
}
