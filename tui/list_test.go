package tui

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/race"
)

func (h *harness) list() *graphList { return h.root.stack[0].(*graphList) }

// names are those of the rows of the list, from top to bottom.
func (h *harness) names() []string {
	var names []string
	rows, _ := h.list().rowsAndSelected()
	for _, r := range rows {
		names = append(names, r.DisplayName())
	}
	return names
}

// lists compares the names of the rows.
func lists(want ...string) step {
	return func(h *harness) {
		h.t.Helper()
		if got := h.names(); !slices.Equal(got, want) {
			h.t.Errorf("listed are %q, want %q:\n%s", got, want, h.screen())
		}
	}
}

// marked compares the names of the marked graphs.
func marked(want ...string) step {
	return func(h *harness) {
		h.t.Helper()
		var got []string
		for _, g := range h.list().marked {
			got = append(got, g.Name)
		}
		if !slices.Equal(got, want) {
			h.t.Errorf("marked are %q, want %q:\n%s", got, want, h.screen())
		}
	}
}

// lineOf is the line of the screen that begins with a text, selected or not.
func (h *harness) lineOf(text string) int {
	return slices.IndexFunc(strings.Split(h.screen(), "\n"), func(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, " ▌"), text) })
}

// polled lets time pass until Roam is polled again, after a change.
func polled(change func(*fakeRoam)) step {
	return func(h *harness) {
		h.t.Helper()
		h.roam.mu.Lock()
		change(h.roam)
		h.roam.mu.Unlock()
		h.advance(3 * time.Second)
		h.handle(tickMsg{})
		h.until("another poll", func() bool { return !h.root.env.roam.polling && !h.root.work.checking })
	}
}

// reconfigured sends another configuration.
func reconfigured(entries ...configstore.Entry) step {
	return func(h *harness) {
		h.store.events <- configstore.Event{Config: configstore.Config{Version: 1, Entries: entries}}
	}
}

func TestFilter(t *testing.T) {
	unusual := func(h *harness) {
		h.store.config.Entries = []configstore.Entry{
			entry("Straße", hosted("one"), localapi.Full, "aaaa"),
			entry("Café", hosted("two"), localapi.Full, "bbbb"),
			entry("ΣΊΣΥΦΟΣ", hosted("Three"), localapi.Full, "cccc"),
		}
		h.roam.available = []localapi.Graph{hosted("Cafeteria")}
	}
	for filter, want := range map[string][]string{
		"STRASSE":     {"Straße"},
		"cafe\u0301":  {"Café"},
		"caf":         {"Café", "Cafeteria"},
		"σίσυφος":     {"ΣΊΣΥΦΟΣ"},
		"tHrEe":       {"ΣΊΣΥΦΟΣ"},
		"  caf  ":     {"Café", "Cafeteria"},
		"nothing has": nil,
	} {
		t.Run("finds "+filter, func(t *testing.T) {
			in(unusual).then(press("/"), typed(filter), lists(want...))(t, 80, 24)
		})
	}
	play(t, map[string]scene{
		"sets apart what it has found": in(configured).then(press("/"), typed("ding"), func(h *harness) {
			if content := h.root.View().Content; !strings.Contains(content, "mding\x1b") {
				h.t.Errorf("the frame is %q", content)
			}
		}),
		"selects the first graph that fits": in(configured).then(press("end", "/"), typed("l"), shown("▌ Personal"), typed("a"), shown("▌ Lab"), press("esc"), shown("▌ Lab", "recipes")),
		"is kept by enter": in(configured).then(press("/"), typed("re"), lists("reading-list", "recipes"),
			press("backspace", "enter", "q"), quits), // out of the filter q quits again
		"is dropped by esc": in(configured).then(press("/", "w", "enter", "esc"), see("recipes")),
		"takes pasted text, while it is typed": in(configured).then(pasted("work"), func(h *harness) {
			if len(h.names()) != 6 {
				h.t.Error("a paste filters while no filter is typed")
			}
		}, press("/"), pasted("wor\x1b[2Jk"+strings.Repeat("\n", 300)), func(h *harness) {
			if got := h.list().list.Filter.Text; len(got) > configstore.MaxNicknameLength || !strings.HasPrefix(got, "work") {
				h.t.Errorf("the filter is %q", got)
			}
		}),
	})
}

