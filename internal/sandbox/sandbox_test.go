package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/store"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

func TestStartMakesSampleGraphs(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Home: filepath.Join(t.TempDir(), "home")})
	client := clientOf(t, s)
	open, err := client.OpenGraphs(t.Context())
	if err != nil || fmt.Sprint(open) != fmt.Sprint([]localapi.Graph{demo}) {
		t.Errorf("open: %v, %v", open, err)
	}
	available, err := client.AvailableGraphs(t.Context())
	if err != nil || fmt.Sprint(available) != fmt.Sprint([]localapi.Graph{demo, notebook}) {
		t.Errorf("available: %v, %v", available, err)
	}
	for _, graph := range s.Graphs() {
		if graph.Pages < 5 || graph.Blocks < graph.Pages {
			t.Errorf("%+v is no graph to show", graph)
		}
	}
	if port, ok := Running(t.Context(), s.options.Home); !ok || port != s.Port() {
		t.Errorf("Running: %d, %v", port, ok)
	}
}

func TestTokenRequestOpensTheGraph(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Home: t.TempDir(), Policy: desk.Deny})
	client := clientOf(t, s)
	for body, missing := range map[string]string{
		`{"graph":"notebook","graphType":"offline","accessLevel":"full"}`:                   "Description is required",
		`{"graph":"notebook","graphType":"offline","description":"x","accessLevel":"none"}`: "Access level must be one of",
		`{"graph":"no-such-graph","accessLevel":"full"}`:                                    "Description is required",
	} {
		if status, answer, _ := exchange(t, s, "POST", "/api/graphs/tokens/request", body); status != 400 || !strings.Contains(answer, missing) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	if open, err := client.OpenGraphs(t.Context()); err != nil || len(open) != 1 {
		t.Errorf("open after requests that no dialog was shown for: %v, %v", open, err)
	}
	_, err := client.RequestToken(t.Context(), localapi.TokenRequest{Graph: notebook, AccessLevel: localapi.Full, Description: "x"})
	if problem.CodeOf(err) != localapi.CodeUserRejected {
		t.Errorf("%v", err)
	}
	if open, err := client.OpenGraphs(t.Context()); err != nil || len(open) != 2 {
		t.Errorf("open: %v, %v", open, err)
	}
}

func TestTokenRequest(t *testing.T) {
	s := start(t, Options{Policy: desk.Ask})
	client := clientOf(t, s)
	request := localapi.TokenRequest{Graph: small, AccessLevel: localapi.Full, Description: "x"}
	watch := s.Desk().Watch(t.Context())
	<-watch

	type answer struct {
		grant localapi.TokenGrant
		err   error
	}
	ask := func(ctx context.Context) <-chan answer {
		done := make(chan answer, 1)
		go func() {
			grant, err := client.RequestToken(ctx, request)
			done <- answer{grant, err}
		}()
		return done
	}

	done := ask(t.Context())
	pending := <-watch
	if _, err := client.RequestToken(t.Context(), request); problem.CodeOf(err) != localapi.CodeRequestInProgress {
		t.Errorf("the second request: %v", err)
	}
	require.NoError(t, s.Desk().Answer(pending[0].ID, desk.Decision{Verdict: desk.Grants, AccessLevel: localapi.ReadAppend}))
	got := <-done
	if got.err != nil || got.grant.AccessLevel != localapi.ReadAppend {
		t.Fatalf("%+v, %v", got.grant, got.err)
	}
	if info := client.TokenInfo(t.Context(), small, got.grant.Token); info.Status != localapi.TokenActive || info.AccessLevel != localapi.ReadAppend {
		t.Errorf("%+v", info)
	}
	<-watch // none open

	ctx, cancel := context.WithCancel(t.Context())
	ask(ctx)
	<-watch
	cancel()
	if pending := <-watch; len(pending) != 0 {
		t.Errorf("the dialog of one who went away is still open: %v", pending)
	}

	if _, err := s.Desk().Revoke(small, ""); err != nil {
		t.Fatal(err)
	}
	if info := client.TokenInfo(t.Context(), small, got.grant.Token); info.Status != localapi.TokenRevoked {
		t.Errorf("after revoking: %+v", info)
	}

	done = ask(t.Context())
	<-watch
	stop(t, s)
	if got := <-done; problem.CodeOf(got.err) != localapi.CodeCancelled {
		t.Errorf("a request that was open when the sandbox stopped: %v", got.err)
	}
}

