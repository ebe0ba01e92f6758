package faulttest

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/observed"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/switches"
	"roam-mcp/internal/testutil/conformance"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/surface"
)

var (
	truthSeed   = flag.Uint64("truth-seed", 1, "seed by which the calls of false beliefs are chosen; 0: another one each time")
	truthReport = flag.String("truth-report", "", "file for all that is not true, with a table of the beliefs")
	truthTries  = flag.Int("truth-tries", truthCalls, "calls of a tool of each belief that is false")
	truthOnly   = flag.String("truth-only", "", "only calls whose name has this in it, such as \"wiki/update_note/content × ignored\"")
)

// truthOwed are the beliefs of which it is known that a call does not bear them yet: what it
// finds of them is told and fails nothing.
func truthOwed() []string { return []string{"nest-under"} }

// truthCase is a scenario of which Roam does not do as it should.
type truthCase struct {
	belief    string // the switch
	settings  []string
	cut       int  // the write whose reply is lost, from 1; 0: none
	otherwise bool // Roam leaves another graph, of which no answer need tell
}

func (c truthCase) String() string {
	said := strings.Join(c.settings, " ")
	if c.cut > 0 {
		said = strings.TrimSpace(fmt.Sprintf("reply %d lost ", c.cut) + said)
	}
	return said
}

// truthFailures are the texts with which a write throws that was done.
func truthFailures() []string {
	return []string{"Block with uid x not found", "Page with this title already exists", "rate limit exceeded", "Query and/or pull expression took too long to run.", "Something else went wrong"}
}

// casesOf lists all that can be otherwise of a scenario, whose clean run is known. Of a large
// page it is only what shows nowhere else.
func casesOf(clean truthRun, large bool) []truthCase {
	var cases []truthCase
	add := func(belief string, cut int, settings ...string) {
		cases = append(cases, truthCase{belief: belief, cut: cut, settings: settings})
	}
	add("none", 0)
	actions := map[string]bool{}
	for i, write := range clean.writes {
		if large {
			break
		}
		actions[write.action] = true
		add("drop", i+1)
		for _, time := range []string{"missing", "behind"} {
			add("create-time", i+1, "create-time="+time)
		}
	}
	for _, action := range slices.Sorted(maps.Keys(actions)) {
		if strings.HasPrefix(action, "data.block.") || strings.HasPrefix(action, "data.page.") || action == "batchActions" { // others can't be looked for
			add("ignored", 0, "ignored="+action)
		}
		for _, text := range truthFailures() {
			add("fail-done", 0, "fail-done="+action+":"+text)
		}
	}
	if len(actions) > 0 {
		add("late", 0, "late=150ms")
	}
	for name, settings := range truthProfiles() {
		if !large && len(settings) > 0 {
			cases = append(cases, truthCase{belief: name, settings: settings, otherwise: true})
		}
	}
	for _, belief := range observed.Beliefs() {
		switch {
		case large != (belief.ID == "limit-nil"), belief.Answers, belief.ID == "encrypted-form", belief.ID == "timeout-text", belief.ID == "create-time":
			continue
		case !restsOn(actions, belief.ID):
			continue
		}
		findings := belief.Otherwise
		if belief.ID == "async-forms" { // by data.fast.q the test itself reads
			findings = slices.DeleteFunc(slices.Clone(findings), func(f string) bool { return f == "data.fast.q" })
		}
		if belief.Several && belief.ID != "async-forms" { // of which one has to be left
			findings = append(findings[:len(findings):len(findings)], belief.Join(findings))
		}
		for _, finding := range findings {
			cases = append(cases, truthCase{belief: belief.ID, settings: []string{belief.ID + "=" + finding}, otherwise: belief.Group == "rewriting"})
		}
	}
	return cases
}

// truthProfiles returns the settings of the conformance profiles that are not as documented, by
// name.
func truthProfiles() map[string][]string {
	all, err := conformance.Profiles()
	if err != nil {
		panic(err) // they are embedded
	}
	found := map[string][]string{}
	for _, each := range all {
		settings, _ := switches.Observed(each.File)
		for _, s := range settings {
			found[each.Name] = append(found[each.Name], string(s.Name)+"="+s.Value)
		}
	}
	return found
}

// restsOn reports whether what becomes of some actions can depend on a belief.
func restsOn(actions map[string]bool, belief string) bool {
	var by []string
	switch belief {
	case "importer", "nest-under":
		by = []string{"data.block.fromMarkdown", "data.page.fromMarkdown", "data.block.addComment"}
	case "batch-form":
		by = []string{"data.block.updateBlocks", "data.block.deleteBlocks"}
	case "batch-actions":
		by = []string{"batchActions"}
	case "reorder-partial":
		by = []string{"data.block.reorderBlocks"}
	case "order-same-parent", "orders-dense", "move-below-itself":
		by = []string{"data.block.move", "data.block.create", "data.block.reorderBlocks", "data.block.fromMarkdown"}
	case "literal":
		by = []string{"data.block.create", "data.block.update", "data.block.updateBlocks", "batchActions"}
	case "body-1m":
		return false // no scenario is as large
	default:
		return true
	}
	return slices.ContainsFunc(by, func(action string) bool { return actions[action] })
}