func TestSort(t *testing.T) {
	h := in(configured).then(press("down"))(t, 80, 24) // Personal
	for _, test := range []struct{ words, names string }{
		{"NICKNAME ↓", "Lab Old Personal Work reading-list recipes"},
		{"GRAPH ↓", "Old Work Lab Personal reading-list recipes"},
		{"STATE ↓", "Old Work Personal Lab reading-list recipes"},
		{"ACCESS ↓", "Work Lab Personal Old reading-list recipes"},
		{"Your graphs", "Work Personal Old Lab reading-list recipes"},
	} {
		h.press("S")
		shown(test.words, "▌ Personal")(h)
		lists(strings.Fields(test.names)...)(h)
	}
	unseen("↓")(h)
	kept := "nothing"
	h = in(configured, func(h *harness) {
		h.options.SortedBy, h.ports.KeepSort = "state", func(column string) { kept = column }
	}).then(shown("STATE ↓"))(t, 80, 24)
	for _, want := range []string{"nothing", "access", ""} {
		if h.root.keepSort(); kept != want {
			t.Errorf("kept is %q, want %q", kept, want)
		}
		h.press("S")
	}
}

func TestHeadingsStick(t *testing.T) {
	graphs := func(h *harness) { h.store.config, _ = crowd(40, 0) }
	down := func(n int) step { return press(slices.Repeat([]string{"down"}, n)...) }
	play(t, map[string]scene{
		"with the columns":        in(graphs).then(down(30), shown("Your graphs ↑ ", "NICKNAME GRAPH", "▌ Nickname 30")),
		"of the section in sight": in(many).then(down(17), shown("In Roam, not connected ↑ ", "▌ graph-11"), unseen("NICKNAME")),
		"and are no rows to click": in(graphs).then(down(30), func(h *harness) {
			for y := headerLines; y < headerLines+2; y++ {
				h.handle(tea.MouseClickMsg{X: 5, Y: y, Button: tea.MouseLeft})
			}
		}, shown("▌ Nickname 30")),
	})
}

// TestDeadKeys presses keys that do nothing on a screen.
func TestDeadKeys(t *testing.T) {
	play(t, map[string]scene{
		"what has no room in the key line is in the menu": in(configured).then(unseen("x remove"), shown("? menu"), press("?"), shown("x remove"), typed("sor"), shown("S sort")),
		"q below the first screen says how to quit":       in(configured).then(press("enter", "q"), shown("q quits from your graphs. esc goes back; ctrl+c quits from here."), depth(2)),
		"another one says where to look":                  in(configured).then(press("m", "z"), shown("z does nothing here. ? lists what can be done."), depth(2)),
		"also on the first screen":                        in(configured).then(press("z"), shown("z does nothing here.")),
		"also in a question":                              in(configured).then(press("x", "q"), shown("q quits from your graphs."), depth(2)),
		"not at the end of a list":                        in(configured).then(press("end", "down"), unseen("does nothing")),
		"not while text is typed":                         in(configured).then(press("/", "z"), unseen("does nothing")),
	})
}

func TestLookAgain(t *testing.T) {
	for _, pressed := range []string{"R", "ctrl+r"} {
		in(configured).then(func(h *harness) {
			h.roam.mu.Lock()
			h.roam.tokens[hosted("jfb-work-notes-2024")] = localapi.TokenInfo{Status: localapi.TokenRevoked, Reason: errors.New("unknown token")}
			h.roam.mu.Unlock()
			h.advance(time.Second) // long before the next check
		}, unseen("revoked in Roam"), press(pressed), see("Token …p0k7 was revoked in Roam."))(t, 80, 24)
	}
}

