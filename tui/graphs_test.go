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
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// listed are the names of the rows in sight, from top to bottom.
func listed(h *harness) []string {
	var names []string
	list := h.root.stack[0].(*graphList)
	rows, _ := list.rowsAndSelected()
	for _, r := range rows {
		names = append(names, r.displayName())
	}
	return names
}

func TestTheFilterFindsNicknamesAndNamesWithoutRegardToCase(t *testing.T) {
	unusual := func(h *harness) {
		h.store.config.Entries = []configstore.Entry{
			entry("Straße", hosted("one"), localapi.Full, "aaaa"),
			entry("Café", hosted("two"), localapi.Full, "bbbb"),
			entry("ΣΊΣΥΦΟΣ", hosted("Three"), localapi.Full, "cccc"),
		}
		h.roam.available = []localapi.Graph{hosted("Cafeteria")}
	}
	tests := map[string][]string{
		"STRASSE":     {"Straße"},
		"cafe\u0301":  {"Café"},
		"caf":         {"Café", "Cafeteria"},
		"σίσυφος":     {"ΣΊΣΥΦΟΣ"},
		"tHrEe":       {"ΣΊΣΥΦΟΣ"},
		"  caf  ":     {"Café", "Cafeteria"},
		"nothing has": nil,
	}
	for filter, want := range tests {
		t.Run(filter, func(t *testing.T) {
			h := newHarness(t, 80, 24, unusual)
			h.press("/")
			h.typeText(filter)
			if got := listed(h); !slices.Equal(got, want) {
				t.Errorf("it shows %q, want %q", got, want)
			}
		})
	}
}

func TestWhatTheFilterHasFoundIsMarked(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("/")
	h.typeText("ding")
	if content := h.root.View().Content; !strings.Contains(content, "mding\x1b") {
		t.Errorf("the match is not set apart: %q", content)
	}
}

func TestTheSortKeyGoesThroughAllOrders(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("down") // Personal
	for _, step := range []struct {
		words string
		first []string
	}{
		{"sorted by nickname", []string{"Lab", "Old", "Personal", "Work", "reading-list", "recipes"}},
		{"sorted by name", []string{"Old", "Work", "Lab", "Personal", "reading-list", "recipes"}},
		{"sorted by state", []string{"Old", "Work", "Personal", "Lab", "reading-list", "recipes"}},
		{"sorted by access", []string{"Work", "Lab", "Personal", "Old", "reading-list", "recipes"}},
		{"Your graphs", []string{"Work", "Personal", "Old", "Lab", "reading-list", "recipes"}},
	} {
		h.press("S")
		if got := listed(h); !h.shows(step.words) || !slices.Equal(got, step.first) {
			t.Errorf("want %s: %q\nhave %q in\n%s", step.words, step.first, got, h.screen())
		}
		if !h.shows("▌ Personal") {
			t.Errorf("the selection has moved:\n%s", h.screen())
		}
	}
	if h.shows("sorted") {
		t.Error("the usual order is talked about")
	}
}

// later lets time pass until Roam is looked at again.
func (h *harness) later(change func()) {
	h.roam.mu.Lock()
	change()
	h.roam.mu.Unlock()
	h.mu.Lock()
	h.now = h.now.Add(3 * time.Second)
	h.mu.Unlock()
	h.handle(tickMsg{})
	h.until("another look", func() bool { return !h.root.work.polling && !h.root.work.checking })
}

func TestTheListFollowsRoam(t *testing.T) {
	h := newHarness(t, 80, 24, configured, away)
	if !h.shows("Roam Desktop ○ not running") || !h.shows("○ Roam is away") {
		t.Fatalf("Roam is not said to be away:\n%s", h.screen())
	}
	h.later(func() { h.roam.err = nil })
	if !h.shows("Roam Desktop ● 127.0.0.1:3333 · API 1.1.5") || !h.shows("● connected") || h.shows("Nothing answers") {
		t.Errorf("Roam has appeared, but:\n%s", h.screen())
	}
	h.later(func() { h.roam.address = "127.0.0.1:3334" })
	if !h.shows("● 127.0.0.1:3334") {
		t.Errorf("Roam has moved, but:\n%s", h.screen())
	}
	h.later(func() { h.roam.open = append(slices.Clone(h.roam.open), hosted("recipes")) })
	if !h.shows("recipes hosted ○ open now") {
		t.Errorf("a graph was opened, but:\n%s", h.screen())
	}
	h.later(func() { h.roam.err = errors.New("gone") })
	if !h.shows("Roam is away") || !h.shows("no answer") || h.shows("recipes") {
		t.Errorf("Roam has gone, but:\n%s", h.screen())
	}
}

