package probe

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/observed"
	"roam-mcp/internal/sandbox/switches"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
)

// playable lists the findings other than the expected one that a sandbox is tried with.
func playable(b observed.Belief) []string {
	if b.Answers {
		return []string{"418", "422 ODD_CALL"}
	}
	return b.Otherwise
}

// besides lists what else is not told where a finding is otherwise, with the reason.
func besides(id, found string) []string {
	switch {
	case id == "uid-honoured": // what is made with uids of its own can't be asked about
		return []string{"taken-uid?", "uid-reuse?", "batch-actions?"}
	case id == "async-forms": // which the questions about them need
		var rows []string
		if parts := strings.Split(found, ","); slices.Contains(parts, "q") && slices.Contains(parts, "data.q") {
			rows = append(rows, "query-keys?")
		}
		if strings.Contains(found, "data.pull_many") {
			rows = append(rows, "pull-missing?")
		}
		return rows
	}
	return nil
}

// setting returns the setting of a switch; a status and a code have a slash between.
func setting(id, finding string) string { return id + "=" + strings.ReplaceAll(finding, " ", "/") }

// expect returns what a probe of a sandbox with these findings says, in order.
func expect(findings map[string]string) (want []string) {
	for _, b := range observed.Beliefs() {
		said := b.ID + "?"
		untold := false
		for id, found := range findings {
			untold = untold || slices.Contains(besides(id, found), said)
		}
		switch found, there := findings[b.ID]; {
		case untold:
			want = append(want, said)
		case there:
			want = append(want, b.ID+"="+found)
		}
	}
	return want
}

// alone plays one finding alone: its row says so, and no other does.
func alone(t *testing.T, b observed.Belief, found string) {
	t.Run(b.ID+"="+found, func(t *testing.T) {
		t.Parallel()
		bench := newQuickBench(t)
		if b.ID == "overlap" { // its writes take long
			bench.options.Only = []string{b.ID}
		}
		turn(t, bench, setting(b.ID, found))
		report := bench.probe(t, nil)
		if got, want := differences(report), expect(map[string]string{b.ID: found}); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v; %v", got, want, report.Why)
		}
		if len(report.Left) > 0 {
			t.Errorf("left: %v", report.Left)
		}
	})
}

// TestOneBeliefAloneIsTold plays a finding of each belief; the campaign plays all.
func TestOneBeliefAloneIsTold(t *testing.T) {
	for _, b := range observed.Beliefs() {
		alone(t, b, playable(b)[0])
	}
}

// randomFindings returns other findings of some beliefs. It leaves out overlap, whose writes
// take long, and what a Roam that hides unknown actions does not tell.
func randomFindings(random *rand.Rand) map[string]string {
	findings := map[string]string{}
	for _, b := range observed.Beliefs() {
		if b.ID == "overlap" || random.IntN(4) > 0 {
			continue
		}
		all := playable(b)
		if b.Several {
			some := slices.Clone(all)
			random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
			findings[b.ID] = b.Join(some[:1+random.IntN(min(3, len(some)))])
			continue
		}
		findings[b.ID] = all[random.IntN(len(all))]
	}
	if _, there := findings["error-action"]; there { // then nobody can tell what is missing
		for _, id := range []string{"async-forms", "batch-actions", "encrypted-form"} {
			delete(findings, id)
		}
	}
	return findings
}

// tryFindings probes a sandbox that plays random findings.
func tryFindings(t *testing.T, seed uint64) {
	t.Helper()
	findings := randomFindings(rand.New(rand.NewPCG(seed, 1)))
	var settings []string
	for id, found := range findings {
		settings = append(settings, setting(id, found))
	}
	slices.Sort(settings)
	t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
		b := newQuickBench(t)
		turn(t, b, settings...)
		report := b.probe(t, nil)
		if got, want := differences(report), expect(findings); !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v\nwith %v\n%v", got, want, settings, report.Why)
		}
		if len(report.Left) > 0 {
			t.Errorf("left: %v with %v", report.Left, settings)
		}
	})
}

func TestRandomFindingsAreTold(t *testing.T) {
	sets := uint64(4)
	if race.Enabled {
		sets = 1
	}
	for seed := range sets {
		tryFindings(t, seed)
	}
}

// TestAProbeOfWhatAProbeFoundFindsTheSame plays what a probe found of a Roam, and probes that.
func TestAProbeOfWhatAProbeFoundFindsTheSame(t *testing.T) {
	if race.Enabled {
		t.Skip("two probes, one after the other")
	}
	findTheSame(t, 3)
}

func findTheSame(t *testing.T, sets uint64) {
	for seed := range sets {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			var settings []string
			for id, found := range randomFindings(rand.New(rand.NewPCG(seed, 2))) {
				settings = append(settings, setting(id, found))
			}
			first := probeWith(t, settings)
			playing, left := switches.Observed(first)
			if len(left) > 0 {
				t.Errorf("not played: %v", left)
			}
			settings = nil
			for _, each := range playing {
				settings = append(settings, each.String())
			}
			second := probeWith(t, settings)
			if got, want := withoutMS(t, second), withoutMS(t, first); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func probeWith(t *testing.T, settings []string) observed.File {
	t.Helper()
	b := newQuickBench(t)
	turn(t, b, settings...)
	return b.probe(t, nil).File
}

// withoutMS returns a file without what differs from run to run.
func withoutMS(t *testing.T, file observed.File) string {
	t.Helper()
	for i := range file.Checks {
		file.Checks[i].MS = 0
	}
	data, err := json.Marshal(file)
	require.NoError(t, err)
	return string(data)
}