func TestLongNicknames(t *testing.T) {
	long := "The notes of the second half of the year that nobody else reads"
	for _, size := range [][2]int{{60, 24}, {80, 24}, {110, 32}, {160, 50}} {
		in(func(h *harness) {
			h.store.config.Entries = []configstore.Entry{entry(long, hosted("work"), localapi.Full, "aaaa")}
		}).then(func(h *harness) {
			if !strings.Contains(unwrapped(regexp.MustCompile(`(?m)^.*│`).ReplaceAllString(h.screen(), "")), long) {
				h.t.Errorf("it is nowhere whole:\n%s", h.screen())
			}
		})(t, size[0], size[1])
	}
}

func TestMark(t *testing.T) {
	twins := in(configured, func(h *harness) {
		h.roam.available = []localapi.Graph{offline("archive-2019"), hosted("twin"), offline("twin")}
	})
	scenes := map[string]scene{
		"space takes a mark off": in(configured).then(
			press("end", "space", "up", "space", "up", "space"), marked("recipes")),
		"esc takes all marks off": in(configured).then(
			press("end", "space", "up", "space", "esc"), marked(), stays),
		"a graph that is connected loses its mark": in(configured).then(press("end", "space", "up", "space"), func(h *harness) {
			reconfigured(append(slices.Clone(h.store.config.Entries), entry("Recipes", hosted("recipes"), localapi.Full, "recp"))...)(h)
			h.until("one mark", func() bool { return len(h.list().marked) == 1 })
		}, marked("reading-list"), press("end", "enter"), top[*connectForm]), // one alone has the form for one
		"refuses the other graph of a connected name": twins.then(press("end", "up", "up", "space"),
			marked(), shown("is connected as Old, and only one of the two can be.")),
		"refuses the other graph of a marked name": twins.then(press("end", "space", "up", "space"),
			marked("twin"), shown("is marked, and only one of the two can be connected.")),
	}
	for _, key := range []string{"enter", "c"} {
		scenes[key+" connects the marked graphs"] = in(configured).then(press("end", "space", "up", "space"),
			marked("recipes", "reading-list"), shown("2 marked", "✓ marked"), press(key), top[*connectQueue], func(h *harness) {
				if q := h.root.top().(*connectQueue); len(q.items) != 2 || q.items[0].graph != hosted("recipes") {
					h.t.Errorf("asked for are %v", q.items)
				}
			}, press("esc"), marked("recipes", "reading-list")) // nothing was connected
	}
	play(t, scenes)
}

func TestListKeys(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	for _, test := range []struct{ key, want string }{
		{"j", "Personal"}, {"k", "Work"}, {"k", "Work"}, {"G", "recipes"}, {"g", "Work"}, {"pgdown", "recipes"}, {"up", "reading-list"},
	} {
		h.press(test.key)
		shown("▌ " + test.want)(h)
	}
	for _, test := range []struct {
		world world
		keys  []string
		want  string
	}{
		{fresh, []string{"e"}, "This graph is not connected yet. enter connects it."},
		{fresh, []string{"r"}, "This graph is not connected yet. enter connects it."},
		{fresh, []string{"x"}, "This graph is not connected yet. enter connects it."},
		{fresh, []string{"t"}, "This graph is not connected yet. enter connects it."},
		{fresh, []string{"o"}, "The sandbox stands in for Roam; there is nothing to open."},
		{func(*harness) {}, []string{"enter"}, "There is no graph in the list yet."},
		{func(*harness) {}, []string{"r"}, "There is no graph in the list yet."},
		{configured, []string{"/", "z", "z", "enter", "space"}, "No graph is listed under this filter."},
		{configured, []string{"u"}, "Nothing was removed since the program started."},
		{configured, []string{"i"}, "There is nothing to import here."},
		{configured, []string{"down", "down", "down", "t"}, "Lab is disabled, so agents can't reach it."},
		{func(h *harness) { away(h); h.ports.OpenRoam = nil }, []string{"o"}, "Start Roam Desktop by hand."},
	} {
		t.Run("says why it does nothing: "+fmt.Sprint(test.keys), func(t *testing.T) {
			noHome := func(h *harness) { h.options.Environ = h.options.Environ[:2] }
			in(test.world, noHome).then(press(test.keys...), shown(test.want))(t, 80, 24)
		})
	}
}

