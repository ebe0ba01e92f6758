package doctor

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/manage"
)

// TestMendsThatNoCommandDoes are those that the scripts of cmd/roam-mcp can't run: a key of
// the setup program does them, or they need a machine, a clock or a server that is made up.
// The names of mends are those of TestEachMendOfTheDoctorIsRun in internal/architecture.
func TestMendsThatNoCommandDoes(t *testing.T) {
	for name, test := range map[string]struct {
		breaks func(w *ward)
		check  string
		level  Level
		mends  []string
		mend   func(w *ward) // nil: by the Fix
	}{
		"Roam is opened": {func(w *ward) {
			w.close()
			w.ports.OpenRoam = func(context.Context) error { w.open(); return nil }
		}, idListener, Failed, []string{`doctor.listener: fix "open Roam"`}, nil},
		"the sandbox is started": {func(w *ward) {
			w.close()
			require.NoError(w.t, os.Remove(w.path(localapi.PortFileName)))
		}, idPortFile, Failed, []string{"doctor.portFile: Start it: %s"}, func(w *ward) { w.open() }},
		"nobody knows where Roam listens": {func(w *ward) {
			w.close()
			require.NoError(w.t, os.Remove(w.path(localapi.PortFileName)))
		}, idListener, Failed, []string{"localapi.connectionError: Start Roam, or the sandbox, and try again."}, func(w *ward) { w.open() }},
		"a person signs in": {func(w *ward) {
			w.close()
			w.open() // no graph is open
			w.turn("signed-out")
		}, idGraphs, Warning, []string{"doctor.graphs: Sign in to %s, or make a graph there."}, func(w *ward) { w.turn("signed-out=off") }},
		"Roam no longer hangs at tokens": {func(w *ward) { w.ports.Graphs.Roam = hangingRoam{w.ports.Graphs.Roam} }, idToken, Warning,
			[]string{"doctor.token: Look whether %s hangs."}, func(w *ward) { w.ports.Graphs.Roam = w.ports.Graphs.Roam.(hangingRoam).Roam }},
		"a graph has loaded": {func(w *ward) {
			usual := w.ports.Call
			w.ports.Call = func(context.Context, configstore.Entry) error {
				w.ports.Call = usual
				return context.DeadlineExceeded
			}
		}, idCall, Failed, []string{"doctor.call: Look at %s: the graph may be loading, or ask for its password."}, func(w *ward) {}},
		"the reply of a call got lost": {func(w *ward) { w.turn("drop=1") }, idCall, Failed,
			[]string{"localapi.connectionError: Look whether it was done before trying again."}, func(w *ward) {}},
		"a graph that is not open is called": {func(*ward) {}, idCall, Note, []string{`doctor.call: fix "call it now"`}, nil},
		"a granted token is taken over": {func(w *ward) {
			entry := w.entry("Work")
			_, err := w.store.Remove(w.t.Context(), "Work")
			require.NoError(w.t, err)
			_, err = configstore.WriteRescue(w.path("state/rescued"), entry)
			require.NoError(w.t, err)
		}, idRescued, Warning, []string{`doctor.rescued: fix "take it over"`}, nil},
		"the state folder can be read again": {func(w *ward) {
			w.ports.Servers = func(context.Context) ([]Server, error) { return nil, os.ErrPermission }
		}, idServers, Warning, []string{"doctor.servers: Check that you may read the state folder."}, func(w *ward) { w.serving() }},
		"one of two servers is ended": {func(w *ward) {
			w.serving(Server{PID: 1, Version: "1.2.3", Address: "http://127.0.0.1:3939/mcp"}, Server{PID: 2, Version: "1.2.3", Address: "http://127.0.0.1:3939/mcp"})
		}, idServers, Failed, []string{"doctor.servers: End one of them."}, func(w *ward) { w.serving(Server{PID: 1, Version: "1.2.3", Address: "http://127.0.0.1:3939/mcp"}) }},
		"a client that has the server of an older version is restarted": {func(w *ward) {
			w.serving(Server{PID: 7, Version: "1.1.0", Clients: []string{"claude-code"}})
		}, idServers, Warning, []string{"doctor.servers: Restart %s."}, func(w *ward) { w.serving(Server{PID: 8, Version: "1.2.3", Clients: []string{"claude-code"}}) }},
		"a journal that is too large is tidied": {tooLarge, idJournal, Warning, []string{"doctor.journal: Tidy it: %s", `doctor.journal: fix "tidy it"`}, nil},
		"what the journal tells is dismissed": {func(w *ward) { w.record(1, 10); w.damage(); w.record(1, 10) }, idJournal, Warning,
			[]string{`doctor.notices: fix "do not tell it again"`}, nil},
		"the clock is set": {func(w *ward) { w.ports.Now = func() time.Time { return time.Unix(1000, 0) } }, idClock, Warning,
			[]string{"doctor.clock: Set the clock of this computer."}, func(w *ward) { w.ports.Now = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			test.breaks(w)
			f := finding(t, w.run(), test.check, test.level)
			for _, mend := range test.mends {
				wantMend(t, f, mend)
			}
			if test.mend == nil {
				require.NoError(t, Mend(t.Context(), f))
			} else {
				test.mend(w)
			}
			for _, other := range w.run().Findings {
				if other.Check == f.Check && other.Subject == f.Subject && other.Found == f.Found {
					t.Errorf("it is still found: %s", told(other))
				}
			}
		})
	}
}

// wantMend wants a finding to say the sentence of a mend, or to have its fix.
func wantMend(t *testing.T, f Finding, mend string) {
	t.Helper()
	_, sentence, _ := strings.Cut(mend, ": ")
	if label, ok := strings.CutPrefix(sentence, "fix "); ok {
		if f.Fix == nil || `"`+f.Fix.Label+`"` != label {
			t.Errorf("it is not mended by %s: %s", label, told(f))
		}
		return
	}
	format := regexp.MustCompile(` \(\d+\)$`).ReplaceAllString(sentence, "")
	pattern := regexp.MustCompile(`%[sdvq]`).ReplaceAllString(regexp.QuoteMeta(format), ".+")
	if said := (problem.World{}).Say(f.Todo); !regexp.MustCompile(pattern).MatchString(said) {
		t.Errorf("it does not say %q: %q", format, said)
	}
}

// hangingRoam never answers about a token.
type hangingRoam struct{ manage.Roam }

func (hangingRoam) TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo {
	return localapi.TokenInfo{Reason: context.DeadlineExceeded}
}
