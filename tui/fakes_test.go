package tui

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
)

// secret makes a token whose characters are easily found where they leak.
func secret(end string) localapi.Token {
	body := "SECRET" + strings.Repeat("z", 23-len(end)) + end
	token, err := localapi.ParsePastedToken(localapi.TokenPrefix + body)
	if err != nil {
		panic(err)
	}
	return token
}

// fakeStore is a configuration in memory.
type fakeStore struct {
	mu         sync.Mutex
	config     configstore.Config
	loadErr    error
	unwritable error
	saveErr    error
	events     chan configstore.Event
	calls      []string
}

var _ manage.Store = (*fakeStore)(nil)

func (f *fakeStore) note(call string) { f.calls = append(f.calls, call) }

func (f *fakeStore) log() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.calls, "; ")
}

func (f *fakeStore) Path() string { return "/home/ada/.roam-mcp.json" }

func (f *fakeStore) Load(context.Context) (configstore.Config, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	config := f.config
	config.Entries = append([]configstore.Entry(nil), f.config.Entries...)
	return config, f.loadErr
}

func (f *fakeStore) CheckWritable(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("check writable")
	return f.unwritable
}

func (f *fakeStore) SaveGrant(_ context.Context, entry configstore.Entry, renews bool) (configstore.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("save " + entry.Nickname)
	if f.saveErr != nil {
		return configstore.Entry{}, f.saveErr
	}
	for i, e := range f.config.Entries {
		if e.Graph() == entry.Graph() {
			entry.Disabled = e.Disabled
			f.config.Entries[i] = entry
			return entry, nil
		}
	}
	entry.Nickname = f.config.UniqueNickname(entry.Nickname)
	f.config.Entries = append(f.config.Entries, entry)
	return entry, nil
}

func (f *fakeStore) change(nickname string, change func(*configstore.Entry)) error {
	for i, e := range f.config.Entries {
		if configstore.SameNickname(e.Nickname, nickname) {
			change(&f.config.Entries[i])
			return nil
		}
	}
	return errors.New("no such graph")
}

func (f *fakeStore) Rename(_ context.Context, nickname, newNickname string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("rename " + nickname + " to " + newNickname)
	return f.change(nickname, func(e *configstore.Entry) { e.Nickname = newNickname })
}

func (f *fakeStore) SetDisabled(_ context.Context, nickname string, disabled bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("set disabled " + nickname)
	return f.change(nickname, func(e *configstore.Entry) { e.Disabled = disabled })
}

func (f *fakeStore) SetHistory(_ context.Context, nickname string, texts configstore.Switch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("set history " + nickname + " " + string(texts))
	return f.change(nickname, func(e *configstore.Entry) { e.History = texts })
}

func (f *fakeStore) SetAllHistory(_ context.Context, texts configstore.Switch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("set history " + string(texts))
	f.config.History.Texts = texts
	return nil
}

func (f *fakeStore) Remove(_ context.Context, nickname string) (configstore.Removed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("remove " + nickname)
	for i, e := range f.config.Entries {
		if configstore.SameNickname(e.Nickname, nickname) {
			f.config.Entries = append(f.config.Entries[:i:i], f.config.Entries[i+1:]...)
			return configstore.Removed{Entry: e}, nil
		}
	}
	return configstore.Removed{}, errors.New("no such graph")
}

func (f *fakeStore) PutBack(_ context.Context, removed configstore.Removed) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("put back " + removed.Entry.Nickname)
	f.config.Entries = append(f.config.Entries, removed.Entry)
	return nil
}

func (f *fakeStore) SetTokenStatus(context.Context, localapi.Graph, localapi.Token, localapi.TokenStatus, localapi.AccessLevel) error {
	return nil
}

func (*fakeStore) ImportFile(context.Context, string, func([]configstore.Entry) ([]configstore.Entry, []configstore.Skipped)) (configstore.ImportReport, []configstore.Problem, error) {
	return configstore.ImportReport{}, nil, errors.New("the setup program imports no file")
}

func (f *fakeStore) Import(_ context.Context, entries []configstore.Entry) (configstore.ImportReport, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("import")
	var report configstore.ImportReport
	for _, e := range entries {
		report.Added = append(report.Added, configstore.Added{Entry: e})
	}
	return report, nil
}

