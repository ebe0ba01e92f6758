package configstore

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func compacted(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return b.String()
}

const strange = `{
  "zeta": [1.50, 1e400, {"b": 1, "a": "\u00e9<&"}],
  "graphs": [
    {"color": "blue", "nickname": "W\u006frk", "token": "TOKEN", "name": "work", "extra": {"x": [ ]}},
    17,
    {"name": "two", "token": "TOKEN", "nickname": "Two", "accessLevel": "godlike", "lastKnownTokenStatus": "active"}
  ],
  "alpha": 12345678901234567890
}`

func TestSaveMakesTheFile(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), ".roam-mcp.json"))
	e := entry(t, "jfb-notes", "Tom & <Jerry>")
	require.NoError(t, s.Save(t.Context(), e))
	want := `{
  "version": 1,
  "graphs": [
    {
      "name": "jfb-notes",
      "type": "hosted",
      "token": "TOKENjfb-notes",
      "nickname": "Tom & <Jerry>",
      "accessLevel": "full",
      "lastKnownTokenStatus": "active"
    }
  ]
}
`
	if got := fileText(t, s.Path()); got != want {
		t.Fatalf("got:\n%s", got)
	}
	if c := mustLoad(t, s); len(c.Entries) != 1 || c.Entries[0] != e {
		t.Fatalf("got %+v", c)
	}
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
}