// Clients open connections ahead of their use, and http.Server waits for their first call.
func TestCloseDoesNotWaitForAConnectionThatWasNeverUsed(t *testing.T) {
	s := start(t, Options{})
	ahead, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port()))
	require.NoError(t, err)
	defer ahead.Close()
	_, err = clientOf(t, s).OpenGraphs(t.Context()) // accepted later, and answered
	require.NoError(t, err)
	began := time.Now()
	stop(t, s)
	if took := time.Since(began); took >= closeLimit {
		t.Errorf("it took %v", took)
	}
}

func TestPolicies(t *testing.T) {
	for policy, want := range map[desk.Policy]problem.Code{
		desk.Deny: localapi.CodeUserRejected, desk.Never: localapi.CodeGraphBlocked, desk.Timeout: localapi.CodeTimeout,
	} {
		s := start(t, Options{Policy: policy, AnswerLimit: time.Millisecond})
		_, err := clientOf(t, s).RequestToken(t.Context(), localapi.TokenRequest{Graph: small, AccessLevel: localapi.Full, Description: "x"})
		if problem.CodeOf(err) != want {
			t.Errorf("%s: %v", policy, err)
		}
	}
}

func TestRestart(t *testing.T) {
	home := t.TempDir()
	first := start(t, Options{Home: home, Policy: desk.Allow, Import: []Import{smallGraph}})
	c := callerOf(t, first, small)
	c.do("data.block.create", `{"location": {"parent-uid": "page-wate", "order": 0}, "block": {"string": "kept", "uid": "blk-kept1"}}`)
	before := first.Graphs()
	stop(t, first)
	if _, ok := Running(t.Context(), home); ok {
		t.Error("a stopped sandbox counts as running")
	}
	if _, err := os.Stat(portFilePath(home)); err != nil {
		t.Errorf("the port file is gone: %v", err)
	}

	// The import is named again, and must not undo what was written.
	second := start(t, Options{Home: home, Policy: desk.Deny, Import: []Import{smallGraph}})
	if after := second.Graphs(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%+v, before %+v", after, before)
	}
	again := &caller{t, clientOf(t, second), small, c.token}
	if got := again.markdown("blk-kept1"); !strings.Contains(got, "kept") {
		t.Errorf("the block is gone: %q", got)
	}
	again.do("data.block.update", `{"block": {"uid": "blk-kept1", "string": "changed"}}`)
}

func TestImportHelpGraph(t *testing.T) {
	t.Parallel()
	path := helpgraph.Path(t, "help.json")
	home := t.TempDir()
	help := localapi.Graph{Name: "roam-help", Type: localapi.Hosted}
	s := start(t, Options{Home: home, Policy: desk.Allow, Import: []Import{{Path: path, Graph: help}}})
	imported := s.Graphs()
	if len(imported) != 1 || !imported[0].Open || imported[0].Pages != 1033 || imported[0].Blocks != 4115 {
		t.Errorf("%+v, want 1,030 pages, three that are only mentioned, and 4,115 blocks", imported)
	}
	c := callerOf(t, s, help)
	var found struct{ Total int }
	if err := json.Unmarshal([]byte(c.do("data.ai.search", `{"query": "block reference"}`)), &found); err != nil || found.Total == 0 {
		t.Errorf("%+v, %v", found, err)
	}
	stop(t, s)
	s = start(t, Options{Home: home})
	got := s.Graphs()
	if len(got) != 1 || got[0].Pages != imported[0].Pages || got[0].Blocks != 4115 {
		t.Errorf("from disk: %+v", got)
	}
}