func TestListFollows(t *testing.T) {
	reported := []step{shown("What happened.", "What to do.")}
	scenes := map[string]scene{
		"Roam": in(configured, away).then(shown("1 Graphs ▲", "Roam ○ not running", "○ Roam is away"),
			polled(func(r *fakeRoam) { r.err = nil }),
			shown("Roam ● running", "● connected"), unseen("Nothing answers"),
			polled(func(r *fakeRoam) { r.open = append(slices.Clone(r.open), hosted("recipes")) }), shown("recipes hosted ○ open now"),
			polled(func(r *fakeRoam) { r.err = errors.New("gone") }), shown("Roam is away", "no answer"), unseen("recipes")),
		"the configuration": in(configured).then(press("down"),
			reconfigured(entry("New", hosted("new-graph"), localapi.Full, "neww"), entry("Personal", offline("personal-zettelkasten"), localapi.ReadAppend, "q2w3")),
			see("New new-graph"), shown("▌ Personal"),
			polled(func(r *fakeRoam) { r.err = errors.New("gone") }), see("Roam is away")),
	}
	for code, want := range map[problem.Code]string{
		localapi.CodeConnectionFailed: "not running", localapi.CodeDisabled: "Local API disabled",
		localapi.CodeNotRoam: "something else answers", localapi.CodeVersionMismatch: "another version of the API",
		localapi.CodeTimeout: "no answer", localapi.CodeOtherUser: "something else answers",
	} {
		scenes["what is wrong with Roam: "+string(code)] = in(configured, func(h *harness) {
			h.roam.err = &problem.Error{Code: code, Message: "What happened.", Hint: problem.Say("What to do.")}
		}).then(resized(120, 24), shown(want)).then(reported...)
	}
	play(t, scenes)
}

func TestSelection(t *testing.T) {
	t.Run("is the first configured graph though Roam answers first", func(t *testing.T) {
		config, roam := crowd(30, 30)
		roam.Available = roam.Available[30:]
		h := prepare(t)
		h.handle(tea.WindowSizeMsg{Width: 80, Height: 24})
		h.handle(polledMsg{roam})
		h.handle(configMsg{event: configstore.Event{Config: config}, open: true})
		shown("▌ Nickname 0 ")(h)
	})
	t.Run("stays where it is", func(t *testing.T) {
		h := in(many).then(press(slices.Repeat([]string{"down"}, 30)...), shown("▌ graph-24"))(t, 80, 24)
		before := h.lineOf("graph-24")
		entries := slices.Clone(h.store.config.Entries)
		for i := range 9 {
			entries = append(entries, entry(fmt.Sprint("New ", i), hosted(fmt.Sprint("new-", i)), localapi.Full, "neww"))
		}
		reconfigured(entries...)(h)
		h.until("the new graphs", func() bool { return len(h.names()) == 75 })
		if after := h.lineOf("graph-24"); after != before || !h.shows("▌ graph-24") {
			t.Errorf("the selected row went from line %d to %d:\n%s", before, after, h.screen())
		}
		polled(func(r *fakeRoam) { r.available = r.available[:20] })(h) // graph-24 is gone
		if _, at := h.list().rowsAndSelected(); at < 0 || !h.shows("▌") {
			t.Errorf("nothing is selected:\n%s", h.screen())
		}
	})
}

