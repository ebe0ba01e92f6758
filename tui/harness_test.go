package tui

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
)

var start = time.Date(2026, 11, 21, 14, 2, 11, 0, time.UTC)

// harness is a person in front of the program: keys in, screens out. Commands
// run as Bubble Tea runs them; only the clock stands still.
type harness struct {
	t        *testing.T
	root     *root
	store    *fakeStore
	roam     *fakeRoam
	desk     *fakeDesk
	clients  *fakeClients
	graphs   *manage.Manager
	ports    *Ports
	options  Options
	ticks    bool // the program's own timers run
	messages chan tea.Msg
	quit     bool
	ended    bool
	// what Roam says when the guidelines of a graph are read
	guidelines    string
	guidelinesErr error

	mu        sync.Mutex
	exchange  *fakeExchange
	rescued   int
	rescueErr error
	now       time.Time
}

// world changes what the program finds before it starts.
type world func(*harness)

func newHarness(t *testing.T, width, height int, worlds ...world) *harness {
	t.Helper()
	h := prepare(t, worlds...)
	h.boot(width, height)
	h.until("first look", func() bool {
		return h.root.ready && !h.root.work.checking && (h.root.env.ports.Clients == nil || h.root.env.path.clients != nil)
	})
	return h
}

func prepare(t *testing.T, worlds ...world) *harness {
	h := &harness{t: t, now: start, messages: make(chan tea.Msg, 256)}
	h.store = &fakeStore{config: configstore.Config{Version: 1}, events: make(chan configstore.Event, 8)}
	h.roam = &fakeRoam{tokens: make(map[localapi.Graph]localapi.TokenInfo)}
	h.graphs = &manage.Manager{
		Store: h.store, Roam: h.roam,
		Rescue: func(configstore.Entry) (string, error) {
			h.rescued++
			return "/home/ada/.local/state/roam-mcp/rescued/roam-mcp-rescued-1.json", h.rescueErr
		},
		Exchange: func(_ context.Context, r exchange.Request) manage.Exchange {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.exchange = newFakeExchange(r)
			return h.exchange
		},
		Clock: func() time.Time {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.now
		},
	}
	h.clients = newFakeClients()
	h.ports = &Ports{
		Graphs: h.graphs, Clients: h.clients, Profiles: profiles(),
		OpenRoam: func(context.Context, localapi.Graph) error { return nil },
		Prove: func(ctx context.Context, _ string, report func(install.ProofStep)) (install.Proof, error) {
			return provesWork(ctx, report)
		},
		Guidelines: func(_ context.Context, nickname string) (string, time.Duration, error) {
			return h.guidelines, 38 * time.Millisecond, h.guidelinesErr
		},
		Files:   func() []File { return usedFiles() },
		History: &fakeHistory{},
	}
	h.options = Options{
		Environ: []string{"TERM=xterm-256color", "LANG=en_US.UTF-8", "HOME=/home/ada", "COLORFGBG=15;0"},
		Version: "0.1.0", Description: "roam-mcp on this computer", HistoryFolder: "/home/ada/.local/state/roam-mcp/history",
	}
	examination(h)
	for _, w := range worlds {
		w(h)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { h.ended = true; cancel() })
	h.root = newRoot(ctx, *h.ports, h.options)
	if !h.ticks {
		h.root.env.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	}
	return h
}

func (h *harness) boot(width, height int) {
	h.handle(tea.WindowSizeMsg{Width: width, Height: height})
	h.run(h.root.Init())
}

// run performs a command as Bubble Tea does: in a goroutine of its own.
func (h *harness) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { h.messages <- cmd() }()
	}
}

func (h *harness) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			h.run(cmd)
		}
	case tea.QuitMsg:
		h.quit = true
	default:
		_, cmd := h.root.Update(msg)
		h.run(cmd)
		h.checkFrame()
	}
}

// until handles messages until the condition holds.
func (h *harness) until(what string, condition func() bool) {
	h.t.Helper()
	deadline := time.After(2 * time.Minute)
	for !condition() {
		select {
		case msg := <-h.messages:
			h.handle(msg)
		case <-deadline:
			h.t.Fatalf("%s did not come; the screen is\n%s", what, h.screen())
		}
	}
}

func (h *harness) untilShown(text string) {
	h.t.Helper()
	h.until("“"+text+"”", func() bool { return strings.Contains(unwrapped(h.screen()), text) })
}

// unwrapped undoes line breaks, so that a sentence is found however it is set.
func unwrapped(s string) string { return strings.Join(strings.Fields(s), " ") }

func (h *harness) shows(text string) bool { return strings.Contains(unwrapped(h.screen()), text) }

// press presses keys: names such as enter, or single characters.
func (h *harness) press(keys ...string) {
	h.t.Helper()
	for _, k := range keys {
		h.handle(keyPress(k))
	}
}

func (h *harness) typeText(text string) {
	h.t.Helper()
	for _, r := range text {
		h.handle(keyPress(string(r)))
	}
}

func keyPress(name string) tea.KeyPressMsg {
	special := map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "space": {Code: tea.KeySpace, Text: " "}, " ": {Code: tea.KeySpace, Text: " "},
		"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+z": {Code: 'z', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl},
		"backspace": {Code: tea.KeyBackspace}, "pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp}, "end": {Code: tea.KeyEnd}, "home": {Code: tea.KeyHome},
	}
	if k, ok := special[name]; ok {
		return tea.KeyPressMsg(k)
	}
	r := []rune(name)
	return tea.KeyPressMsg{Code: r[0], Text: name}
}

