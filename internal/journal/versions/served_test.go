package versions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// served is a world with a server of the profile wiki, one of notes and one of roam, which
// have one journal.
type served struct {
	*profiletest.World
	t           testing.TB
	wiki, notes *profiletest.Client
}

func newServed(t testing.TB, options profiletest.Options) *served {
	t.Helper()
	options.Profile, options.History = "wiki", true
	if options.Server == nil {
		options.Server = func(o *mcpserve.Options) { o.Agent = "claude-code" }
	}
	s := &served{World: profiletest.NewSuite(t, options).World(t), t: t}
	s.wiki = s.Connect(profiletest.Ways()[0])
	var end func()
	s.notes, end = s.Serve(func(o *mcpserve.Options) { o.Profile, o.Agent = "notes", "planner" })
	t.Cleanup(end)
	return s
}

// must calls a tool, which does its work.
func (s *served) must(c *profiletest.Client, tool, arguments string) string {
	s.t.Helper()
	r := c.Call(tool, arguments)
	if r.RPC != nil || r.IsError {
		s.t.Fatalf("%s %s: %s", tool, arguments, r)
	}
	return strings.Join(r.Texts, "\n")
}

// book reads the versions as a further program does.
func (s *served) book() *versions.Store {
	j := s.Journal()
	s.t.Cleanup(func() { _ = j.Close(context.Background()) })
	return versions.New(versions.Options{Journal: j, Graph: work, Now: s.Clock.Now})
}

// told says who made the versions of a page, oldest first.
func (s *served) told(page string) string {
	s.t.Helper()
	list, err := s.book().List(s.t.Context(), page, 100)
	require.NoError(s.t, err)
	var said []string
	for _, v := range slices.Backward(list) {
		said = append(said, v.Message(strings.ToLower)+" by "+v.Agent)
	}
	return strings.Join(said, "; ")
}

// other is another client of Roam.
type other struct {
	ops.NoUser
	w *profiletest.World
}

func (o other) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	result, err := o.w.Ask(ctx, profiletest.MainGraph, action, args...)
	return localapi.Reply{Result: result}, err
}

func (o other) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return o.Send(ctx, action, args...)
}

// live reads a page past the servers.
func (s *served) live(uid string) note.Node {
	s.t.Helper()
	n, _, err := ops.New(ops.Options{Now: s.Clock.Now}).On(s.Graph(profiletest.MainGraph), other{w: s.World}).ReadNote(s.t.Context(), uid)
	require.NoError(s.t, err)
	return n
}

func TestWhoseAVersionIs(t *testing.T) {
	s := newServed(t, profiletest.Options{})
	s.must(s.wiki, "get_note", `{"path":"Grace"}`)
	s.must(s.notes, "get_note", `{"id":"grace0001"}`)
	s.must(s.notes, "update_note", `{"id":"grace0001","content":"Compilers and ships"}`)
	s.must(s.wiki, "get_note", `{"path":"Grace"}`)
	s.AddBlock("grace0001", "by hand")
	s.must(s.wiki, "get_note", `{"path":"Grace"}`)
	s.must(s.notes, "update_note", `{"id":"grace0001","title":"Grace Hopper"}`)
	s.must(s.wiki, "get_note", `{"path":"Grace Hopper"}`)
	s.must(s.wiki, "update_note", `{"path":"Grace Hopper","content":"Admiral"}`)
	s.must(s.notes, "delete_note", `{"id":"grace0001"}`)
	told := s.must(s.wiki, "get_note_history", `{"path":"Grace Hopper"}`)
	want := "First seen: grace by ; Update note: grace by planner; Changed in Roam: grace by ; Move note: grace → grace hopper by planner; " +
		"Update note: grace hopper by claude-code; Delete note: grace hopper by planner"
	if got := s.told("grace0001"); got != want {
		t.Errorf("got  %s\nwant %s\n%s", got, want, told)
	}
	if log := s.Log.String(); strings.Contains(log, "Compilers") || strings.Contains(log, "Admiral") {
		t.Errorf("a text is in the log: %s", log)
	}
}

