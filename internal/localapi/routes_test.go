package localapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func TestListsOfGraphsInEveryForm(t *testing.T) {
	both := []Graph{{"my-graph", Hosted}, {"notes", Offline}}
	for name, c := range map[string]struct {
		status int
		body   string
		want   []Graph
		code   problem.Code
	}{
		"wrapped":                              {200, `{"success":true,"result":[{"name":"my-graph","type":"hosted"},{"name":"notes","type":"offline"}]}`, both, ""},
		"a bare array":                         {200, `[{"name":"my-graph"},{"name":"notes","type":"offline"}]`, both, ""},
		"empty":                                {200, `{"success":true,"result":[]}`, []Graph{}, ""},
		"unusable names are left out":          {200, `[{"name":"a b"},{"name":"ok"},{"name":"x","type":"future"}]`, []Graph{{"ok", Hosted}}, ""},
		"success false":                        {200, `{"success":false,"error":"not signed in"}`, nil, CodeValidation},
		"disabled":                             {403, `{"success":false,"error":"Local API is disabled"}`, nil, CodeDisabled},
		"a web server that is not Roam":        {200, `<html>hello</html>`, nil, CodeNotRoam},
		"a web server without the page":        {404, `404 page not found`, nil, CodeNotRoam},
		"a web server that leads away":         {302, ``, nil, CodeNotRoam},
		"one that wants to be asked otherwise": {400, `Client sent an HTTP request to an HTTPS server.`, nil, CodeNotRoam},
		"one that wants a password":            {401, `Unauthorized`, nil, CodeNotRoam},
		"JSON that is not Roam":                {200, `{"status":"UP"}`, nil, CodeNotRoam},
		"a list of something else":             {200, `[1,2,3]`, nil, CodeNotRoam},
	} {
		t.Run(name, func(t *testing.T) {
			graphs, err := serve(t, answer(c.status, c.body)).AvailableGraphs(t.Context())
			if c.code != "" {
				if e := failedCall(t, err); e.Code != c.code || e.Message == "" {
					t.Errorf("%+v, want %s", e, c.code)
				}
				return
			}
			if err != nil || fmt.Sprint(graphs) != fmt.Sprint(c.want) {
				t.Errorf("%v, %v; want %v", graphs, err, c.want)
			}
		})
	}
}

func TestRequestTokenAsksAndReadsTheGrant(t *testing.T) {
	secret := secretToken(t).Reveal()
	var asked map[string]any
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/graphs/tokens/request" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		answer(200, `{"success":true,"token":"`+secret+`","graphName":"notes","graphType":"offline","grantedAccessLevel":"read-append","grantedScopes":{"read":true,"append":true}}`)(w, r)
	})
	graph := Graph{"notes", Offline}
	grant, err := client.RequestToken(t.Context(), TokenRequest{Graph: graph, AccessLevel: Full, Description: "roam-mcp"})
	require.NoError(t, err)
	if grant.Token.Reveal() != secret || grant.AccessLevel != ReadAppend || grant.Graph != graph {
		t.Errorf("%+v", grant)
	}
	want := map[string]any{"graph": "notes", "graphType": "offline", "description": "roam-mcp", "accessLevel": "full", "ai": true}
	if fmt.Sprint(asked) != fmt.Sprint(want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
}

func TestAGrantWithoutLevelTakesItFromTheScopes(t *testing.T) {
	for scopes, want := range map[string]AccessLevel{
		`{"read":true}`: ReadOnly, `{"read":true,"append":true}`: ReadAppend, `{"read":true,"append":true,"edit":true}`: Full, `{}`: "",
	} {
		body := fmt.Sprintf(`{"success":true,"token":%q,"grantedScopes":%s}`, secretToken(t).Reveal(), scopes)
		grant, err := serve(t, answer(200, body)).RequestToken(t.Context(), TokenRequest{Graph: work})
		if err != nil || grant.AccessLevel != want {
			t.Errorf("%s: %q, %v", scopes, grant.AccessLevel, err)
		}
	}
}

func TestALevelThatIsNoWordIsNotShown(t *testing.T) {
	secret := secretToken(t).Reveal()
	for sent, want := range map[string]AccessLevel{
		`read-write-2`: "read-write-2", `full\u001b[2J`: "", `full\u202e`: "", `all of it`: "", secret: "",
	} {
		client := serve(t, answer(200, fmt.Sprintf(`{"success":true,"token":%q,"grantedAccessLevel":"%s"}`, secret, sent)))
		grant, err := client.RequestToken(t.Context(), TokenRequest{Graph: work})
		if err != nil || grant.AccessLevel != want {
			t.Errorf("granted %s: %q, %v", sent, grant.AccessLevel, err)
		}
		if info := client.TokenInfo(t.Context(), work, secretToken(t)); info.Status != TokenActive || info.AccessLevel != want {
			t.Errorf("told %s: %+v", sent, info)
		}
	}
}