func TestTheFirstConfiguredGraphIsSelectedThoughRoamAnswersFirst(t *testing.T) {
	config, roam := crowd(30, 30)
	roam.available = roam.available[30:]
	h := prepare(t)
	h.handle(tea.WindowSizeMsg{Width: 80, Height: 24})
	h.handle(polledMsg{roam})
	h.handle(configMsg{event: configstore.Event{Config: config}, open: true})
	if !h.shows("▌ Nickname 0 ") {
		t.Errorf("another graph is selected:\n%s", h.screen())
	}
}

func TestTheHeaderSaysWhatIsWrongWithRoam(t *testing.T) {
	for code, want := range map[problem.Code]string{
		localapi.CodeConnectionFailed: "not running", localapi.CodeDisabled: "Local API disabled",
		localapi.CodeNotRoam: "something else on 127.0.0.1:3333", localapi.CodeVersionMismatch: "another version of the API",
		localapi.CodeTimeout: "no answer",
	} {
		h := newHarness(t, 80, 24, configured, func(h *harness) {
			h.roam.err = &problem.Error{Code: code, Message: "What happened.", Hint: problem.Say("What to do.")}
		})
		if !h.shows(want) || !h.shows("What happened.") || !h.shows("What to do.") {
			t.Errorf("%s is not explained:\n%s", code, h.screen())
		}
	}
}

func TestARefreshLeavesTheSelectedRowWhereItIs(t *testing.T) {
	h := newHarness(t, 80, 24, many)
	for range 30 {
		h.press("down")
	}
	line := func() int {
		return slices.IndexFunc(strings.Split(h.screen(), "\n"), func(s string) bool { return strings.HasPrefix(s, " ▌ graph-24") })
	}
	before := line()
	if before < 0 {
		t.Fatalf("graph-24 is not selected:\n%s", h.screen())
	}
	config := h.store.config
	for i := range 9 {
		config.Entries = append(slices.Clone(config.Entries), entry(fmt.Sprint("New ", i), hosted(fmt.Sprint("new-", i)), localapi.Full, "neww"))
	}
	h.store.events <- configstore.Event{Config: config}
	h.until("the new graphs", func() bool { return len(listed(h)) == 75 })
	if after := line(); after != before {
		t.Errorf("the selected row went from line %d to %d:\n%s", before, after, h.screen())
	}
	h.later(func() { h.roam.available = h.roam.available[:20] }) // graph-24 is gone
	if _, at := h.root.stack[0].(*graphList).rowsAndSelected(); at < 0 || !h.shows("▌") {
		t.Errorf("nothing is selected:\n%s", h.screen())
	}
}

func TestAKeyThatCantBeUsedNowSaysWhy(t *testing.T) {
	tests := []struct {
		worlds []world
		keys   []string
		want   string
	}{
		{[]world{fresh}, []string{"e"}, "This graph is not connected yet."},
		{[]world{fresh}, []string{"x"}, "This graph is not connected yet."},
		{nil, []string{"enter"}, "There is no graph in the list yet."},
		{nil, []string{"r"}, "There is no graph in the list yet."},
		{[]world{configured}, []string{"/", "z", "z", "enter", "space"}, "No graph is listed under this filter."},
		{[]world{configured}, []string{"u"}, "Nothing was removed since the program started."},
		{[]world{configured}, []string{"f"}, "Nobody else can read /home/ada/.roam-mcp.json"},
		{[]world{configured}, []string{"i"}, "There is nothing to import here."},
		{[]world{configured}, []string{"down", "down", "down", "t"}, "Lab is disabled, so agents can't reach it."},
		{[]world{fresh}, []string{"o"}, "there is nothing to open"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.keys), func(t *testing.T) {
			h := newHarness(t, 80, 24, append(test.worlds, func(h *harness) { h.root.env.options.Environ = nil })...)
			h.press(test.keys...)
			if !h.shows(test.want) {
				t.Errorf("no %q in\n%s", test.want, h.screen())
			}
		})
	}
}

func TestTheMouseSelectsAndScrolls(t *testing.T) {
	h := newHarness(t, 80, 24, many)
	click := func(y int) { h.handle(tea.MouseClickMsg{X: 10, Y: y, Button: tea.MouseLeft}) }
	wheel := func(button tea.MouseButton) { h.handle(tea.MouseWheelMsg{X: 10, Y: 8, Button: button}) }
	lineOf := func(name string) int {
		return slices.IndexFunc(strings.Split(h.screen(), "\n"), func(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, " ▌"), name) })
	}
	click(lineOf("Old"))
	if !h.shows("▌ Old") {
		t.Errorf("a click does not select:\n%s", h.screen())
	}
	before := h.screen()
	click(lineOf("In Roam"))
	click(lineOf("NICKNAME"))
	click(0)
	click(23)
	h.handle(tea.MouseClickMsg{X: 10, Y: lineOf("Lab"), Button: tea.MouseRight})
	if h.screen() != before {
		t.Errorf("a click beside the rows does something:\n%s", h.screen())
	}
	for range 5 {
		wheel(tea.MouseWheelDown)
	}
	if lineOf("graph-07") < 0 || !h.shows("▌") {
		t.Errorf("the wheel does not scroll, or leaves nothing selected:\n%s", h.screen())
	}
	at := lineOf("graph-09")
	click(at)
	if !h.shows("▌ graph-09") || lineOf("graph-09") != at {
		t.Errorf("a click in the scrolled list does not select in place:\n%s", h.screen())
	}
	for range 9 {
		wheel(tea.MouseWheelUp)
	}
	if lineOf("Your graphs") < 0 {
		t.Errorf("the wheel does not scroll back:\n%s", h.screen())
	}
	if h.root.View().MouseMode != tea.MouseModeCellMotion {
		t.Error("the list does not ask for the mouse")
	}
	h.press("m")
	if h.root.View().MouseMode != tea.MouseModeNone {
		t.Error("a screen with text to select takes the mouse")
	}
}