func TestWhatKilledServersDidNotRecordIsTheirs(t *testing.T) {
	s := newServed(t, profiletest.Options{})
	s.must(s.wiki, "get_note", `{"path":"Grace"}`)
	// As a killed server of wiki leaves it: the write is in the journal, its version is not.
	s.must(s.notes, "get_note", `{"id":"grace0001"}`)
	s.must(s.notes, "update_note", `{"id":"grace0001","content":"Half\n\nway"}`)
	again, end := s.Fresh()
	defer end()
	s.must(again, "get_note", `{"path":"Grace"}`)
	if got, want := s.told("grace0001"), "First seen: grace by ; Update note: grace by planner"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestVersionsAreKeptAsTextsAre(t *testing.T) {
	for name, tc := range map[string]struct {
		options profiletest.Options
		set     func(*configstore.Store) error
		want    string
	}{
		"nothing is said":     {profiletest.Options{}, nil, ""},
		"a server without":    {profiletest.Options{Server: func(o *mcpserve.Options) { o.Journal = nil }}, nil, "The server was started with --no-journal."},
		"Roam says encrypted": {profiletest.Options{}, nil, "Roam Desktop says that the graph is encrypted, so the history keeps none of its texts. The user can change that: roam-mcp history on --graph work"},
		"Roam does not say":   {profiletest.Options{}, nil, "Roam Desktop does not say whether the graph is encrypted, so the history keeps none of its texts. The user can change that: roam-mcp history on --graph work"},
		"none of the graph": {profiletest.Options{}, func(s *configstore.Store) error {
			return s.SetHistory(context.Background(), "work", configstore.Off)
		}, "The history keeps no texts of this graph. The user can change that: roam-mcp history on --graph work"},
		"none at all": {profiletest.Options{}, func(s *configstore.Store) error {
			return s.SetAllHistory(context.Background(), configstore.Off)
		}, "The history keeps no texts. The user can change that: roam-mcp history on"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServed(t, tc.options)
			if name == "Roam says encrypted" {
				s.Switch("encrypted=work")
			}
			if name == "Roam does not say" {
				s.Switch("encrypted-form=error")
			}
			if tc.set != nil {
				require.NoError(t, tc.set(s.Store))
			}
			s.must(s.wiki, "get_note", `{"path":"Grace"}`)
			told := s.must(s.wiki, "get_note_history", `{"path":"Grace"}`)
			if kept := strings.Contains(told, "First seen"); kept != (tc.want == "") || !strings.Contains(told, tc.want) || !kept && !strings.HasPrefix(told, "No version history available for Grace") {
				t.Error(told)
			}
			if got := s.told("grace0001"); (got == "") != (tc.want != "") {
				t.Errorf("recorded is %q", got)
			}
		})
	}
}

// state is what a version should be.
type state struct {
	title, tree, agent string
}

// randomHistory makes one page, edits it in all ways, and knows what it was.
type randomHistory struct {
	*served
	random *rand.Rand
	number int
	path   string // of the note
	page   string // uid
	states []state
	done   []string
}

// TestRandomHistories compares each version with what the page was. -tags campaign makes
// more.
func TestRandomHistories(t *testing.T) {
	s := newServed(t, profiletest.Options{})
	steps, compared := 0, 0
	for number := range randomHistories {
		h := &randomHistory{served: s, random: rand.New(rand.NewPCG(uint64(number), 7)), number: number, path: fmt.Sprintf("random/%d", number)}
		h.run()
		if t.Failed() {
			t.Fatalf("history %d: %s", number, strings.Join(h.done, "; "))
		}
		steps, compared = steps+len(h.done), compared+len(h.states)
	}
	t.Logf("%d histories, %d steps, %d versions", randomHistories, steps, compared)
}

func (h *randomHistory) run() {
	h.must(h.wiki, "create_note", fmt.Sprintf(`{"path":%q,"title":"T","content":"- one\n  - two\n- three","tags":["x"]}`, h.path))
	h.Query(&h.page, `[:find ?u . :in $ ?t :where [?p :node/title ?t] [?p :block/uid ?u]]`, h.path)
	h.note("claude-code")
	for range randomSteps {
		h.step()
		if h.t.Failed() {
			return
		}
	}
	h.compare()
}

// note remembers what the page is, unless it is as before.
func (h *randomHistory) note(agent string) {
	h.t.Helper()
	n := h.live(h.page).Visible()
	now := state{h.path, fmt.Sprintf("%+v", n.Outline()), agent}
	if len(h.states) > 0 {
		if last := h.states[len(h.states)-1]; last.title == now.title && last.tree == now.tree {
			return
		}
	}
	h.states = append(h.states, now)
}

func (h *randomHistory) content() string {
	var lines []string
	for i := range 1 + h.random.IntN(5) {
		lines = append(lines, strings.Repeat("  ", min(i, h.random.IntN(3)))+fmt.Sprintf("- line %d of [[Ada]]", h.random.IntN(6)))
	}
	return strings.Join(lines, "\n")
}

// blocks returns the blocks of the page.
func (h *randomHistory) blocks() (uids []string) {
	var walk func(nodes []note.Node)
	walk = func(nodes []note.Node) {
		for _, n := range nodes {
			uids = append(uids, n.UID)
			walk(n.Children)
		}
	}
	walk(h.live(h.page).Visible().Children)
	return uids
}

