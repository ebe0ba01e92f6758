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

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/surface"
)

var (
	truthSeed   = flag.Uint64("truth-seed", 1, "seed by which the calls with faults are chosen; 0: another one each time")
	truthReport = flag.String("truth-report", "", "file for all that is not true, with a table of the faults")
	truthTries  = flag.Int("truth-tries", truthCalls, "calls of a tool with each fault")
	truthOnly   = flag.String("truth-only", "", "only calls whose name has this in it, such as \"wiki/update_note/content × ignored\"")
)

// truthCase is a scenario of which Roam does not do as it should.
type truthCase struct {
	fault    string // of package faultroam, "none", or "several"
	settings []string
	cut      int // the write whose reply is lost, from 1; 0: none
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
	if large {
		return []truthCase{{fault: "none"}, {fault: "limit-nil", settings: []string{"limit-nil=cut"}}}
	}
	cases := []truthCase{{fault: "none"}}
	add := func(fault string, settings ...string) {
		cases = append(cases, truthCase{fault: fault, settings: settings})
	}
	actions := map[string]bool{}
	for i, write := range clean.writes {
		actions[write.action] = true
		cases = append(cases, truthCase{fault: "drop", cut: i + 1})
	}
	for _, action := range slices.Sorted(maps.Keys(actions)) {
		if strings.HasPrefix(action, "data.block.") || strings.HasPrefix(action, "data.page.") || action == "batchActions" { // others can't be looked for
			add("ignored", "ignored="+action)
		}
		for _, text := range truthFailures() {
			add("fail-done", "fail-done="+action+":"+text)
		}
	}
	if len(actions) > 0 {
		add("late", "late=150ms")
	}
	for _, uids := range []string{"refused", "other", "silent", "all-other"} {
		add("uids", "uids="+uids)
	}
	for _, fault := range []string{"silent", "plain", "trimmed", "as=ignored", "tag-form=none"} {
		add(fault, fault)
	}
	if actions["data.block.fromMarkdown"] || actions["data.page.fromMarkdown"] || actions["data.block.addComment"] {
		add("commonmark", "commonmark")
	}
	if actions["data.block.move"] || actions["batchActions"] {
		add("misplaced", "misplaced")
	}
	if actions["data.block.updateBlocks"] || actions["data.block.deleteBlocks"] {
		for _, form := range []string{"list", "count", "none"} {
			add("batch-form", "batch-form="+form)
		}
	}
	add("several", "silent", "trimmed", "uids=refused", "batch-form=none", "encrypted-form=error")
	return cases
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
	r.late = w.box.Has("late")
	w.box.Clear()
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
// that does not do as it should, and holds graph, answer and history against
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
			if c.fault == "plain" && s.tool == "restore_note_version" {
				continue // how a restored block looks is not read back
			}
			if strings.Contains(name+" × "+c.String(), *truthOnly) {
				groups[c.fault] = append(groups[c.fault], truthTry{s, clean, c})
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
			found.note(t, try.fault, name, run, run.broken(try.clean))
		}
	}
}

// truthFindings is what runs have shown.
type truthFindings struct {
	mu            sync.Mutex
	tried, failed map[string]int // by fault
	unknown       map[string]int // answers that leave it open
	took          map[string]time.Duration
	lines         []string
}

func newTruthFindings() *truthFindings {
	return &truthFindings{tried: map[string]int{}, failed: map[string]int{}, unknown: map[string]int{}, took: map[string]time.Duration{}}
}

func (f *truthFindings) note(t *testing.T, fault, name string, run truthRun, broken []string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tried[fault]++
	f.took[fault] += run.took
	if run.answer.kind == "unknown" {
		f.unknown[fault]++
	}
	if len(broken) == 0 {
		return
	}
	f.failed[fault]++
	slices.Sort(broken)
	for _, each := range slices.Compact(broken) {
		line := name + ": " + clipped(each)
		f.lines = append(f.lines, line)
		t.Error(line)
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

// table says of each fault how often there was one, and how often that was not borne.
func (f *truthFindings) table() []string {
	lines := []string{fmt.Sprintf("%-20s %6s %7s %8s %8s", "fault", "calls", "broken", "unknown", "seconds")}
	for _, fault := range slices.Sorted(maps.Keys(f.tried)) {
		lines = append(lines, fmt.Sprintf("%-20s %6d %7d %8d %8.1f", fault, f.tried[fault], f.failed[fault], f.unknown[fault], f.took[fault].Seconds()))
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
