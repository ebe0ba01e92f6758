package plain

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/clients"
	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/install"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// secret makes a token whose characters are easily found where they leak.
func secret(end string) localapi.Token {
	token, err := localapi.ParsePastedToken(localapi.TokenPrefix + "SECRET" + strings.Repeat("z", 23-len(end)) + end)
	if err != nil {
		panic(err)
	}
	return token
}

func hosted(name string) localapi.Graph {
	return localapi.Graph{Name: name, Type: localapi.Hosted}
}

// fakeRoam has two graphs and knows every token; ask answers requests.
type fakeRoam struct {
	mu  sync.Mutex
	err error // says nothing else while it is set
	ask func(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error)
}

var (
	_ manage.Roam   = (*fakeRoam)(nil)
	_ exchange.Roam = (*fakeRoam)(nil)
)

func (f *fakeRoam) away(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fakeRoam) gone() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *fakeRoam) Address() string { return "127.0.0.1:3333" }

func (f *fakeRoam) SeenAPIVersion() string { return "1.1.5" }

func (f *fakeRoam) OpenGraphs(context.Context) ([]localapi.Graph, error) {
	return []localapi.Graph{hosted("work-notes")}, f.gone()
}

func (f *fakeRoam) AvailableGraphs(context.Context) ([]localapi.Graph, error) {
	return []localapi.Graph{hosted("work-notes"), hosted("reading"), hosted("archive")}, f.gone()
}

func (f *fakeRoam) TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo {
	return localapi.TokenInfo{Status: localapi.TokenActive, AccessLevel: localapi.Full}
}

func (f *fakeRoam) VerifyToken(context.Context, localapi.Graph, localapi.Token) (localapi.AccessLevel, error) {
	return localapi.Full, f.gone()
}

func (f *fakeRoam) RequestToken(ctx context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
	return f.ask(ctx, r)
}

// grants answers every request as it was asked.
func grants(_ context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
	return localapi.TokenGrant{Graph: r.Graph, Token: secret("new0"), AccessLevel: r.AccessLevel}, nil
}

// silent never answers.
func silent(ctx context.Context, _ localapi.TokenRequest) (localapi.TokenGrant, error) {
	<-ctx.Done()
	return localapi.TokenGrant{}, &problem.Error{Code: localapi.CodeCancelled, Message: "Gone."}
}

// refuses answers every request with the code.
func refuses(code problem.Code) func(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error) {
	return func(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error) {
		return localapi.TokenGrant{}, &problem.Error{Code: code, Call: &problem.Call{Status: 403, Sent: true}, Message: "Roam said no."}
	}
}

// world is a program with a configuration of its own: Work and Reading are
// connected, the latter disabled.
type world struct {
	*testing.T
	store   *configstore.Store
	roam    *fakeRoam
	graphs  *manage.Manager
	ports   tui.Ports
	options Options
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, store: configstore.New(filepath.Join(t.TempDir(), "roam-mcp.json")), roam: &fakeRoam{ask: grants}}
	for _, entry := range []configstore.Entry{
		{Name: "work-notes", Type: localapi.Hosted, Nickname: "Work", Token: secret("wrk0"), AccessLevel: localapi.Full, LastKnownTokenStatus: localapi.TokenActive},
		{Name: "reading", Type: localapi.Hosted, Nickname: "Reading", Token: secret("red0"), AccessLevel: localapi.Full, LastKnownTokenStatus: localapi.TokenActive, Disabled: true},
	} {
		require.NoError(t, w.store.Save(t.Context(), entry))
	}
	w.graphs = &manage.Manager{
		Store: w.store, Roam: w.roam,
		Rescue: func(entry configstore.Entry) (string, error) {
			return configstore.WriteRescue(filepath.Join(filepath.Dir(w.store.Path()), "rescued"), entry)
		},
		Official: func() ([]configstore.Entry, []configstore.Problem, error) {
			return []configstore.Entry{{Name: "theirs", Type: localapi.Hosted, Nickname: "Theirs", Token: secret("off0")}}, nil, nil
		},
		Exchange: func(ctx context.Context, r exchange.Request) manage.Exchange {
			return exchange.Start(ctx, w.roam, nil, r, exchange.Policy{Wait: true})
		},
	}
	w.ports = tui.Ports{
		Graphs:  w.graphs,
		Clients: &fakeClients{},
		Prove: func(_ context.Context, nickname string, report func(install.ProofStep)) (install.Proof, error) {
			return proves(report, nickname)
		},
		Guidelines: func(context.Context, string) (string, time.Duration, error) {
			return "- Write little.\n  - Really.", 0, nil
		},
		Profiles: []tui.Profile{{Name: "roam", About: "all that Roam can do"}, {Name: "notes", About: "notes with labels"}},
	}
	w.ports.Files = func() []tui.File {
		return []tui.File{
			{Name: "Configuration", Path: w.store.Path(), Note: "The connected graphs.", There: true},
			{Name: "Log", Path: "/var/log/roam-mcp", Note: "What happened."},
		}
	}
	w.options.Options = tui.Options{Environ: []string{"TERM=xterm", "LANG=C"}, Description: "roam-mcp on a test"}
	return w
}