func (f *fakeStore) FixMode(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("fix mode")
	f.config.Problems = nil
	return nil
}

func (f *fakeStore) Watch(ctx context.Context, _ time.Duration) <-chan configstore.Event {
	config, err := f.Load(ctx)
	f.events <- configstore.Event{Config: config, Err: err}
	return f.events
}

// fakeRoam answers from fields.
type fakeRoam struct {
	mu              sync.Mutex
	err             error
	open, available []localapi.Graph
	tokens          map[localapi.Graph]localapi.TokenInfo
	address         string // empty for the usual one
}

var _ manage.Roam = (*fakeRoam)(nil)

func (f *fakeRoam) Address() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return cmp.Or(f.address, "127.0.0.1:3333")
}

func (f *fakeRoam) SeenAPIVersion() string { return localapi.APIVersion }

func (f *fakeRoam) OpenGraphs(context.Context) ([]localapi.Graph, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open, f.err
}

func (f *fakeRoam) AvailableGraphs(context.Context) ([]localapi.Graph, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.available, f.err
}

func (f *fakeRoam) TokenInfo(_ context.Context, g localapi.Graph, _ localapi.Token) localapi.TokenInfo {
	f.mu.Lock()
	defer f.mu.Unlock()
	if info, ok := f.tokens[g]; ok {
		return info
	}
	return localapi.TokenInfo{Status: localapi.TokenUnknown, Reason: errors.New("no answer")}
}

// fakeExchange is an exchange that the test leads.
type fakeExchange struct {
	request exchange.Request
	updates chan exchange.Machine
	events  chan exchange.Event
	closed  chan struct{}
	once    sync.Once
	last    exchange.Machine // what Close gives
}

var _ manage.Exchange = (*fakeExchange)(nil)

func newFakeExchange(request exchange.Request) *fakeExchange {
	return &fakeExchange{request: request, updates: make(chan exchange.Machine, 4), events: make(chan exchange.Event, 16), closed: make(chan struct{})}
}

func (f *fakeExchange) Updates() <-chan exchange.Machine { return f.updates }
func (f *fakeExchange) Send(e exchange.Event)            { f.events <- e }
func (f *fakeExchange) Close() exchange.Machine {
	f.once.Do(func() { close(f.closed); close(f.updates) })
	return f.last
}

// fakeDesk is a desk that the test leads.
type fakeDesk struct {
	updates   chan []AccessRequest
	answers   chan Decision
	unblocked chan localapi.Graph
}

var _ Desk = (*fakeDesk)(nil)

func (f *fakeDesk) Watch(context.Context) <-chan []AccessRequest { return f.updates }
func (f *fakeDesk) Answer(_ string, d Decision) error {
	f.answers <- d
	return nil
}

func (f *fakeDesk) Unblock(graph localapi.Graph) error {
	f.unblocked <- graph
	return nil
}

// slowly reads the guidelines once it is let.
func slowly(answer <-chan struct{}) func(context.Context, string) (string, time.Duration, error) {
	return func(ctx context.Context, _ string) (string, time.Duration, error) {
		select {
		case <-answer:
			return houseRules, 5 * time.Second, nil
		case <-ctx.Done():
			return "", 0, ctx.Err()
		}
	}
}

// fakeClients are clients in memory.
type fakeClients struct {
	mu       sync.Mutex
	all      []install.Status
	applyErr error
	note     string // of every plan
	way      clients.Way
	prove    prove // nil: it succeeds
	applied  []string
	choices  []clients.Choice
	renaming []clients.Plan // what a rename has to change
	without  []string       // what is said of a graph that goes
}

var _ Clients = (*fakeClients)(nil)

func aClient(id, name, file string, state clients.State) install.Status {
	client, ok := clients.Find(id)
	if !ok {
		panic("no client " + id)
	}
	client.Name, client.AfterWrite, client.Ask = name, "", "Ask "+name+": what is in my graph?"
	status := install.Status{Status: clients.Status{Client: client, State: state, File: "/home/ada/" + file}}
	if state != clients.Present && state != clients.Absent {
		status.Entries = []clients.Entry{{Name: "roam", Command: "/usr/local/bin/roam-mcp", Args: []string{"serve"}, Ours: true, Gone: state == clients.BinaryGone}}
	}
	return status
}