// machine shows a state of the exchange.
func (h *harness) machine(change func(*exchange.Machine)) {
	h.t.Helper()
	h.until("the exchange", func() bool { return h.running() != nil })
	m := exchange.Machine{Request: h.running().request, Since: h.now}
	change(&m)
	h.running().last = m
	h.running().updates <- m
	h.until("state "+m.State.String(), func() bool {
		top := h.asking()
		return top != nil && top.machine.State == m.State
	})
}

func (h *harness) running() *fakeExchange {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.exchange
}

func (h *harness) asking() *exchangeScreen {
	for _, s := range h.root.stack {
		switch s := s.(type) {
		case *exchangeScreen:
			return s
		case *connectQueue:
			return s.current
		}
	}
	return nil
}

// event is the next event that was sent to the exchange.
func (h *harness) event() exchange.Event {
	h.t.Helper()
	var event exchange.Event
	h.until("an event", func() bool {
		select {
		case event = <-h.running().events:
			return true
		default:
			return false
		}
	})
	return event
}

// screen is the frame as plain text.
func (h *harness) screen() string {
	lines := strings.Split(ansi.Strip(h.root.View().Content), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// checkFrame holds for every frame of every test: no line wider than the
// terminal, exactly its height, and no token.
func (h *harness) checkFrame() {
	h.t.Helper()
	width, height := h.root.size()
	content := h.root.View().Content
	lines := strings.Split(content, "\n")
	if len(lines) != height {
		h.t.Fatalf("the frame has %d lines, the terminal %d", len(lines), height)
	}
	for i, line := range lines {
		// As terminals that know characters of several code points count, and
		// as others do.
		w := ansi.StringWidth(line)
		if !h.root.knowsClusters {
			w = max(w, ansi.StringWidthWc(line))
		}
		if w > width {
			h.t.Fatalf("line %d is %d wide, the terminal %d: %q", i+1, w, width, ansi.Strip(line))
		}
	}
	if strings.Contains(content, "SECRET") || strings.Contains(content, localapi.TokenPrefix+"S") {
		h.t.Fatalf("a token is on the screen:\n%s", ansi.Strip(content))
	}
}

// The worlds that the tests start in.

func hosted(name string) localapi.Graph { return localapi.Graph{Name: name, Type: localapi.Hosted} }
func offline(name string) localapi.Graph {
	return localapi.Graph{Name: name, Type: localapi.Offline}
}

func entry(nickname string, g localapi.Graph, level localapi.AccessLevel, end string) configstore.Entry {
	return configstore.Entry{Name: g.Name, Type: g.Type, Nickname: nickname, AccessLevel: level, Token: secret(end)}
}

// configured has four graphs connected, and two more in Roam.
func configured(h *harness) {
	work, personal, old, lab := hosted("jfb-work-notes-2024"), offline("personal-zettelkasten"), hosted("archive-2019"), hosted("lab-notebook")
	labEntry := entry("Lab", lab, localapi.Full, "lab1")
	labEntry.Disabled = true
	h.store.config.Exists = true
	h.store.config.Entries = []configstore.Entry{
		entry("Work", work, localapi.Full, "p0k7"), entry("Personal", personal, localapi.ReadAppend, "q2w3"),
		entry("Old", old, localapi.ReadOnly, "9xyz"), labEntry,
	}
	h.roam.tokens[work] = localapi.TokenInfo{Status: localapi.TokenActive, AccessLevel: localapi.Full}
	h.roam.tokens[personal] = localapi.TokenInfo{Status: localapi.TokenActive, AccessLevel: localapi.ReadAppend}
	h.roam.tokens[old] = localapi.TokenInfo{Status: localapi.TokenRevoked, Reason: errors.New("unknown token")}
	h.roam.open = []localapi.Graph{work, hosted("reading-list")}
	h.roam.available = []localapi.Graph{work, old, lab, personal, hosted("recipes"), hosted("reading-list")}
}

// fresh is a sandbox nobody has connected to.
func fresh(h *harness) {
	h.options.Sandbox = true
	h.desk = &fakeDesk{updates: make(chan []AccessRequest, 4), answers: make(chan Decision, 4), unblocked: make(chan localapi.Graph, 4)}
	h.ports.Desk = h.desk
	h.roam.open = []localapi.Graph{hosted("demo")}
	h.roam.available = []localapi.Graph{hosted("demo"), offline("notebook")}
}

// away has no Roam.
func away(h *harness) {
	h.roam.err = &problem.Error{
		Code:    localapi.CodeConnectionFailed,
		Message: "Nothing answers on 127.0.0.1:3333.",
		Hint:    problem.Say("Start Roam Desktop; it writes the port it listens on into ~/.roam-local-api.json."),
	}
}

// official has two graphs in the file of the official tools.
func official(h *harness) {
	h.graphs.Official = func() ([]configstore.Entry, []configstore.Problem, error) {
		return []configstore.Entry{
			entry("Work", hosted("jfb-work-notes-2024"), localapi.Full, "aaaa"),
			entry("Recipes", hosted("recipes"), localapi.ReadOnly, "bbbb"),
		}, nil, nil
	}
}