// fakeClients are two clients, of which one is on the machine.
type fakeClients struct {
	configured bool
	failure    error         // of proofs
	result     install.Proof // of proofs; empty: what proves has
}

func (f *fakeClients) client() clients.Client {
	return clients.Client{ID: "claude-code", Name: "Claude Code", AfterWrite: "Restart Claude Code.", Ask: "Ask Claude: what is in my graph?"}
}

func (f *fakeClients) Look(context.Context) []install.Status {
	status := clients.Status{Client: f.client(), State: clients.Present, File: "/home/ada/.claude.json"}
	if f.configured {
		status.State, status.Entries = clients.Configured, []clients.Entry{{Name: "roam", Command: "/usr/local/bin/roam-mcp", Args: []string{"serve"}, Ours: true}}
	}
	return []install.Status{{Status: status}, {Status: clients.Status{Client: clients.Client{ID: "zed", Name: "Zed"}, State: clients.Absent}}}
}

func (f *fakeClients) Plan(_ context.Context, _ string, choice clients.Choice) (clients.Plan, error) {
	server := clients.Server{Name: "roam", Command: "/usr/local/bin/roam-mcp", Args: []string{"serve"}}.With(choice)
	command := append([]string{"claude", "mcp", "add", "--scope", "user", server.Name, "--", server.Command}, server.Args...)
	return clients.Plan{Client: f.client(), Way: clients.ByCommand, Server: server, Command: command, Text: strings.Join(command, " "), Unchanged: f.configured}, nil
}

func (f *fakeClients) PlanRemoval(context.Context, string, string) (clients.Plan, error) {
	return clients.Plan{Client: f.client(), Way: clients.ByCommand, Removes: true, Command: []string{"claude", "mcp", "remove", "roam"}}, nil
}

func (f *fakeClients) Apply(_ context.Context, plan clients.Plan) error {
	f.configured = !plan.Removes
	return nil
}

func (f *fakeClients) PlanRename(context.Context, string, string) ([]clients.Plan, error) {
	return nil, nil
}

func (f *fakeClients) Without(context.Context, string) []string { return nil }

func (f *fakeClients) Prove(_ context.Context, _, _ string, _ bool, report func(install.ProofStep)) (install.Proof, error) {
	if f.result.Steps != nil {
		for _, step := range f.result.Steps {
			report(step)
		}
		return f.result, f.failure
	}
	if f.failure != nil {
		step := install.ProofStep{ID: install.StepStart, Failed: true, Err: f.failure}
		report(step)
		return install.Proof{Steps: []install.ProofStep{step}}, f.failure
	}
	return proves(report, "Work")
}

// proves is a proof that succeeds.
func proves(report func(install.ProofStep), nickname string) (install.Proof, error) {
	steps := []install.ProofStep{{ID: install.StepStart, Found: "/usr/local/bin/roam-mcp"}, {ID: install.StepCall, Graph: nickname, Found: "get_graph_guidelines", Took: 38 * time.Millisecond}}
	for _, step := range steps {
		report(step)
	}
	return install.Proof{Tools: 24, Steps: steps}, nil
}

// run answers with the lines and gives all that was printed.
func (w *world) run(lines ...string) (printed string, err error) {
	w.Helper()
	input := strings.Join(lines, "\n")
	if len(lines) > 0 {
		input += "\n"
	}
	return w.runFrom(strings.NewReader(input))
}

func (w *world) runFrom(input io.Reader) (printed string, err error) {
	w.Helper()
	var out strings.Builder
	w.options.Input, w.options.Output = input, &out
	err = Run(w.Context(), w.ports, w.options)
	w.looksPlain(out.String())
	return out.String(), err
}

// looksPlain wants no token, no escape sequence and no long line of prose.
func (w *world) looksPlain(printed string) {
	w.Helper()
	if strings.Contains(printed, "SECRET") {
		w.Error("a token was printed")
	}
	if strings.ContainsFunc(printed, func(r rune) bool { return r < ' ' && r != '\n' }) {
		w.Error("a control character was printed")
	}
	for _, line := range strings.Split(printed, "\n") {
		if len(line) > lineWidth && !strings.Contains(line, "roam-mcp") && !strings.Contains(line, string(filepath.Separator)) {
			w.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

func (w *world) has(printed string, texts ...string) {
	w.Helper()
	for _, text := range texts {
		if !strings.Contains(printed, text) {
			w.Errorf("there is no %q in:\n%s", text, printed)
		}
	}
}

// file is the text of the configuration.
func (w *world) file() []byte {
	w.Helper()
	data, err := os.ReadFile(w.store.Path())
	require.NoError(w, err)
	return data
}

func (w *world) config() configstore.Config {
	w.Helper()
	config, err := w.store.Load(w.Context())
	require.NoError(w, err)
	return config
}