// newFakeClients has a client in each state.
func newFakeClients() *fakeClients {
	desktop := aClient("claude-desktop", "Claude Desktop", ".config/Claude/claude_desktop_config.json", clients.Present)
	desktop.Client.AfterWrite = "Restart Claude Desktop."
	code := aClient("claude-code", "Claude Code", ".claude.json", clients.Configured)
	code.Proven, code.Called = start.Add(-2*time.Minute), start.Add(-3*time.Second)
	zed := aClient("zed", "Zed", ".config/zed/settings.json", clients.Unreadable)
	zed.Entries, zed.Err = nil, &problem.Error{Code: "UNREADABLE", Message: "/home/ada/.config/zed/settings.json is not valid JSON at line 4, column 7.", Hint: problem.Say("Mend it, or paste the text by hand.")}
	other := aClient("gemini", "Gemini CLI", ".gemini/settings.json", clients.OtherServer)
	other.Entries[0] = clients.Entry{Name: "roam", Command: "npx", Args: []string{"-y", "some-roam"}}
	beside := aClient("cursor", "Cursor", ".cursor/mcp.json", clients.Configured)
	beside.Beside = []string{"roam-official"}
	return &fakeClients{way: clients.ByFile, all: []install.Status{
		desktop, code, beside,
		aClient("vscode", "VS Code", ".config/Code/User/mcp.json", clients.BinaryGone),
		zed, other,
		aClient("codex", "Codex", ".codex/config.toml", clients.Present),
		aClient("windsurf", "Windsurf", ".codeium/windsurf/mcp_config.json", clients.Absent),
		aClient("kiro", "Kiro", ".kiro/settings/mcp.json", clients.Absent),
	}}
}

func (f *fakeClients) Look(context.Context) []install.Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]install.Status(nil), f.all...)
}

func (f *fakeClients) find(id string) *install.Status {
	for i := range f.all {
		if f.all[i].Client.ID == id || id == "" { // of clientsInStates, which have none
			return &f.all[i]
		}
	}
	panic("no client " + id)
}

func (f *fakeClients) Plan(_ context.Context, id string, choice clients.Choice) (clients.Plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.choices = append(f.choices, choice)
	status := f.find(id)
	server := clients.Server{Name: "roam", Command: "/usr/local/bin/roam-mcp", Args: []string{"serve"}}.With(choice)
	plan, err := f.machine().PlanInstall(status.Client, server, clients.Options{})
	if err != nil {
		return plan, err
	}
	plan.Note = f.note
	switch f.way {
	case clients.ByCommand:
		plan.Command = append([]string{"claude", "mcp", "add", "--scope", "user", server.Name, "--", server.Command}, server.Args...)
		fallthrough
	case clients.ByText, clients.ByLink:
		plan.Way = f.way
	case clients.ByFile:
		plan.Backup = status.File + clients.BackupSuffix
	}
	if status.State == clients.Configured && choice.Profile == "" {
		plan.Unchanged = true
	}
	if status.State == clients.Unreadable {
		return plan, status.Err
	}
	return plan, nil
}

func (f *fakeClients) PlanRemoval(_ context.Context, id, _ string) (clients.Plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	status := f.find(id)
	plan, err := f.machine().PlanInstall(status.Client, clients.Server{Name: "roam", Command: "/usr/local/bin/roam-mcp", Args: []string{"serve"}}, clients.Options{})
	plan.Removes, plan.New, plan.Before, plan.After = true, false, plan.After, []byte("{}\n")
	return plan, err
}

// machine has a home without any files.
func (f *fakeClients) machine() clients.Machine {
	return clients.Machine{
		GOOS: "linux", Home: "/home/ada", Getenv: func(string) string { return "" },
		LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
	}
}

func (f *fakeClients) Apply(_ context.Context, plan clients.Plan) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.applyErr != nil {
		return f.applyErr
	}
	f.applied = append(f.applied, plan.Client.ID)
	if plan.Way == clients.ByLink {
		return nil // what the person answers in the client is not known
	}
	status := f.find(plan.Client.ID)
	status.State, status.Entries = clients.Configured, []clients.Entry{{Name: plan.Server.Name, Command: plan.Server.Command, Args: plan.Server.Args, Ours: true}}
	if plan.Removes {
		status.State, status.Entries = clients.Present, nil
	}
	return nil
}

