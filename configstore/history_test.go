package configstore

import (
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func TestHistoryOfAGraph(t *testing.T) {
	for name, tc := range map[string]struct {
		field string
		want  Switch
		line  int // of the problem; 0: none
	}{
		"on":                       {`"history": "on"`, On, 0},
		"off":                      {`"history": "off"`, Off, 0},
		"nothing said":             {`"color": 1`, "", 0},
		"null":                     {`"history": null`, "", 0},
		"a misspelt value is off":  {`"history": "of"`, Off, 4},
		"another case is off":      {`"history": "On"`, Off, 4},
		"a bool is off":            {`"history": true`, Off, 4},
		"an object is off":         {`"history": {"texts": "on"}`, Off, 4},
		"a misspelt key is off":    {`"histroy": "on"`, Off, 4},
		"a key in capitals is off": {`"History": "on"`, Off, 4},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, "{\"graphs\": [\n{\"name\": \"b\", \"token\": \"TOKEN\", \"nickname\": \"B\"},\n{\"name\": \"a\", \"token\": \"TOKEN\",\n"+tc.field+",\n\"nickname\": \"A\"}]}")
			c := mustLoad(t, s)
			if nicknames(c.Entries) != "B,A" || c.Entries[1].History != tc.want || c.TextsOf(c.Entries[1]) != tc.want || c.Entries[0].History != "" {
				t.Fatalf("got %+v", c)
			}
			if tc.line == 0 != (len(c.Problems) == 0) {
				t.Fatalf("got the problems %+v", c.Problems)
			}
			for _, p := range c.Problems {
				if p.Code != CodeHistoryInvalid || p.Line != tc.line || p.Index != 1 || !strings.Contains(p.Message, "no new texts of it are kept") || !strings.Contains(p.Message, "at line 4") {
					t.Fatalf("got the problem %+v", p)
				}
			}
			// Edits of other fields leave it as it is; setting it mends it.
			require.NoError(t, s.Save(t.Context(), func() Entry { e := c.Entries[1]; e.Token = token(t, "2"); return e }()))
			require.NoError(t, s.Rename(t.Context(), "A", "C"))
			if !strings.Contains(compacted(t, fileText(t, s.Path())), strings.ReplaceAll(tc.field, " ", "")) {
				t.Fatalf("it did not stay:\n%s", fileText(t, s.Path()))
			}
			for _, set := range []Switch{Off, On, On} {
				require.NoError(t, s.SetHistory(t.Context(), "c", set))
				if c := mustLoad(t, s); c.Entries[1].History != set || len(c.Problems) != 0 {
					t.Fatalf("after setting it to %s: %+v", set, c)
				}
			}
		})
	}
}

func TestHistoryOfTheFile(t *testing.T) {
	for name, tc := range map[string]struct {
		field string
		want  History
		line  int
	}{
		"all of it":            {`"history": {"texts": "on", "days": 30, "megabytes": 50}`, History{On, 30, 50}, 0},
		"off":                  {`"history": {"texts": "off"}`, History{Texts: Off}, 0},
		"nothing said":         {`"theme": 1`, History{}, 0},
		"null":                 {`"history": null`, History{}, 0},
		"nulls within":         {`"history": {"texts": null, "days": null}`, History{}, 0},
		"a word for an object": {`"history": "off"`, History{Texts: Off}, 2},
		"a misspelt value":     {"\"history\": {\n\"texts\": \"no\"}", History{Texts: Off}, 3},
		"a misspelt field":     {"\"history\": {\n\"text\": \"off\"}", History{Texts: Off}, 3},
		"a misspelt key":       {`"histroy": {"texts": "on"}`, History{Texts: Off}, 2},
		"days in a string":     {"\"history\": {\"texts\": \"on\", \"megabytes\": 5,\n\"days\": \"30\"}", History{Off, 0, 5}, 3},
		"no day":               {`"history": {"days": 0, "texts": "on"}`, History{Texts: Off}, 2},
		"days below nothing":   {`"history": {"days": -1}`, History{Texts: Off}, 2},
		"half a day":           {`"history": {"days": 0.5}`, History{Texts: Off}, 2},
		"days beyond a life":   {`"history": {"days": 1e9}`, History{Texts: Off}, 2},
		"too many megabytes":   {`"history": {"days": 7, "megabytes": 99999999999999999999}`, History{Off, 7, 0}, 2},
		"a field twice":        {"\"history\": {\"texts\": \"on\",\n\"texts\": \"off\"}", History{Texts: Off}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, "{\"graphs\": [{\"name\": \"a\", \"token\": \"TOKEN\", \"nickname\": \"A\", \"history\": \"on\"}, 7],\n"+tc.field+"}")
			c := mustLoad(t, s)
			if c.History != tc.want || nicknames(c.Entries) != "A" {
				t.Fatalf("got %+v", c)
			}
			want := On
			if tc.want.Texts == Off {
				want = Off
			}
			if got := c.TextsOf(c.Entries[0]); got != want {
				t.Fatalf("texts of the graph: %q", got)
			}
			if tc.line == 0 {
				if problemCodes(c.Problems) != string(CodeEntryInvalid) {
					t.Fatalf("got the problems %+v", c.Problems)
				}
				return
			}
			if p := c.Problems[len(c.Problems)-1]; p.Code != CodeHistoryInvalid || p.Line != tc.line || p.Index != -1 || !strings.Contains(p.Message, "no new texts are kept") {
				t.Fatalf("got the problem %+v", p)
			}
			require.NoError(t, s.SetDisabled(t.Context(), "A", true))
			if !strings.Contains(compacted(t, fileText(t, s.Path())), compacted(t, "{"+tc.field+"}")[1:]) && name != "a field twice" {
				t.Fatalf("it did not stay:\n%s", fileText(t, s.Path()))
			}
		})
	}
}

