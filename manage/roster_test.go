package manage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

func TestRoster_Graphs(t *testing.T) {
	r := NewRoster()
	r.SetConfig(configstore.Config{Entries: []configstore.Entry{entry("Work", hosted("notes"), localapi.Full), entry("Lab", offline("lab"), localapi.Full)},
		WithoutToken: []configstore.Entry{withoutToken()}}, nil)
	r.SetRoam(RoamStatus{Known: true, Listing: localapi.Listing{
		Open: []localapi.Graph{hosted("open"), offline("lab"), offline("own")}, Available: []localapi.Graph{hosted("closed"), hosted("notes"), hosted("lab"), hosted("open")},
	}})
	var got []string
	for _, g := range r.Graphs() {
		got = append(got, fmt.Sprintf("%s %s %v", g.DisplayName(), g.Type, g.Open))
	}
	if want := []string{"Work hosted false", "Lab offline true", "My own offline true", "open hosted true", "closed hosted false", "lab hosted false"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRoster_State(t *testing.T) {
	away := &problem.Error{Code: localapi.CodeConnectionFailed}
	apiOff := &problem.Error{Code: localapi.CodeDisabled}
	connected := Graph{Graph: hosted("notes"), Connected: true, Entry: entry("Work", hosted("notes"), localapi.Full)}
	disabled, revoked := connected, connected
	disabled.Entry.Disabled = true
	revoked.Entry.LastKnownTokenStatus = localapi.TokenRevoked
	active, gone := localapi.TokenInfo{Status: localapi.TokenActive}, localapi.TokenInfo{Status: localapi.TokenRevoked}
	for _, test := range []struct {
		name  string
		graph Graph
		roam  error
		info  *localapi.TokenInfo
		want  State
	}{
		{"is connected where the token works", connected, nil, &active, StateConnected},
		{"is checking before Roam was asked", connected, nil, nil, StateChecking},
		{"is unchecked where Roam could not say", connected, nil, &localapi.TokenInfo{Status: localapi.TokenUnknown}, StateUnchecked},
		{"is revoked where Roam says so", connected, nil, &gone, StateRevoked},
		{"is revoked where Roam once said so", revoked, away, nil, StateRevoked},
		{"is not revoked where Roam knows the token after all", revoked, nil, &active, StateConnected},
		{"is disabled whatever else is so", disabled, away, &gone, StateDisabled},
		{"is away with Roam", connected, away, &active, StateRoamAway},
		{"is off with the Local API", connected, apiOff, &active, StateAPIDisabled},
		{"is open", Graph{Graph: hosted("x"), Open: true}, nil, nil, StateOpen},
		{"has no token", Graph{Graph: offline("own"), WithoutToken: true, Entry: withoutToken(), Open: true}, nil, nil, StateNoToken},
		{"is not connected", Graph{Graph: hosted("x")}, nil, nil, StateNotConnected},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewRoster()
			r.SetRoam(RoamStatus{Known: true, Err: test.roam})
			if test.info != nil {
				r.SetCheck(test.graph.Entry, Check{Info: *test.info})
			}
			if got := r.State(test.graph); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	t.Run("is not known to be connected where the configuration can't be read", func(t *testing.T) {
		r := NewRoster()
		r.SetConfig(configstore.Config{}, errors.New("broken"))
		if got := r.State(Graph{Graph: hosted("x")}); got != StateNotOpen {
			t.Errorf("got %q", got)
		}
	})
	t.Run("has words", func(t *testing.T) {
		for s := StateOpen; s <= StateDisabled; s++ {
			if s.String() == "" {
				t.Errorf("%d has none", s)
			}
		}
	})
}

func TestRoster_SetConfig(t *testing.T) {
	work := entry("Work", hosted("notes"), localapi.Full)
	r := NewRoster()
	r.SetConfig(configstore.Config{Entries: []configstore.Entry{work}}, nil)
	r.SetCheck(work, Check{Info: localapi.TokenInfo{Status: localapi.TokenActive}})
	t.Run("keeps the last good state beside an error", func(t *testing.T) {
		r.SetConfig(configstore.Config{}, errors.New("broken"))
		if len(r.Graphs()) != 1 || r.ConfigErr == nil || r.ConfigUnreadable() {
			t.Errorf("graphs %v, error %v", r.Graphs(), r.ConfigErr)
		}
	})
	t.Run("forgets what was said of a token that is gone", func(t *testing.T) {
		renewed := work
		renewed.Token = secret("new")
		r.SetConfig(configstore.Config{Entries: []configstore.Entry{renewed}}, nil)
		if _, known := r.Check(work); known || r.State(r.Graphs()[0]) != StateChecking {
			t.Error("the answer about the old token still counts")
		}
	})
}

func TestRoster_Revision(t *testing.T) {
	r, status := NewRoster(), RoamStatus{Known: true, Listing: localapi.Listing{Open: []localapi.Graph{hosted("notes")}}}
	work := entry("Work", hosted("notes"), localapi.Full)
	for _, step := range []struct {
		name  string
		do    func()
		grows bool
	}{
		{"grows with the configuration", func() { r.SetConfig(configstore.Config{Entries: []configstore.Entry{work}}, nil) }, true},
		{"grows with the list", func() { r.SetRoam(status) }, true},
		{"stays where another look shows the same", func() { status.Address = "127.0.0.1:3334"; r.SetRoam(status) }, false},
		{"grows where Roam goes away", func() { status.Err = errors.New("away"); r.SetRoam(status) }, true},
		{"grows with an answer about a token", func() { r.SetCheck(work, Check{Info: localapi.TokenInfo{Status: localapi.TokenActive}}) }, true},
		{"stays where the answer is the same", func() {
			r.SetCheck(work, Check{Info: localapi.TokenInfo{Status: localapi.TokenActive}, Took: time.Second})
		}, false},
	} {
		before := r.Revision()
		if step.do(); (r.Revision() > before) != step.grows {
			t.Errorf("%s: from %d to %d", step.name, before, r.Revision())
		}
	}
}

func TestRoster_Omits(t *testing.T) {
	mine := localapi.Listing{Open: []localapi.Graph{hosted("open")}, Available: []localapi.Graph{hosted("mine")}}
	for _, test := range []struct {
		name   string
		graph  string
		status RoamStatus
		want   bool
	}{
		{"takes a graph that Roam does not list for somebody else's", "help", RoamStatus{Known: true, Listing: mine}, true},
		{"does not do so with a listed graph", "mine", RoamStatus{Known: true, Listing: mine}, false},
		{"does not do so with an open graph", "open", RoamStatus{Known: true, Listing: mine}, false},
		{"does not do so where nobody is signed in", "help", RoamStatus{Known: true}, false},
		{"does not do so while Roam is away", "help", RoamStatus{Known: true, Err: errors.New("away"), Listing: mine}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewRoster()
			r.SetRoam(test.status)
			if got := r.Omits(hosted(test.graph)); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestRoster_Named(t *testing.T) {
	for _, test := range []struct {
		name   string
		status RoamStatus
		find   string
		want   Graph
		public bool
	}{
		{"finds a connected graph", RoamStatus{Known: true}, "lab", Graph{Graph: offline("lab"), Connected: true, Entry: entry("Lab", offline("lab"), localapi.Full)}, false},
		{"finds a graph that Roam lists", RoamStatus{Known: true, Listing: localapi.Listing{Available: []localapi.Graph{offline("diary")}}}, "diary", Graph{Graph: offline("diary")}, false},
		{"finds the graph of an address", RoamStatus{Known: true, Listing: localapi.Listing{Available: []localapi.Graph{hosted("diary"), offline("diary")}}}, "https://roamresearch.com/#/offline/diary/page/x", Graph{Graph: offline("diary")}, false},
		{"takes an address that Roam does not list for a public graph", RoamStatus{Known: true}, "https://roamresearch.com/#/app/help", Graph{Graph: hosted("help")}, true},
		{"takes an offline address for a person's own", RoamStatus{Known: true}, "roam://#/offline/mine", Graph{Graph: offline("mine")}, false},
		{"takes any other for a public one", RoamStatus{Known: true}, "help", Graph{Graph: hosted("help")}, true},
		{"takes any other for a person's own while Roam is away", RoamStatus{Known: true, Err: errors.New("away")}, "mine", Graph{Graph: hosted("mine")}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewRoster()
			r.SetConfig(configstore.Config{Entries: []configstore.Entry{entry("Lab", offline("lab"), localapi.Full)}}, nil)
			r.SetRoam(test.status)
			if got, public := r.Named(test.find); got != test.want || public != test.public {
				t.Errorf("got %+v, %v", got, public)
			}
		})
	}
}

func TestChecksOfTokens(t *testing.T) {
	off := entry("Off", hosted("off"), localapi.Full)
	off.Disabled = true
	m := managed(t, entry("A", hosted("a"), localapi.Full), off, entry("B", hosted("b"), localapi.Full))
	roam := m.Roam.(*fakeRoam)
	roam.infos["a"] = localapi.TokenInfo{Status: localapi.TokenActive, AccessLevel: localapi.ReadOnly}
	roam.infos["b"] = localapi.TokenInfo{Status: localapi.TokenRevoked, AccessLevel: localapi.Full}
	r, store := NewRoster(), &countingStore{Store: m.Store}
	m.Store = store
	look := func() {
		r.SetConfig(m.Load(t.Context()))
		r.SetRoam(m.LookAtRoam(t.Context()))
		for r.Roam.Answers() {
			due, ok := r.Due(m.Now(), r.Config.Entries)
			if !ok {
				return
			}
			r.SetCheck(due, m.CheckToken(t.Context(), due))
		}
	}
	t.Run("has Roam asked about the token of every enabled graph", func(t *testing.T) {
		look()
		if got := strings.Join(roam.asked, " "); got != "a b" || r.State(r.Graphs()[0]) != StateConnected || r.State(r.Graphs()[2]) != StateRevoked {
			t.Errorf("asked about %s", got)
		}
	})
	t.Run("notes in the configuration what is news", func(t *testing.T) {
		noted := m.entries(t)
		if noted[0].AccessLevel != localapi.ReadOnly || noted[0].LastKnownTokenStatus != localapi.TokenActive {
			t.Errorf("of a token that works: %+v", noted[0])
		}
		if noted[2].AccessLevel != localapi.Full || noted[2].LastKnownTokenStatus != localapi.TokenRevoked {
			t.Errorf("of a token that is revoked: %+v", noted[2])
		}
	})
	t.Run("does not ask again about what is fresh", func(t *testing.T) {
		if look(); len(roam.asked) != 2 {
			t.Errorf("asked about %v", roam.asked)
		}
	})
	t.Run("does not touch the configuration where nothing is news", func(t *testing.T) {
		for _, e := range m.entries(t) {
			m.CheckToken(t.Context(), e)
		}
		if store.notes != 2 {
			t.Errorf("it was noted %d times", store.notes)
		}
	})
	roam.asked = roam.asked[:2]
	t.Run("asks about nothing while Roam is away", func(t *testing.T) {
		roam.err = errors.New("away")
		later := m.Now().Add(CheckInterval)
		m.Clock = func() time.Time { return later }
		if look(); len(roam.asked) != 2 || r.Roam.Answers() {
			t.Errorf("asked about %v", roam.asked)
		}
	})
}

// countingStore counts what is noted about tokens.
type countingStore struct {
	Store
	notes int
}

func (s *countingStore) SetTokenStatus(ctx context.Context, g localapi.Graph, token localapi.Token, status localapi.TokenStatus, level localapi.AccessLevel) error {
	s.notes++
	return s.Store.SetTokenStatus(ctx, g, token, status, level)
}

func TestRemovals(t *testing.T) {
	removed := func(nickname string) configstore.Removed {
		return configstore.Removed{Entry: configstore.Entry{Nickname: nickname}}
	}
	var r Removals
	take := func() string {
		taken, ok := r.Take()
		if !ok {
			return "none"
		}
		return taken.Entry.Nickname
	}
	r.Add(removed("A"))
	r.Add(removed("B"))
	r.Add(removed("C"))
	t.Run("are taken newest first, each once", func(t *testing.T) {
		if got := take() + take(); got != "CB" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("stay first in line where they can't be undone", func(t *testing.T) {
		r.Return(removed("B"), errors.New("the disk is full"))
		if last, ok := r.Last(); !ok || last.Entry.Nickname != "B" {
			t.Errorf("got %+v", last)
		}
	})
	t.Run("are over where the graph was connected anew, or is back", func(t *testing.T) {
		b, _ := r.Take()
		r.Return(b, &problem.Error{Code: configstore.CodeGraphConfigured})
		r.Return(b, nil)
		if got := take() + take(); got != "Anone" {
			t.Errorf("got %s", got)
		}
	})
}