func (f *fakeClients) PlanRename(context.Context, string, string) ([]clients.Plan, error) {
	return f.renaming, nil
}

func (f *fakeClients) Without(context.Context, string) []string { return f.without }

func (f *fakeClients) Prove(ctx context.Context, id, _ string, _ bool, report func(install.ProofStep)) (install.Proof, error) {
	prove := f.prove
	if prove == nil {
		prove = provesWork
	}
	result, err := prove(ctx, report)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.find(id).Proven = start
	}
	return result, err
}

// provesWork is a proof that succeeds.
func provesWork(_ context.Context, report func(install.ProofStep)) (install.Proof, error) {
	return provesAs(report, install.ProofStep{ID: install.StepCall, Graph: "Work", Took: 38 * time.Millisecond, Found: "get_graph_guidelines"})
}

// provesWithoutOld is a proof that one of two graphs does not answer.
func provesWithoutOld(mend install.Mend, err error) prove {
	return func(_ context.Context, report func(install.ProofStep)) (install.Proof, error) {
		result, _ := provesAs(report, install.ProofStep{ID: install.StepCall, Graph: "Work", Took: 38 * time.Millisecond, Found: "get_graph_guidelines"},
			install.ProofStep{ID: install.StepCall, Graph: "Old", Failed: true, Err: err, Mend: mend})
		return result, nil
	}
}

// provesAs is a proof whose calls end like that.
func provesAs(report func(install.ProofStep), calls ...install.ProofStep) (install.Proof, error) {
	result := install.Proof{Tools: 24, Call: "get_graph_guidelines", Took: 112 * time.Millisecond, Steps: append([]install.ProofStep{
		{ID: install.StepStart, Found: "/usr/local/bin/roam-mcp"}, {ID: install.StepInitialize, Found: "roam-mcp 0.1.0"}, {ID: install.StepListTools, Found: "24 tools"},
	}, calls...)}
	for _, step := range result.Steps {
		running := step
		running.Running, running.Failed = true, false
		report(running)
		report(step)
	}
	return result, calls[0].Err
}

// failsAt is a proof whose call fails.
func failsAt(mend install.Mend, err error) prove {
	return func(_ context.Context, report func(install.ProofStep)) (install.Proof, error) {
		return provesAs(report, install.ProofStep{ID: install.StepCall, Graph: "Work", Failed: true, Err: err, Mend: mend})
	}
}

func roamIsClosed() error {
	return &problem.Error{Code: localapi.CodeConnectionFailed, Message: "Nothing answers on 127.0.0.1:3333.", Hint: problem.Say("Start Roam Desktop, and try again.")}
}

func tokenIsGone() error {
	return &problem.Error{Code: localapi.CodeTokenNotFound, Message: "Roam does not know this token for this graph.", Hint: problem.Say("roam-mcp reauth Work asks Roam for a new token.")}
}

// profiles are what clients can be given.
func profiles() []Profile {
	return []Profile{
		{Name: "roam", About: "all that Roam can do, in Roam's words", Toolsets: []Toolset{
			{"read", "pages, blocks, backlinks, search", true}, {"write", "create, update, move, delete", true}, {"files", "files in a graph", false},
		}},
		{Name: "graph", About: "linked notes with paths, hubs and tags"},
		{Name: "notes", About: "notes with labels, pins, checklists and an archive"},
		{Name: "outline", About: "pages, blocks and queries, as the Logseq skill has them"},
		{Name: "wiki", About: "markdown notes at paths, with search and history"},
	}
}

func usedFiles() []File {
	return []File{
		{"Configuration", "/home/ada/.roam-mcp.json", "The connected graphs with their tokens and nicknames, readable by you alone.", true, false},
		{"Port file", "/home/ada/.roam-local-api.json", "Roam Desktop writes into it on which port it listens.", true, false},
		{"Sandbox", "/home/ada/.local/share/roam-mcp/sandbox", "The world of --sandbox: its own port file, configuration and graphs.", false, false},
		{"Log", "/var/log/a-folder-with-a-long-name/and-one-more-of-them/roam-mcp.log", "What --log-file asked for.", true, false},
	}
}