func TestPastedTextGoesIntoTheFilter(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.handle(tea.PasteMsg{Content: "work"})
	if len(listed(h)) != 6 {
		t.Error("a paste filters while no filter is typed")
	}
	h.press("/")
	h.handle(tea.PasteMsg{Content: "wor\x1b[2Jk" + strings.Repeat("\n", 300)})
	if got := h.root.stack[0].(*graphList).filter; len(got) > configstore.MaxNicknameLength || !strings.HasPrefix(got, "work") {
		t.Errorf("the filter is %q", got)
	}
}

// TestTheSelectedRowIsAlwaysInSight moves about in windows of all heights; what
// is said to be above and below has to add up with what is shown.
func TestTheSelectedRowIsAlwaysInSight(t *testing.T) {
	t.Parallel()
	some := func(n int) world {
		return func(h *harness) {
			config, roam := crowd(n, 2*n)
			h.store.config, h.roam.available = config, roam.available
		}
	}
	shown := regexp.MustCompile(`(graph|other)-\d{4}`)
	hidden := regexp.MustCompile(`[↑↓] (\d+) more`)
	for _, worlds := range [][]world{{some(1)}, {some(9), problems}, {some(40)}, {many}, {fresh}, {fresh, problems}} {
		h := newHarness(t, 60, 16, worlds...)
		list := h.root.stack[0].(*graphList)
		random := rand.New(rand.NewPCG(1, 2))
		for step := range 300 {
			switch step % 3 {
			case 0:
				h.handle(tea.WindowSizeMsg{Width: 60 + random.IntN(60), Height: 16 + random.IntN(20)})
			case 1:
				h.handle(tea.MouseWheelMsg{Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[random.IntN(2)]})
			default:
				h.press([]string{"up", "down", "pgdown", "k", "j", "end", "g"}[random.IntN(7)])
			}
			rows := strings.Join(strings.Split(h.screen(), "\n")[headerLines+list.window.top:headerLines+list.window.top+list.window.height], "\n")
			if !strings.Contains(rows, "▌") {
				t.Fatalf("after %d steps the selected row is out of sight:\n%s", step, h.screen())
			}
			if _, counted := list.env.config.FindGraph(hosted("graph-0000")); !counted || list.window.height < minMore {
				continue
			}
			n := len(shown.FindAllString(rows, -1))
			for _, m := range hidden.FindAllStringSubmatch(rows, -1) {
				more, _ := strconv.Atoi(m[1])
				n += more
			}
			if all := len(listed(h)); n != all {
				t.Fatalf("after %d steps %d rows of %d are accounted for:\n%s", step, n, all, h.screen())
			}
		}
	}
}

func TestARevokedTokenHasItsNextStepWhileRoamIsAway(t *testing.T) {
	h := newHarness(t, 80, 24, configured, away, func(h *harness) {
		h.store.config.Entries[0].LastKnownTokenStatus = localapi.TokenRevoked
	})
	if !h.shows("was revoked in Roam. r asks for a new one.") || h.shows("agents can read, add") {
		t.Errorf("the screen is\n%s", h.screen())
	}
}

func TestWhatTheKeyFixesIsNotHiddenBehindOtherProblems(t *testing.T) {
	h := newHarness(t, 80, 24, configured, func(h *harness) {
		for i := range 3 {
			h.store.config.Problems = append(h.store.config.Problems, configstore.Problem{Code: configstore.CodeEntryInvalid, Message: "An entry is bad.", Index: i})
		}
		h.store.config.Problems = append(h.store.config.Problems, configstore.Problem{Code: configstore.CodeConfigModeOpen, Message: "Others can read it.", Index: -1})
	})
	if !h.shows("f fix") || !h.shows("Others can read it. f closes it.") || !h.shows("2 problems more") {
		t.Errorf("the screen is\n%s", h.screen())
	}
}