// group returns the name of those cases of which the everyday tests choose some: those of
// one belief, or of beliefs that few writes rest on.
func (c truthCase) group() string {
	belief, ok := observed.Find(c.belief)
	if !ok || slices.Contains([]string{"writes", "texts"}, belief.Group) || c.belief == "create-time" || c.belief == "pull-missing" {
		return c.belief
	}
	return belief.Group
}

// known reports whether the sandbox has the switches of a case.
func (c truthCase) known() bool {
	_, err := switches.ParseAll(c.settings)
	return err == nil
}

// run makes a scenario of a Roam that does as a case says.
func (s truthScenario) run(t *testing.T, profile string, c truthCase) truthRun {
	t.Helper()
	w := newTruthWorld(t, profile, s.large)
	defer w.close()
	last := s.prepare(w)
	args := maps.Clone(s.args)
	for key, value := range args {
		if found, is := value.(truthFound); is {
			args[key] = regexp.MustCompile(found.pattern).FindAllString(last.raw, -1)[found.nth]
		}
	}
	r := truthRun{deletes: strings.HasPrefix(s.tool, "delete_")}
	was := w.graph()
	r.before = stateOf(was, was)
	w.wire.arm(c.cut)
	w.turn(c.settings...)
	r.answer = w.call(s.tool, args)
	w.wire.landed()
	_ = w.session.Close()
	w.end()
	_, r.late = w.box.Switches().Since(switches.Late)
	w.box.Switches().Clear()
	is := w.graph()
	r.after = stateOf(is, was)
	r.answer.steady(is, was)
	if r.writes = w.wire.writes(); len(r.writes) > 0 {
		r.changes = w.changes()
	}
	r.answer.judge(r.changes)
	return r
}

// prepare makes the calls that come before, and returns the last answer.
func (s truthScenario) prepare(w *truthWorld) (last truthAnswer) {
	w.t.Helper()
	for _, each := range s.first {
		if last = w.call(each.tool, each.args); last.kind != "done" {
			w.t.Fatalf("%s: %s", each.tool, last.raw)
		}
	}
	return last
}

// TestWhatIsToldIsTrueWhateverRoamDoes makes the calls of each tool that writes, of a Roam
// that is otherwise than it is believed to be, and holds graph, answer and history against
// each other and against the same call of a Roam as it should be: no text is gone that the
// call was not to remove, nothing is told as done that is not, nothing as not done that is,
// and the history says the same.
func TestWhatIsToldIsTrueWhateverRoamDoes(t *testing.T) {
	if race.Enabled {
		t.Skip("takes minutes under the race detector, and starts nothing that other tests do not")
	}
	seed := *truthSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-truth-seed %d", seed)
	found := newTruthFindings()
	for _, profile := range mcpserve.Profiles() {
		t.Run(profile.Name, func(t *testing.T) { truthOf(t, profile, seed, found) })
	}
	for _, line := range found.table() {
		t.Log(line)
	}
	found.write(t, *truthReport)
	for _, belief := range truthOwed() {
		if found.tried[belief] > 0 && found.failed[belief] == 0 && *truthTries == truthCalls && truthCalls > 1 && *truthOnly == "" {
			t.Errorf("%s is owed no more", belief)
		}
	}
}

// truthOf runs the scenarios of a profile.
func truthOf(t *testing.T, profile surface.Profile, seed uint64, found *truthFindings) {
	byTool := map[string][]truthScenario{}
	for _, s := range truthScenarios(profile.Name) {
		byTool[s.tool] = append(byTool[s.tool], s)
	}
	for _, tool := range profile.Tools {
		switch there := byTool[tool.Name]; {
		case !tool.Writes(), tool.Task == problem.UndoOwnChanges: // whose steps are those of TestUndo
		case len(there) == 0:
			t.Errorf("%s writes, and has no scenario: see truth_scenarios_test.go", tool.Name)
		default:
			t.Run(tool.Name, func(t *testing.T) {
				t.Parallel()
				truthOfTool(t, profile.Name, there, rand.New(rand.NewPCG(seed, uint64(len(tool.Name)))), found)
			})
		}
	}
}

// truthTry is a case of a scenario that is to be run.
type truthTry struct {
	scenario truthScenario
	clean    truthRun
	truthCase
}