func TestImportKeepsWhatItCan(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "export.json")
	const export = `[{"title":"Plan","children":[{"string":"see [[Nowhere]]","uid":"blk-plan1"}]},{"title":"","uid":"","children":[{"string":"kept"}]}]`
	require.NoError(t, os.WriteFile(path, []byte(export), 0o600))
	s := start(t, Options{Home: t.TempDir(), Policy: desk.Allow, Import: []Import{{Path: path, Graph: small}}})
	c := callerOf(t, s, small)
	for query, want := range map[string]string{
		`[:find [?t ...] :where [?e :block/string \"kept\"] [?e :block/page ?p] [?p :node/title ?t]]`:   `["Untitled"]`,
		`[:find [?t ...] :where [?e :block/uid \"blk-plan1\"] [?e :block/refs ?p] [?p :node/title ?t]]`: `["Nowhere"]`,
		`[:find [?t ...] :where [?e :block/string] [?e :create/time ?t]]`:                               `[]`,
	} {
		if got := c.do("data.q", `"`+query+`"`); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	garbage := filepath.Join(t.TempDir(), "garbage.json")
	require.NoError(t, os.WriteFile(garbage, []byte(`{"not": "an export"}`), 0o600))
	for name, c := range map[string]struct {
		prepare func(t *testing.T, o *Options)
		code    problem.Code
	}{
		"no home":               {func(_ *testing.T, o *Options) { o.Home = "" }, CodeHomeUnusable},
		"a home that is a file": {func(_ *testing.T, o *Options) { o.Home = garbage }, CodeHomeUnusable},
		"a second sandbox on the same data": {func(t *testing.T, o *Options) {
			o.Data = filepath.Join(start(t, Options{Home: t.TempDir()}).options.Home, DataFolder)
		}, store.CodeInUse},
		"a second sandbox in the same home": {func(t *testing.T, o *Options) {
			o.Home, o.Data = start(t, Options{}).options.Home, t.TempDir()
		}, CodeRoamRuns},
		"an import that is no export": {func(_ *testing.T, o *Options) { o.Import = []Import{{Path: garbage, Graph: small}} }, CodeImportFailed},
		"an import that is not there": {func(_ *testing.T, o *Options) { o.Import = []Import{{Path: garbage + "x", Graph: small}} }, CodeImportFailed},
		"a broken token file": {func(t *testing.T, o *Options) {
			o.Data = t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(o.Data, tokenFile), []byte("{"), 0o600))
		}, localapi.CodeTokenFileCorrupted},
		"a port that can't be": {func(_ *testing.T, o *Options) { o.Port = 65536 }, CodeNoPort},
	} {
		t.Run(name, func(t *testing.T) {
			options := Options{Home: t.TempDir()}
			c.prepare(t, &options)
			s, err := Start(t.Context(), options)
			if err == nil {
				stop(t, s)
			}
			if e, ok := problem.As(err); !ok || e.Code != c.code || e.Message == "" {
				t.Errorf("%v, want %s", err, c.code)
			}
		})
	}
}

func TestStartThatFailsUnlocksTheFolder(t *testing.T) {
	t.Parallel()
	options := Options{Home: t.TempDir(), Import: []Import{{Path: "no-such-file", Graph: small}}}
	if _, err := Start(t.Context(), options); err == nil {
		t.Fatal("no error")
	}
	s := start(t, Options{Home: options.Home})
	if len(s.Graphs()) != 2 {
		t.Errorf("%v", s.Graphs())
	}
}

// listenAs puts somebody behind a home's port file.
func listenAs(t *testing.T, home string, handler http.HandlerFunc) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	require.NoError(t, writePortFile(home, server.Listener.Addr().(*net.TCPAddr).Port))
}