func TestSettingTheHistoryOfAll(t *testing.T) {
	for name, tc := range map[string]struct {
		text, want string
		set        Switch
	}{
		"in an empty file":               {`{"graphs":[]}`, `{"graphs":[],"history":{"texts":"off"}}`, Off},
		"beside other fields":            {`{"history":{"days":7,"texts":"off","x":[1.0]},"graphs":[]}`, `{"history":{"days":7,"texts":"on","x":[1.0]},"graphs":[]}`, On},
		"over what is no object":         {`{"history":"off","graphs":[]}`, `{"history":{"texts":"on"},"graphs":[]}`, On},
		"over a value misspelt":          {`{"history":{"texts":"of"},"graphs":[]}`, `{"history":{"texts":"off"},"graphs":[]}`, Off},
		"to what it is writes nothing":   {`{ "history":{"texts":"off"},"graphs":[]}`, `{ "history":{"texts":"off"},"graphs":[]}`, Off},
		"where days are wrong, it stays": {`{"history":{"days":"x"},"graphs":[]}`, `{"history":{"days":"x","texts":"on"},"graphs":[]}`, On},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, tc.text)
			require.NoError(t, s.SetAllHistory(t.Context(), tc.set))
			got := fileText(t, s.Path())
			if tc.text != tc.want {
				got = compacted(t, got)
			}
			if got != tc.want {
				t.Fatalf("got %s", got)
			}
		})
	}
	s := storeWith(t, `{"history":{"texts":"on","texts":"off"}}`)
	wantCode(t, s.SetAllHistory(t.Context(), On), CodeHistoryInvalid)
	s = New(filepath.Join(t.TempDir(), "none.json"))
	require.NoError(t, s.SetAllHistory(t.Context(), Off))
	if c := mustLoad(t, s); c.History.Texts != Off {
		t.Fatalf("a missing file got %+v", c)
	}
	wantCode(t, s.SetHistory(t.Context(), "nobody", Off), CodeGraphNotConfigured)
}

func TestAGrantKeepsWhatTheFileSaysOfTheHistory(t *testing.T) {
	for name, tc := range map[string]struct{ file, granted, want Switch }{
		"nobody said":                    {"", "", ""},
		"the file said":                  {Off, "", Off},
		"the person said with the grant": {Off, On, On},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(filepath.Join(t.TempDir(), "c.json"))
			e := entry(t, "a", "A")
			e.History = tc.file
			require.NoError(t, s.Save(t.Context(), e))
			e.History, e.Token = tc.granted, token(t, "2")
			saved, err := s.SaveGrant(t.Context(), e, true)
			require.NoError(t, err)
			if c := mustLoad(t, s); saved.History != tc.want || c.Entries[0] != saved {
				t.Fatalf("saved %+v, loaded %+v", saved, c)
			}
		})
	}
}

func TestHistoryDefaults(t *testing.T) {
	if got := (History{}).OrDefault(); got != (History{On, 90, 200}) {
		t.Errorf("got %+v", got)
	}
	if got := (History{Off, 1, 2}).OrDefault(); got != (History{Off, 1, 2}) {
		t.Errorf("got %+v", got)
	}
	if problem.Code("HISTORY_INVALID") != CodeHistoryInvalid {
		t.Error("the code has changed")
	}
}