func truthOfTool(t *testing.T, profile string, scenarios []truthScenario, random *rand.Rand, found *truthFindings) {
	groups := map[string][]truthTry{}
	for _, s := range scenarios {
		name := profile + "/" + s.tool + "/" + s.name
		clean := s.run(t, profile, truthCase{})
		if len(clean.writes) > 0 && clean.answer.kind != "done" && clean.answer.kind != "in part" && clean.answer.kind != "not done" {
			found.note(t, "none", name+" × ", clean, []string{"2 overstated: it does not know: " + clean.answer.raw})
		}
		for _, c := range casesOf(clean, s.large) {
			switch {
			case !c.known():
				found.leaveOut(c.belief)
			case strings.Contains(name+" × "+c.String(), *truthOnly):
				groups[c.group()] = append(groups[c.group()], truthTry{s, clean, c})
			}
		}
	}
	chosen := slices.Sorted(maps.Keys(groups))
	random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	for _, group := range chosen[:min(len(chosen), truthGroups)] {
		tries := groups[group]
		random.Shuffle(len(tries), func(i, j int) { tries[i], tries[j] = tries[j], tries[i] })
		for _, try := range tries[:min(len(tries), *truthTries)] {
			began := time.Now()
			run := try.scenario.run(t, profile, try.truthCase)
			run.took = time.Since(began)
			name := fmt.Sprintf("%s/%s/%s × %s", profile, try.scenario.tool, try.scenario.name, try.truthCase)
			broken := run.broken(try.clean, try.otherwise)
			if slices.ContainsFunc(try.settings, func(s string) bool { return strings.HasPrefix(s, "create-time=") }) {
				// Pages and blocks that Roam makes on the way are told from others by times alone.
				broken = slices.DeleteFunc(broken, func(b string) bool { return strings.HasPrefix(b, truthStays) })
			}
			found.note(t, try.belief, name, run, broken)
		}
	}
}

// truthFindings is what runs have shown.
type truthFindings struct {
	mu            sync.Mutex
	tried, failed map[string]int // by belief
	unknown       map[string]int // answers that leave it open
	took          map[string]time.Duration
	untried       map[string]bool
	lines         []string
}

func newTruthFindings() *truthFindings {
	return &truthFindings{tried: map[string]int{}, failed: map[string]int{}, unknown: map[string]int{}, took: map[string]time.Duration{}, untried: map[string]bool{}}
}

// leaveOut notes a belief that can't be false here.
func (f *truthFindings) leaveOut(belief string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.untried[belief] = true
}

func (f *truthFindings) note(t *testing.T, belief, name string, run truthRun, broken []string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tried[belief]++
	f.took[belief] += run.took
	if run.answer.kind == "unknown" {
		f.unknown[belief]++
	}
	if len(broken) == 0 {
		return
	}
	f.failed[belief]++
	slices.Sort(broken)
	for _, each := range slices.Compact(broken) {
		line := name + ": " + clipped(each)
		f.lines = append(f.lines, line)
		if slices.Contains(truthOwed(), belief) {
			t.Log("owed: " + line)
		} else {
			t.Error(line)
		}
	}
	if *truthOnly != "" {
		t.Logf("the answer, %s: %s", run.answer.kind, run.answer.raw)
		for i, write := range run.writes {
			t.Logf("sent %d: %s, changed: %v", i+1, write.action, write.changed())
		}
		for _, change := range run.changes {
			t.Logf("history: %s %s %s %s", change.Action, change.State, change.Code, change.Evidence)
		}
		t.Logf("before:\n%s\nafter:\n%s", strings.Join(run.before.lines, "\n"), strings.Join(run.after.lines, "\n"))
	}
}

func clipped(text string) string {
	if len(text) > 300 {
		return strings.ToValidUTF8(text[:300], "") + "…"
	}
	return text
}

// table says of each belief how often it was false, and how often that was not borne.
func (f *truthFindings) table() []string {
	lines := []string{fmt.Sprintf("%-20s %6s %7s %8s %8s", "belief", "calls", "broken", "unknown", "seconds")}
	for _, belief := range slices.Sorted(maps.Keys(f.tried)) {
		lines = append(lines, fmt.Sprintf("%-20s %6d %7d %8d %8.1f", belief, f.tried[belief], f.failed[belief], f.unknown[belief], f.took[belief].Seconds()))
	}
	for _, belief := range slices.Sorted(maps.Keys(f.untried)) {
		lines = append(lines, belief+" has no switch, or not all")
	}
	return lines
}

func (f *truthFindings) write(t *testing.T, path string) {
	t.Helper()
	if path == "" {
		return
	}
	slices.Sort(f.lines)
	text := strings.Join(f.table(), "\n") + "\n\n" + strconv.Itoa(len(f.lines)) + " lines\n" + strings.Join(f.lines, "\n") + "\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}
