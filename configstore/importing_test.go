package configstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

func TestReadOfficialReadsTheGoodEntriesAndChangesNothing(t *testing.T) {
	s := storeWith(t, `{"version":1,"graphs":[{"name":"a","token":"TOKEN","nickname":"a-b"},{"name":"b"}]}`)
	before := fileText(t, s.Path())
	entries, problems, err := ReadOfficial(s.Path())
	require.NoError(t, err)
	if nicknames(entries) != "a-b" || problemCodes(problems) != string(CodeEntryInvalid) {
		t.Fatalf("got %+v, %+v", entries, problems)
	}
	if fileText(t, s.Path()) != before {
		t.Fatal("the file was changed")
	}
	wantFiles(t, filepath.Dir(s.Path()), filepath.Base(s.Path()))
}

func TestReadOfficialSaysWhyNot(t *testing.T) {
	_, _, err := ReadOfficial(filepath.Join(t.TempDir(), "none"))
	wantCode(t, err, CodeConfigNotFound)
	_, _, err = ReadOfficial(storeWith(t, `{"version":9}`).Path())
	wantCode(t, err, CodeConfigTooNew)
	_, _, err = ReadOfficial(storeWith(t, `{`).Path())
	wantCode(t, err, CodeConfigInvalid)
	_, _, err = ReadOfficial(t.TempDir())
	wantCode(t, err, CodeConfigUnreadable)
}

func TestImport(t *testing.T) {
	s := storeWith(t, `{"keep":true,"graphs":[{"name":"a","token":"TOKEN","nickname":"Work"},{"name":"o","type":"offline","token":"TOKEN","nickname":"Off"}]}`)
	offline := entry(t, "a", "a-offline")
	offline.Type = localapi.Offline
	report, err := s.Import(t.Context(), []Entry{
		entry(t, "a", "other"), entry(t, "b", "work"), entry(t, "c", "WORK"), entry(t, "d", "d"),
		offline, entry(t, "o", "o-hosted"), {Name: "e", Nickname: "e"}, entry(t, "d", "again"),
	})
	require.NoError(t, err)
	var added []string
	for _, a := range report.Added {
		added = append(added, a.Entry.Nickname+"<"+a.FormerNickname)
	}
	if got := strings.Join(added, ","); got != "work 2<work,WORK 3<WORK,d<" {
		t.Errorf("added %s", got)
	}
	if got := nicknames(report.Present); got != "Work,d" {
		t.Errorf("present %s", got)
	}
	if len(report.Skipped) != 3 {
		t.Errorf("skipped %+v", report.Skipped)
	}
	for _, skipped := range report.Skipped {
		if skipped.Reason == "" {
			t.Errorf("no reason: %+v", skipped)
		}
	}
	c := mustLoad(t, s)
	if nicknames(c.Entries) != "Work,Off,work 2,WORK 3,d" || len(c.Problems) != 0 || !strings.Contains(fileText(t, s.Path()), `"keep": true`) {
		t.Fatalf("got %+v", c)
	}
}

func TestAnImportOfNothingNewWritesNothing(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "c.json"))
	report, err := s.Import(t.Context(), nil)
	require.NoError(t, err)
	if len(report.Added)+len(report.Present)+len(report.Skipped) != 0 || mustLoad(t, s).Exists {
		t.Fatalf("got %+v", report)
	}
}

func TestARescuedTokenCanBeTakenOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "rescue")
	e := entry(t, "my-graph", "")
	first, err := WriteRescue(dir, e)
	require.NoError(t, err)
	second, err := WriteRescue(dir, e)
	require.NoError(t, err)
	if first == second {
		t.Fatal("the second rescue replaced the first")
	}
	if mode := fileMode(t, first).Perm(); mode&0o077 != 0 {
		t.Fatalf("mode %o", mode)
	}
	entries, problems, err := ReadOfficial(first)
	require.NoError(t, err)
	if len(entries) != 1 || len(problems) != 0 || entries[0].Token != e.Token || entries[0].Nickname != "My graph" {
		t.Fatalf("got %+v, %+v", entries, problems)
	}
}

func TestARescueThatFailsSaysSo(t *testing.T) {
	file := storeWith(t, "{}").Path()
	_, err := WriteRescue(filepath.Join(file, "x"), entry(t, "a", "A"))
	wantCode(t, err, CodeConfigUnwritable)
	_, err = WriteRescue(t.TempDir(), Entry{Name: "a", Nickname: "A"})
	wantCode(t, err, CodeEntryInvalid)
	_, err = os.Stat(file)
	require.NoError(t, err)
}

func TestARescuedTokenTakesThePlaceOfTheOldOne(t *testing.T) {
	s := storeWith(t, `{"graphs":[{"name":"notes","token":"TOKEN","nickname":"Mine","lastKnownTokenStatus":"revoked","disabled":true,"colour":"red"}]}`)
	granted := entry(t, "notes", "Former")
	granted.AccessLevel = localapi.ReadOnly
	path, err := WriteRescue(t.TempDir(), granted)
	require.NoError(t, err)
	for again, want := range []string{"Mine,", ",Mine"} { // the second time it is there
		report, _, err := s.ImportFile(t.Context(), path, nil)
		require.NoError(t, err)
		if got := nicknames(report.Renewed) + "," + nicknames(report.Present); got != want || len(report.Added) > 0 {
			t.Fatalf("time %d: renewed and present are %s: %+v", again+1, got, report)
		}
	}
	got := mustLoad(t, s).Entries[0]
	want := Entry{
		Name: "notes", Type: localapi.Hosted, Token: granted.Token, Nickname: "Mine",
		AccessLevel: localapi.ReadOnly, LastKnownTokenStatus: localapi.TokenActive, Disabled: true,
	}
	if got != want || !strings.Contains(fileText(t, s.Path()), `"colour": "red"`) {
		t.Errorf("got %+v", got)
	}

	// The official tools' token is no newer than ours.
	official := storeWith(t, `{"graphs":[{"name":"notes","token":"TOKEN","nickname":"theirs"}]}`)
	report, _, err := s.ImportFile(t.Context(), official.Path(), nil)
	if err != nil || nicknames(report.Present) != "Mine" || mustLoad(t, s).Entries[0].Token != granted.Token {
		t.Errorf("%+v, %v", report, err)
	}
}