func TestEditsKeepWhatTheyDoNotKnowAndItsOrder(t *testing.T) {
	for name, tc := range map[string]struct {
		edit     func(*Store) error
		old, new string
	}{
		"rename": {func(s *Store) error { return s.Rename(t.Context(), "WORK", "Job") },
			`"nickname":"W\u006frk"`, `"nickname":"Job"`},
		"rename a graph of an unknown level": {func(s *Store) error { return s.Rename(t.Context(), "Two", "Second") },
			`"nickname":"Two"`, `"nickname":"Second"`},
		"disable": {func(s *Store) error { return s.SetDisabled(t.Context(), "work", true) },
			`"extra":{"x":[]}}`, `"extra":{"x":[]},"disabled":true}`},
		"save again": {func(s *Store) error {
			return s.Save(t.Context(), Entry{Name: "work", Token: token(t, "9"), Nickname: "Work"})
		}, `"token":"TOKEN","name":"work","extra":{"x":[]}}`, `"token":"TOKEN9","name":"work","extra":{"x":[]}}`},
		"status": {func(s *Store) error {
			return s.SetTokenStatus(t.Context(), localapi.Graph{Name: "two", Type: localapi.Hosted}, token(t, ""), localapi.TokenRevoked, localapi.ReadOnly)
		}, `"accessLevel":"godlike","lastKnownTokenStatus":"active"`, `"accessLevel":"read-only","lastKnownTokenStatus":"revoked"`},
		"remove": {func(s *Store) error { _, err := s.Remove(t.Context(), "two"); return err },
			`,{"name":"two","token":"TOKEN","nickname":"Two","accessLevel":"godlike","lastKnownTokenStatus":"active"}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, strange)
			require.NoError(t, tc.edit(s))
			want := strings.Replace(compacted(t, strange), tc.old, tc.new, 1)
			if got := compacted(t, fileText(t, s.Path())); got != want {
				t.Fatalf("got\n%s\nwant\n%s", got, want)
			}
			if text := fileText(t, s.Path()); !strings.HasSuffix(text, "\n}\n") || !strings.HasPrefix(text, "{\n  \"zeta\"") {
				t.Fatalf("not indented by two spaces, or without a line break at its end:\n%s", text)
			}
		})
	}
}

func TestEditsThatChangeNothingWriteNothing(t *testing.T) {
	two := localapi.Graph{Name: "two", Type: localapi.Hosted}
	for name, edit := range map[string]func(*Store) error{
		"the same nickname": func(s *Store) error { return s.Rename(t.Context(), "Two", " Two ") },
		"the same state":    func(s *Store) error { return s.SetDisabled(t.Context(), "Two", false) },
		"the same status": func(s *Store) error {
			return s.SetTokenStatus(t.Context(), two, token(t, ""), localapi.TokenActive, "godlike too")
		},
		"the status of an old token": func(s *Store) error {
			return s.SetTokenStatus(t.Context(), two, token(t, "old"), localapi.TokenRevoked, localapi.Full)
		},
		"the status of an unknown graph": func(s *Store) error {
			return s.SetTokenStatus(t.Context(), localapi.Graph{Name: "two", Type: localapi.Offline}, token(t, ""), localapi.TokenRevoked, "")
		},
		"the same entry": func(s *Store) error { return s.Save(t.Context(), mustLoad(t, s).Entries[0]) },
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, strange)
			before, err := os.Stat(s.Path())
			require.NoError(t, err)
			require.NoError(t, edit(s))
			after, err := os.Stat(s.Path())
			require.NoError(t, err)
			if !os.SameFile(before, after) || fileText(t, s.Path()) != strange {
				t.Fatal("the file was written")
			}
		})
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*Store) error
		code problem.Code
	}{
		"a nickname of another graph":     {func(s *Store) error { return s.Save(t.Context(), entry(t, "new", "TWO")) }, CodeNicknameTaken},
		"renaming to a taken nickname":    {func(s *Store) error { return s.Rename(t.Context(), "Work", "two") }, CodeNicknameTaken},
		"renaming to nothing":             {func(s *Store) error { return s.Rename(t.Context(), "Work", " ") }, CodeNicknameInvalid},
		"renaming an unknown graph":       {func(s *Store) error { return s.Rename(t.Context(), "nobody", "x") }, CodeGraphNotConfigured},
		"disabling an unknown graph":      {func(s *Store) error { return s.SetDisabled(t.Context(), "nobody", true) }, CodeGraphNotConfigured},
		"removing an unknown graph":       {func(s *Store) error { _, err := s.Remove(t.Context(), "nobody"); return err }, CodeGraphNotConfigured},
		"a name that is no graph's":       {func(s *Store) error { return s.Save(t.Context(), entry(t, "a/b", "N")) }, CodeEntryInvalid},
		"a token as the name":             {func(s *Store) error { return s.Save(t.Context(), entry(t, tokenText(""), "N")) }, CodeEntryInvalid},
		"an entry without a token":        {func(s *Store) error { return s.Save(t.Context(), Entry{Name: "a", Nickname: "N"}) }, CodeEntryInvalid},
		"an entry with a type unknown":    {func(s *Store) error { e := entry(t, "a", "N"); e.Type = "x"; return s.Save(t.Context(), e) }, CodeEntryInvalid},
		"putting back what was not taken": {func(s *Store) error { return s.PutBack(t.Context(), Removed{}) }, CodeEntryInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, strange)
			wantCode(t, tc.edit(s), tc.code)
			if fileText(t, s.Path()) != strange {
				t.Fatal("the file was changed")
			}
		})
	}
}

func TestAnUnknownAccessLevelIsNeverWritten(t *testing.T) {
	s := storeWith(t, `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A","accessLevel":"full"}]}`)
	e := mustLoad(t, s).Entries[0]
	e.AccessLevel, e.LastKnownTokenStatus, e.Token = "godlike", "sleepy", token(t, "2")
	require.NoError(t, s.Save(t.Context(), e))
	if text := fileText(t, s.Path()); strings.Contains(text, "accessLevel") || strings.Contains(text, "Status") {
		t.Fatalf("got:\n%s", text)
	}
}

func TestSavingMendsABrokenEntryOfTheGraph(t *testing.T) {
	s := storeWith(t, `{"graphs":[{"name":"a","token":"nonsense","keep":1},{"name":"b","token":"TOKEN","nickname":"B"},{"name":"c","token":"TOKEN","nickname":"b"}]}`)
	require.NoError(t, s.Save(t.Context(), entry(t, "a", "A")))
	require.NoError(t, s.Save(t.Context(), entry(t, "c", "C")))
	c := mustLoad(t, s)
	if nicknames(c.Entries) != "A,B,C" || len(c.Problems) != 0 || !strings.Contains(fileText(t, s.Path()), `"keep": 1`) {
		t.Fatalf("got %+v\n%s", c, fileText(t, s.Path()))
	}
}

func TestPutBackUndoesRemove(t *testing.T) {
	for _, nickname := range []string{"Work", "Two"} {
		s := storeWith(t, strange)
		removed, err := s.Remove(t.Context(), nickname)
		require.NoError(t, err)
		if removed.Entry.Nickname != nickname || strings.Contains(fileText(t, s.Path()), nickname) {
			t.Fatalf("removed %+v, left:\n%s", removed, fileText(t, s.Path()))
		}
		require.NoError(t, s.PutBack(t.Context(), removed))
		if got, want := compacted(t, fileText(t, s.Path())), compacted(t, strange); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
		wantCode(t, s.PutBack(t.Context(), removed), CodeGraphConfigured)
	}
}

func TestPutBackYieldsToWhatHappenedSince(t *testing.T) {
	s := storeWith(t, strange)
	removed, err := s.Remove(t.Context(), "Two")
	require.NoError(t, err)
	require.NoError(t, s.Rename(t.Context(), "Work", "Two"))
	wantCode(t, s.PutBack(t.Context(), removed), CodeNicknameTaken)
	require.NoError(t, os.Remove(s.Path()))
	require.NoError(t, s.PutBack(t.Context(), removed))
	if c := mustLoad(t, s); nicknames(c.Entries) != "Two" {
		t.Fatalf("got %+v", c)
	}
}

func TestTheLastGraphCanBeRemovedAndAnotherSaved(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "c.json"))
	require.NoError(t, s.Save(t.Context(), entry(t, "a", "A")))
	_, err := s.Remove(t.Context(), "a")
	require.NoError(t, err)
	if got := compacted(t, fileText(t, s.Path())); got != `{"version":1,"graphs":[]}` {
		t.Fatal(got)
	}
	require.NoError(t, s.CheckWritable(t.Context()))
	require.NoError(t, s.Save(t.Context(), entry(t, "b", "B")))
}