func TestPortFileOfARunningRoam(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		roam http.HandlerFunc
		code problem.Code
	}{
		"Roam": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"success":true,"result":[],"apiVersion":"1.1.5"}`)
		}, CodeRoamRuns},
		"Roam with the API off": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			fmt.Fprint(w, `{"success":false,"error":"Local API is disabled"}`)
		}, CodeRoamRuns},
		"another web server":        {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, ""},
		"a sandbox of another home": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(homeHeader, "other"); fmt.Fprint(w, `[]`) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			listenAs(t, home, c.roam)
			before, err := os.ReadFile(portFilePath(home))
			require.NoError(t, err)
			s, err := Start(t.Context(), Options{Home: home})
			if problem.CodeOf(err) != c.code {
				t.Errorf("%v, want %q", err, c.code)
			}
			after, readErr := os.ReadFile(portFilePath(home))
			if readErr != nil || (string(after) == string(before)) != (c.code != "") {
				t.Errorf("the port file is %s, before %s", after, before)
			}
			if err == nil {
				stop(t, s)
			}
		})
	}
}

func TestPortFileThatIsStale(t *testing.T) {
	t.Parallel()
	for _, stale := range []string{`{"port": 9}`, `{"port": `, `{}`} {
		home := t.TempDir()
		require.NoError(t, os.WriteFile(portFilePath(home), []byte(stale), 0o600))
		if _, ok := Running(t.Context(), home); ok {
			t.Errorf("%s: counts as running", stale)
		}
		if _, err := clientOf(t, start(t, Options{Home: home})).OpenGraphs(t.Context()); err != nil {
			t.Errorf("%s: %v", stale, err)
		}
	}
}

func TestPortThatIsTaken(t *testing.T) {
	first := start(t, Options{})
	second := start(t, Options{Port: first.Port()})
	if second.Port() <= first.Port() || second.Port() > first.Port()+portsToTry {
		t.Errorf("port %d after %d", second.Port(), first.Port())
	}
	// A browser tries this address too, and would show it the key of the page.
	stranger, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skip(err) // no IPv6
	}
	defer stranger.Close()
	taken := stranger.Addr().(*net.TCPAddr).Port
	if s := start(t, Options{Port: taken}); s.Port() == taken {
		t.Errorf("somebody else listens on ::1 on the sandbox's port %d", taken)
	}
}

func TestCallsAreLogged(t *testing.T) {
	s, log := startLogged(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	c.do("data.ai.getGraphGuidelines", "")
	if _, err := c.try(localapi.TokenPrefix+"written-in-the-wrong-place", ""); problem.CodeOf(err) != localapi.CodeUnknownAction {
		t.Errorf("%v", err)
	}
	for _, line := range []string{
		`action=data.ai.getGraphGuidelines graph=small type=hosted status=200 code="" duration=`,
		"action=[redacted] graph=small type=hosted status=404 code=" + string(localapi.CodeUnknownAction) + " duration=",
	} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log lacks %q: %s", line, log)
		}
	}
}

func TestRateLimit(t *testing.T) {
	var limit rateLimit
	now := clock()
	for range writesPerMinute {
		require.NoError(t, limit.take(now))
	}
	if err := limit.take(now.Add(59 * time.Second)); err == nil || !strings.Contains(err.Error(), "rate limit") {
		t.Errorf("%v", err)
	}
	if err := limit.take(now.Add(time.Minute)); err != nil {
		t.Errorf("a minute later: %v", err)
	}
	if err := limit.take(now.Add(-time.Hour)); err != nil {
		t.Errorf("after the clock was set back: %v", err)
	}
}

func TestConcurrentCalls(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	const writers, each = 4, 10
	done := make(chan error)
	for range writers {
		go func() {
			for range each {
				_, err := c.try("data.block.fromMarkdown", `{"location": {"page-title": "Shared", "order": "first"}, "markdown-string": "- a\n  - b [[Water]]"}`)
				if err == nil {
					_, err = c.try("data.ai.getPage", `{"title": "Shared"}`)
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got, want := strings.Count(c.do("data.ai.getPage", `{"title": "Shared"}`), `- a <roam`), writers*each; got != want {
		t.Errorf("%d blocks, want %d", got, want)
	}
}