func TestAGrantWithoutUsableTokenIsAnError(t *testing.T) {
	for _, body := range []string{`{"success":true}`, `{"success":true,"token":""}`, `{"success":true,"token":"roam-graph-token-cloud"}`} {
		_, err := serve(t, answer(200, body)).RequestToken(t.Context(), TokenRequest{Graph: work})
		if e := failedCall(t, err); e.Code != CodeInvalidReply {
			t.Errorf("%s: %+v", body, e)
		}
	}
}

func TestOnlyA401WithTokenNotFoundIsRevoked(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   TokenStatus
	}{
		"active":                         {200, `{"success":true,"grantedAccessLevel":"full"}`, TokenActive},
		"revoked":                        {401, `{"success":false,"error":{"code":"TOKEN_NOT_FOUND","message":"x"}}`, TokenRevoked},
		"that code with another status":  {500, `{"success":false,"error":{"code":"TOKEN_NOT_FOUND","message":"x"}}`, TokenUnknown},
		"401 with another code":          {401, `{"success":false,"error":{"code":"WRONG_GRAPH_TYPE","message":"x"}}`, TokenUnknown},
		"401 that only sounds like it":   {401, `{"success":false,"error":"Invalid or expired token"}`, TokenUnknown},
		"a build without the route":      {404, `Cannot POST`, TokenUnknown},
		"success false":                  {200, `{"success":false}`, TokenUnknown},
		"a reply that is not understood": {200, `<html>`, TokenUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			info := serve(t, answer(c.status, c.body)).TokenInfo(t.Context(), work, secretToken(t))
			if info.Status != c.want || (info.Reason == nil) != (c.want == TokenActive) {
				t.Errorf("%+v, want %s", info, c.want)
			}
		})
	}
}

func TestVerifyTokenReadsTheGraphWhereRoamCannotTell(t *testing.T) {
	var actions atomic.Int32
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/graphs/") {
			answer(404, `{"success":false,"error":"Cannot POST"}`)(w, r)
			return
		}
		actions.Add(1)
		answer(200, `{"success":true,"result":{}}`)(w, r)
	})
	if level, err := client.VerifyToken(t.Context(), work, secretToken(t)); err != nil || level != "" || actions.Load() != 1 {
		t.Errorf("%q, %v, %d actions", level, err, actions.Load())
	}
	revoked := serve(t, answer(401, `{"success":false,"error":{"code":"TOKEN_NOT_FOUND","message":"x"}}`))
	if _, err := revoked.VerifyToken(t.Context(), work, secretToken(t)); failedCall(t, err).Code != CodeTokenNotFound {
		t.Errorf("%v", err)
	}
}

func TestThePortFile(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		port    int
		strict  int
	}{
		"as Roam writes it":  {`{"port": 4444}`, 4444, 4444},
		"with other fields":  {`{"port":3334,"last-graph":"x"}`, 3334, 3334},
		"without a port":     {`{}`, DefaultPort, 0},
		"null":               {`{"port":null}`, DefaultPort, 0},
		"text":               {`{"port":"3333"}`, DefaultPort, 0},
		"a fraction":         {`{"port":3333.5}`, DefaultPort, 0},
		"zero":               {`{"port":0}`, DefaultPort, 0},
		"above all ports":    {`{"port":65536}`, DefaultPort, 0},
		"half written":       {`{"port": 33`, DefaultPort, 0},
		"an array":           {`[3333]`, DefaultPort, 0},
		"empty":              {``, DefaultPort, 0},
		"larger than a file": {strings.Repeat(" ", maxPortFile) + `{"port": 4444}`, DefaultPort, 0},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), PortFileName)
			require.NoError(t, os.WriteFile(path, []byte(c.content), 0o600))
			if port, _ := (PortFile{Path: path}).Read(); port != c.port {
				t.Errorf("port %d, want %d", port, c.port)
			}
			if port, err := (PortFile{Path: path, Strict: true}).Read(); port != c.strict || (err == nil) != (c.strict != 0) {
				t.Errorf("strict: port %d (%v), want %d", port, err, c.strict)
			}
		})
	}
	missing := filepath.Join(t.TempDir(), "none")
	if port, _ := (PortFile{Path: missing}).Read(); port != DefaultPort {
		t.Errorf("no file: port %d", port)
	}
	client := New(Options{PortFile: PortFile{Path: missing, Strict: true}})
	if _, err := client.OpenGraphs(t.Context()); failedCall(t, err).Code != CodeConnectionFailed || client.Address() != "" {
		t.Errorf("a strict client without port file: %v at %q", err, client.Address())
	}
}

func TestGuidelinesAreFoundInEveryShapeOfTheReply(t *testing.T) {
	for name, test := range map[string]struct{ result, want string }{
		"an object":                     {`{"guidelines": "- be kind", "starredPages": []}`, "- be kind"},
		"an object with null":           {`{"guidelines": null}`, ""},
		"an object without the field":   {`{"starredPages": []}`, ""},
		"the bare string of old builds": {`"- be kind"`, "- be kind"},
		"null":                          {`null`, ""},
		"no result at all":              {``, ""},
		"something else in the field":   {`{"guidelines": {"text": "x"}}`, ""},
		"a list":                        {`["x"]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := guidelinesIn([]byte(test.result)); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}
