package manage

import (
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// known has Work connected, Old with a revoked token, and My own without one.
func known() configstore.Config {
	old := entry("Old", hosted("archive"), localapi.ReadOnly)
	old.LastKnownTokenStatus = localapi.TokenRevoked
	return configstore.Config{Entries: []configstore.Entry{entry("Work", hosted("notes"), localapi.ReadAppend), old, entry("Lab", hosted("lab"), localapi.ReadEditOwn)},
		WithoutToken: []configstore.Entry{withoutToken()}}
}

func withoutToken() configstore.Entry {
	return configstore.Entry{Name: "own", Type: localapi.Offline, Nickname: "My own"}
}

func TestConnect(t *testing.T) {
	for _, test := range []struct {
		name     string
		graph    localapi.Graph
		o        Options
		nickname string
		want     exchange.Request
		renews   bool
		code     problem.Code // of an error
		message  string       // of an error without a code
	}{
		{name: "asks for full access under a nickname made from the name", graph: hosted("my-diary"), nickname: "My diary",
			want: exchange.Request{Graph: hosted("my-diary"), AccessLevel: localapi.Full}},
		{name: "numbers a nickname that is taken", graph: hosted("work"), nickname: "Work 2",
			want: exchange.Request{Graph: hosted("work"), AccessLevel: localapi.Full}},
		{name: "asks for what was chosen", graph: offline("diary"), o: Options{Nickname: " Küche ", AccessLevel: localapi.ReadAppend, Token: secret("hand")}, nickname: "Küche",
			want: exchange.Request{Graph: offline("diary"), AccessLevel: localapi.ReadAppend, Token: secret("hand")}},
		{name: "leaves an unknown type to Roam", graph: localapi.Graph{Name: "diary"}, nickname: "Diary",
			want: exchange.Request{Graph: localapi.Graph{Name: "diary"}, AccessLevel: localapi.Full}},
		{name: "takes the address of a graph for its name and type", graph: localapi.Graph{Name: "https://roamresearch.com/#/offline/diary/page/x"}, nickname: "Diary",
			want: exchange.Request{Graph: offline("diary"), AccessLevel: localapi.Full}},
		{name: "asks to read a public graph", graph: hosted("help"), o: Options{Public: true}, nickname: "Help",
			want: exchange.Request{Graph: hosted("help"), AccessLevel: localapi.ReadOnly, Public: true}},
		{name: "renews a revoked token under the nickname of the file", graph: localapi.Graph{Name: "archive"}, nickname: "Old", renews: true,
			want: exchange.Request{Graph: hosted("archive"), AccessLevel: localapi.Full, Public: true}},
		{name: "renews a revoked token under another nickname", graph: hosted("archive"), o: Options{Nickname: "New"}, nickname: "New",
			want: exchange.Request{Graph: hosted("archive"), AccessLevel: localapi.Full, Public: true}},
		{name: "fills an entry that has no token", graph: localapi.Graph{Name: "own"}, nickname: "My own", renews: true,
			want: exchange.Request{Graph: offline("own"), AccessLevel: localapi.Full}},

		{name: "refuses the nickname of an entry that has no token", graph: hosted("diary"), o: Options{Nickname: "my own"}, code: configstore.CodeNicknameTaken},
		{name: "refuses a graph that is connected", graph: hosted("notes"), code: configstore.CodeGraphConfigured},
		{name: "refuses the other graph of a connected one's name", graph: offline("notes"), code: configstore.CodeGraphConfigured},
		{name: "refuses the other graph of a revoked one's name", graph: offline("archive"), code: configstore.CodeGraphConfigured},
		{name: "refuses a nickname that is taken", graph: hosted("diary"), o: Options{Nickname: "WORK"}, code: configstore.CodeNicknameTaken},
		{name: "refuses what is no nickname", graph: hosted("diary"), o: Options{Nickname: "a\x07b"}, code: configstore.CodeNicknameInvalid},
		{name: "refuses what is no name", graph: hosted("a b"), message: `"a b" can't be a graph's name: it has letters, digits, - and _ only, as in roamresearch.com/#/app/NAME`},
		{name: "refuses an address of the other type", graph: offline("roam://#/app/diary"), message: "that is the address of a graph that is hosted, and not offline"},
		{name: "refuses to write to a public graph", graph: hosted("help"), o: Options{Public: true, AccessLevel: localapi.Full}, message: "a public graph of somebody else is hosted and read-only"},
		{name: "refuses a public graph that is offline", graph: offline("help"), o: Options{Public: true}, message: "a public graph of somebody else is hosted and read-only"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.Description, test.want.Description = "test", "test"
			a, err := Connect(known(), test.graph, test.o)
			if test.code != "" || test.message != "" {
				if err == nil || problem.CodeOf(err) != test.code || test.message != "" && err.Error() != test.message {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil || a.Request != test.want || a.Entry.Nickname != test.nickname || a.Renews != test.renews {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
	t.Run("refuses an empty description", func(t *testing.T) {
		if _, err := Connect(known(), hosted("diary"), Options{}); err == nil {
			t.Error("there is no error")
		}
	})
}

func TestReauthorize(t *testing.T) {
	for name, test := range map[string]struct {
		entry int
		o     Options
		level localapi.AccessLevel
	}{
		"asks for the level that the graph has":            {0, Options{}, localapi.ReadAppend},
		"asks for the level that was chosen":               {0, Options{AccessLevel: localapi.Full}, localapi.Full},
		"asks for full access where no other can be asked": {2, Options{}, localapi.Full},
	} {
		t.Run(name, func(t *testing.T) {
			e := known().Entries[test.entry]
			test.o.Description = "test"
			a, err := Reauthorize(known(), e, test.o)
			// What was connected once may be public, and so not listed.
			want := exchange.Request{Graph: e.Graph(), AccessLevel: test.level, Description: "test", Public: true}
			if err != nil || a.Request != want || a.Entry != e || !a.Renews {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
	t.Run("refuses a nickname that is taken", func(t *testing.T) {
		if _, err := Reauthorize(known(), known().Entries[0], Options{Description: "test", Nickname: "old"}); problem.CodeOf(err) != configstore.CodeNicknameTaken {
			t.Errorf("the error is %v", err)
		}
	})
}