func TestMouse(t *testing.T) {
	h := newHarness(t, 80, 24, many)
	click := func(y int) { h.handle(tea.MouseClickMsg{X: 10, Y: y, Button: tea.MouseLeft}) }
	wheel := func(button tea.MouseButton, times int) {
		for range times {
			h.handle(tea.MouseWheelMsg{X: 10, Y: 8, Button: button})
		}
	}
	click(h.lineOf("Old"))
	shown("▌ Old")(h)
	before := h.screen()
	for _, y := range []int{h.lineOf("In Roam"), h.lineOf("NICKNAME"), 0, 23} {
		click(y)
	}
	h.handle(tea.MouseClickMsg{X: 10, Y: h.lineOf("Lab"), Button: tea.MouseRight})
	if h.screen() != before {
		t.Errorf("a click beside the rows does something:\n%s", h.screen())
	}
	wheel(tea.MouseWheelDown, 5)
	shown("graph-07", "▌")(h)
	at := h.lineOf("graph-09")
	click(at)
	if !h.shows("▌ graph-09") || h.lineOf("graph-09") != at {
		t.Errorf("a click in the scrolled list does not select in place:\n%s", h.screen())
	}
	wheel(tea.MouseWheelUp, 9)
	shown("Your graphs")(h)
	if h.root.View().MouseMode != tea.MouseModeCellMotion {
		t.Error("the list does not ask for the mouse")
	}
	h.press("m")
	if h.root.View().MouseMode != tea.MouseModeNone {
		t.Error("a screen with text to select takes the mouse")
	}
}

// TestSelectionIsInSight moves about in windows of all heights; what
// is said to be above and below has to add up with what is shown.
func TestSelectionIsInSight(t *testing.T) {
	t.Parallel()
	some := func(n int) world {
		return func(h *harness) {
			config, roam := crowd(n, 2*n)
			h.store.config, h.roam.available = config, roam.Available
		}
	}
	shown := regexp.MustCompile(`(graph|other)-\d{4}`)
	beside := regexp.MustCompile(`(?m)│.*$`) // the details
	hidden := regexp.MustCompile(`[↑↓] (\d+) more`)
	for _, worlds := range [][]world{{some(1)}, {some(9), problems}, {some(40)}, {many}, {fresh}, {fresh, problems}} {
		h := newHarness(t, 60, 16, worlds...)
		list := h.list()
		random := rand.New(rand.NewPCG(1, 2))
		steps := 300
		if race.Enabled {
			steps = 30
		}
		for step := range steps {
			switch step % 3 {
			case 0:
				h.handle(tea.WindowSizeMsg{Width: 60 + random.IntN(60), Height: 16 + random.IntN(20)})
			case 1:
				h.handle(tea.MouseWheelMsg{Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[random.IntN(2)]})
			default:
				h.press([]string{"up", "down", "pgdown", "k", "j", "end", "g"}[random.IntN(7)])
			}
			h.screen()
			top, height := list.list.Window()
			rows := strings.Join(strings.Split(h.screen(), "\n")[headerLines+top:headerLines+top+height], "\n")
			rows = beside.ReplaceAllString(rows, "")
			if !strings.Contains(rows, "▌") {
				t.Fatalf("after %d steps the selected row is out of sight:\n%s", step, h.screen())
			}
			if _, counted := list.env.roster.Config.FindGraph(hosted("graph-0000")); !counted || height < 3 {
				continue
			}
			n := len(shown.FindAllString(rows, -1))
			for _, m := range hidden.FindAllStringSubmatch(rows, -1) {
				more, _ := strconv.Atoi(m[1])
				n += more
			}
			if all := len(h.names()); n != all {
				t.Fatalf("after %d steps %d rows of %d are accounted for:\n%s", step, n, all, h.screen())
			}
		}
	}
}