func (h *randomHistory) step() {
	defer func() {
		if h.t.Failed() {
			h.t.Logf("after %s, on %+v", strings.Join(h.done, "; "), h.live(h.page))
		}
	}()
	blocks := h.blocks()
	exists := len(blocks) > 0
	uid := func() string { return blocks[h.random.IntN(len(blocks))] }
	path := fmt.Sprintf("%q", h.path)
	did := func(what, agent string) {
		h.done = append(h.done, what)
		if agent != "claude-code" && len(h.blocks()) > 0 {
			h.must(h.wiki, "get_note", `{"path":`+fmt.Sprintf("%q", h.path)+`}`)
		} else if agent != "claude-code" {
			h.must(h.wiki, "get_note_history", `{"path":`+fmt.Sprintf("%q", h.path)+`}`)
		}
		h.note(agent)
	}
	switch choice := h.random.IntN(11); {
	case !exists || choice == 0:
		list, err := h.book().List(h.t.Context(), h.page, 100)
		require.NoError(h.t, err)
		some := list[h.random.IntN(len(list))]
		if !exists {
			some = list[len(list)-1]
		}
		if _, was, err := h.book().Find(h.t.Context(), h.page, some.ID); err != nil || len(was.Children) == 0 {
			return
		}
		h.must(h.wiki, "restore_note_version", fmt.Sprintf(`{"path":%s,"version":%q}`, path, some.Short()))
		h.path = h.live(h.page).Title // a page that was gone comes back under the title that it had then
		did("restore "+some.Short(), "claude-code")
	case choice == 1:
		h.must(h.wiki, "update_note", fmt.Sprintf(`{"path":%s,"content":%q}`, path, h.content()))
		did("update", "claude-code")
	case choice == 2:
		to := fmt.Sprintf("moved/%d/%d", h.number, len(h.done))
		h.must(h.wiki, "update_note", fmt.Sprintf(`{"path":%s,"new_path":%q}`, path, to))
		h.path = to
		did("move", "claude-code")
	case choice == 3 && h.random.IntN(3) == 0 && !h.live(h.page).HidesBelow():
		h.must(h.wiki, "delete_note", `{"path":`+path+`}`)
		did("delete", "claude-code")
	case choice == 4:
		h.must(h.notes, "get_note", fmt.Sprintf(`{"id":%q}`, h.page))
		h.must(h.notes, "update_note", fmt.Sprintf(`{"id":%q,"content":%q}`, h.page, h.content()))
		did("update by notes", "planner")
	case choice == 5:
		to := fmt.Sprintf("renamed/%d/%d", h.number, len(h.done))
		h.must(h.notes, "update_note", fmt.Sprintf(`{"id":%q,"title":%q}`, h.page, to))
		h.path = to
		did("rename by notes", "planner")
	case choice == 6:
		h.AddBlock(uid(), fmt.Sprintf("by hand %d", len(h.done)))
		did("add by hand", "")
	case choice == 7:
		h.Roam("data.block.delete", map[string]any{"block": map[string]any{"uid": uid()}})
		did("delete by hand", "")
	case choice == 8:
		h.Roam("data.block.move", map[string]any{"location": map[string]any{"parent-uid": h.page, "order": h.random.IntN(3)}, "block": map[string]any{"uid": uid()}})
		did("move by hand", "")
	case choice == 9:
		h.AddBlock(uid(), "secret #.rm-hide")
		did("hide by hand", "")
	default:
		h.Roam("data.block.update", map[string]any{"block": map[string]any{"uid": uid(), "string": fmt.Sprintf("edited %d", len(h.done)), "heading": h.random.IntN(4), "open": h.random.IntN(2) == 0}})
		did("edit by hand", "")
	}
}

// compare holds each version against what the page was.
func (h *randomHistory) compare() {
	h.t.Helper()
	b := h.book()
	list, err := b.List(h.t.Context(), h.page, 1000)
	require.NoError(h.t, err)
	slices.Reverse(list)
	for i := range max(len(list), len(h.states)) {
		if i >= len(list) || i >= len(h.states) {
			h.t.Errorf("%d versions of %d states", len(list), len(h.states))
			return
		}
		v, was, err := b.Find(h.t.Context(), h.page, list[i].ID)
		require.NoError(h.t, err)
		if got := (state{v.Title, fmt.Sprintf("%+v", was.Outline()), v.Agent}); got != h.states[i] {
			h.t.Errorf("version %d, %s:\ngot  %+v\nwant %+v", i, v.Message(strings.ToLower), got, h.states[i])
			return
		}
		if encoded, _ := json.Marshal(was); strings.Contains(string(encoded), "secret") {
			h.t.Errorf("version %d has what is hidden", i)
		}
	}
}
