package tui

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/handoff"
	"roam-mcp/localapi"
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

func snippets() []handoff.Snippet { return snippetsFor("roam", "") }

func snippetsFor(profile, nickname string) []handoff.Snippet {
	if profile == "roam" {
		profile = ""
	}
	return handoff.Snippets(handoff.Server{Name: "roam", Command: "/usr/local/bin/roam-mcp", Args: []string{"serve"}}.For(profile, nickname))
}

// profiles are what clients can be given.
func profiles() []Profile {
	return []Profile{
		{Name: "roam", About: "all that Roam can do, in Roam's words"},
		{Name: "graph", About: "linked notes with paths, hubs and tags"},
		{Name: "notes", About: "notes with labels, pins, checklists and an archive"},
		{Name: "outline", About: "pages, blocks and queries, as the Logseq skill has them"},
		{Name: "wiki", About: "markdown notes at paths, with search and history"},
	}
}

func usedFiles() []File {
	return []File{
		{"Configuration", "/home/ada/.roam-mcp.json", "The connected graphs with their tokens and nicknames, readable by you alone.", true},
		{"Port file", "/home/ada/.roam-local-api.json", "Roam Desktop writes into it on which port it listens.", true},
		{"Sandbox", "/home/ada/.local/share/roam-mcp/sandbox", "The world of --sandbox: its own port file, configuration and graphs.", false},
		{"Log", "/var/log/a-folder-with-a-long-name/and-one-more-of-them/roam-mcp.log", "What --log-file asked for.", true},
	}
}
