package history

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/testutil/require"
)

// addVersion records a version on top of the newest.
func addVersion(t testing.TB, j *Journal, graph Graph, v Version) {
	t.Helper()
	if v.Tree == nil {
		v.Tree = []byte("{}")
	}
	for added := false; !added; { // others may add to the same page
		newest, err := j.Versions(context.Background(), VersionFilter{Graph: graph, Page: v.Page, Limit: 1})
		after := ""
		if len(newest) > 0 {
			after = newest[0].ID
		}
		if err == nil {
			added, err = j.AddVersion(context.Background(), graph, v, after)
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// names returns the IDs of versions, without the zeros in front.
func names(t testing.TB, j *Journal, filter VersionFilter) string {
	t.Helper()
	found, err := j.Versions(context.Background(), filter)
	require.NoError(t, err)
	var said []string
	for _, v := range found {
		said = append(said, strings.TrimLeft(v.ID, "0"))
	}
	return strings.Join(said, " ")
}

func TestVersions(t *testing.T) {
	ctx := context.Background()
	work, personal := Graph{"Work", "hosted"}, Graph{"Personal", "hosted"}
	t.Run("are read as they were recorded, newest first", func(t *testing.T) {
		now := noon()
		j := New(Options{Folder: newFolder(t), Now: func() time.Time { return now }})
		t.Cleanup(func() { require.NoError(t, j.Close(ctx)) })
		want := Version{
			ID: "0a", Page: "p", Seen: now, At: noon().Add(-day), Kind: "move", Author: "Ann", Agent: "planner", Client: "Some Client",
			Title: "T", From: "S", Created: noon().Add(-9 * day), Updated: noon().Add(-day), Tree: []byte(`{"blocks":1}`),
		}
		addVersion(t, j, work, Version{ID: "01", Page: "p", Title: "S"})
		addVersion(t, j, work, want)
		addVersion(t, j, work, Version{ID: "0b", Page: "q", Title: "T"})
		addVersion(t, j, personal, Version{ID: "0a", Page: "p", Title: "T"})
		found, err := j.Versions(ctx, VersionFilter{Graph: work, Page: "p", Limit: 1, Trees: true})
		if err != nil || len(found) != 1 || fmt.Sprintf("%+v", utc(found[0])) != fmt.Sprintf("%+v", utc(want)) {
			t.Errorf("got  %+v, %v\nwant %+v", found, err, want)
		}
		for name, tc := range map[string]struct {
			filter VersionFilter
			want   string
		}{
			"of a page":          {VersionFilter{Graph: work, Page: "p", Limit: 9}, "a 1"},
			"at most so many":    {VersionFilter{Graph: work, Limit: 2}, "b a"},
			"of a title":         {VersionFilter{Graph: work, Title: "T", Limit: 9}, "b a"},
			"of a prefix":        {VersionFilter{Graph: work, Page: "p", Prefix: "0", Limit: 9}, "a 1"},
			"of a longer prefix": {VersionFilter{Graph: work, Page: "p", Prefix: "0a", Limit: 9}, "a"},
			"of another graph":   {VersionFilter{Graph: personal, Limit: 9}, "a"},
			"of no graph":        {VersionFilter{Graph: Graph{"None", "hosted"}, Limit: 9}, ""},
		} {
			if got := names(t, j, tc.filter); got != tc.want {
				t.Errorf("%s: %s, want %s", name, got, tc.want)
			}
		}
	})
	t.Run("are recorded on top of the one that they follow", func(t *testing.T) {
		folder := newFolder(t)
		servers := []*Journal{open(t, folder), open(t, folder)}
		var wait sync.WaitGroup
		added := make([]bool, 8)
		for i := range added {
			wait.Go(func() {
				var err error
				if added[i], err = servers[i%2].AddVersion(ctx, work, Version{ID: fmt.Sprint(i), Page: "p", Tree: []byte("{}")}, ""); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if got := strings.Count(fmt.Sprint(added), "true"); got != 1 {
			t.Errorf("%d were recorded as the first", got)
		}
	})
	t.Run("share a tree that stays as long as one of them does", func(t *testing.T) {
		j := open(t, newFolder(t))
		for _, graph := range []Graph{work, personal} {
			addVersion(t, j, graph, Version{ID: "1", Page: "p", Tree: []byte(`{"shared":1}`)})
		}
		_, err := j.Purge(ctx, Purge{Graphs: []Graph{personal}})
		require.NoError(t, err)
		found, err := j.Versions(ctx, VersionFilter{Graph: work, Limit: 9, Trees: true})
		if err != nil || len(found) != 1 || string(found[0].Tree) != `{"shared":1}` || names(t, j, VersionFilter{Graph: personal, Limit: 9}) != "" {
			t.Errorf("%+v, %v", found, err)
		}
		whole(t, j)
	})
	t.Run("make nothing where they are read and there is no journal", func(t *testing.T) {
		folder := newFolder(t)
		if got := names(t, open(t, folder), VersionFilter{Graph: work, Limit: 1}); got != "" {
			t.Error(got)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Error("there is a folder")
		}
	})
}

func utc(v Version) Version {
	for _, each := range []*time.Time{&v.Seen, &v.At, &v.Created, &v.Updated} {
		*each = each.UTC()
	}
	return v
}

func TestTidyOfVersions(t *testing.T) {
	ctx := context.Background()
	now := noon()
	work := Graph{"Work", "hosted"}
	j := New(Options{Folder: newFolder(t), Now: func() time.Time { return now }})
	t.Cleanup(func() { require.NoError(t, j.Close(ctx)) })
	for i, age := range []int{95, 40, 30, 20, 0} {
		now = noon().Add(-time.Duration(age) * day)
		page := "p"
		if i == 2 {
			page = "q" // has only this one
		}
		addVersion(t, j, work, Version{ID: fmt.Sprint(i + 1), Page: page, Tree: fmt.Appendf(nil, `{"%040d":1}`, i)})
	}
	tidied := func(now time.Time, most int64) string {
		t.Helper()
		err := j.maintain(ctx, func(m *maintenance) error { return m.tidy(ctx, now, 90, most) })
		require.NoError(t, err)
		whole(t, j)
		return names(t, j, VersionFilter{Graph: work, Limit: 9})
	}
	if got := tidied(noon().Add(-day), 1<<30); got != "5 4 3 2 1" {
		t.Errorf("after one look they are %s", got)
	}
	if got := tidied(noon(), 1<<30); got != "5 4 3 2" {
		t.Errorf("those of 90 days are %s", got)
	}
	step := func(query string) string {
		t.Helper()
		err := j.maintain(ctx, func(m *maintenance) error {
			_, err := m.remove(ctx, removal{query: query, args: []any{noon().Add(-day).UnixMilli(), noon().UnixMilli(), 1}})
			return err
		})
		require.NoError(t, err)
		return names(t, j, VersionFilter{Graph: work, Limit: 9})
	}
	for i, want := range []string{"5 4 3", "5 3", "5 3"} {
		if got := step(textsAndVersions); got != want {
			t.Errorf("after %d, %s are left, want %s: the newest of a page stays", i+1, got, want)
		}
	}
	if got := tidied(noon(), 0); got != "5" {
		t.Errorf("%s are left, want that of the last day alone", got)
	}
}

// earlierSchema makes a journal as the first build left it, with a call.
func earlierSchema(t *testing.T, folder string) {
	t.Helper()
	j := open(t, folder)
	finish(t, j, intend(t, j, someIntent("u")), StateDone)
	require.NoError(t, j.Close(context.Background()))
	for _, statement := range []string{"DROP TABLE claim", "DROP TABLE version", "DROP INDEX change_undoes", "DROP INDEX change_gone", "ALTER TABLE change DROP COLUMN undoes", "PRAGMA user_version = 1"} {
		edit(t, filepath.Join(folder, "journal.db"), statement)
	}
	made, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenMemory)
	require.NoError(t, err)
	defer made.Close()
	require.NoError(t, sqlitex.ExecuteScript(made, firstTables, nil))
	const schema = "SELECT group_concat(name || sql, ';') FROM (SELECT * FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name)"
	want, err := text(made, schema)
	require.NoError(t, err)
	if got := ask(t, j, schema); got != want {
		t.Fatalf("it is not as it was: %s", got)
	}
}

func TestAJournalOfTheFirstSchema(t *testing.T) {
	ctx, work := context.Background(), Graph{"my-notes", "hosted"}
	schemaOf := func(t *testing.T, j *Journal) string { t.Helper(); return ask(t, j, "PRAGMA user_version") }
	t.Run("has no versions to a reader, who leaves it as it is", func(t *testing.T) {
		folder := newFolder(t)
		earlierSchema(t, folder)
		j := open(t, folder)
		size, err := j.Size(ctx)
		if got := names(t, j, VersionFilter{Graph: work, Limit: 1}); got != "" || err != nil || size.Calls != 1 {
			t.Errorf("%s, %+v, %v", got, size, err)
		}
		var out bytes.Buffer
		if err := j.Export(ctx, &out, Filter{}); err != nil || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s, %v", out.String(), err)
		}
		if _, err := j.Writings(ctx, work, []string{"u"}); err != nil {
			t.Error(err)
		}
		if got := schemaOf(t, j); got != "1" {
			t.Errorf("it has schema %s", got)
		}
	})
	for name, open := range map[string]func(t *testing.T, j *Journal){
		"a change":  func(t *testing.T, j *Journal) { intend(t, j, someIntent("v")) },
		"a claim":   func(t *testing.T, j *Journal) { claim(t, j, "p", "planner") },
		"a version": func(t *testing.T, j *Journal) { addVersion(t, j, work, Version{ID: "1", Page: "p"}) },
		"tidying":   func(t *testing.T, j *Journal) { require.NoError(t, j.Tidy(ctx)) },
		"a purge": func(t *testing.T, j *Journal) {
			_, err := j.Purge(ctx, Purge{Before: noon().Add(-10000 * day)})
			require.NoError(t, err)
		},
	} {
		t.Run("is migrated by "+name+", also where a reader has it open", func(t *testing.T) {
			folder := newFolder(t)
			earlierSchema(t, folder)
			j, reader := New(Options{Folder: folder}), New(Options{Folder: folder})
			t.Cleanup(func() { require.NoError(t, j.Close(ctx)); require.NoError(t, reader.Close(ctx)) })
			if got := schemaOf(t, reader); got != "1" {
				t.Fatalf("it has schema %s", got)
			}
			open(t, j)
			addVersion(t, j, work, Version{ID: "2", Page: "q"})
			if got := names(t, reader, VersionFilter{Graph: work, Page: "q", Limit: 1}); got != "2" || schemaOf(t, reader) != fmt.Sprint(schemaVersion) {
				t.Errorf("schema %s with version %s", schemaOf(t, reader), got)
			}
			if record, ok, err := reader.Record(ctx, 1); err != nil || !ok || len(record.Changes) != 1 || record.Changes[0].Before == nil {
				t.Errorf("%+v %v %v", record, ok, err)
			}
			whole(t, j)
		})
	}
}

func TestExportOfVersions(t *testing.T) {
	ctx := context.Background()
	j := open(t, newFolder(t))
	write(t, j, "Work", 1)
	write(t, j, "Personal", 2)
	addVersion(t, j, Graph{"Work", "hosted"}, Version{ID: "77", Page: "other", Title: "T", Agent: "planner", Tree: []byte(`{"blocks":[{"uid":"u"}]}`)})
	for name, tc := range map[string]struct {
		filter Filter
		want   string
	}{
		"all, after the calls": {Filter{}, "call call 1 77 2"},
		"a graph":              {Filter{Graphs: []Graph{{"Work", ""}}}, "call 1 77"},
		"a page":               {Filter{PageUID: "other"}, "77"},
		"a title":              {Filter{Page: "T"}, "77"},
		"an agent":             {Filter{Agent: "planner"}, "77"},
		"a tool has none":      {Filter{Tool: "update_block"}, "call call"},
		"a time":               {Filter{Since: time.Now().Add(time.Hour)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, j.Export(ctx, &out, tc.filter))
			var said []string
			for line := range strings.Lines(out.String()) {
				var entry struct {
					Call    int64
					Version string
					Graph   string
					Tree    map[string]any
				}
				require.NoError(t, json.Unmarshal([]byte(line), &entry))
				switch {
				case entry.Call != 0:
					said = append(said, "call")
				case entry.Graph == "" || entry.Tree == nil:
					t.Errorf("it lacks something: %s", line)
				default:
					said = append(said, strings.TrimLeft(entry.Version, "0"))
				}
			}
			if got := strings.Join(said, " "); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestWritings(t *testing.T) {
	ctx := context.Background()
	j := open(t, newFolder(t))
	graph := someIntent("").Graph
	for i, state := range []State{StateDone, StateRefused, StateNotDone, StateUnknown} {
		in := someIntent("u")
		in.Touches = append(in.Touches, fact.Touch{UID: fmt.Sprint("v", i), Role: fact.RoleMade, Page: ""})
		finish(t, j, intend(t, j, in), state)
	}
	under := intend(t, j, someIntent("w"))
	describe := func(uids ...string) string {
		t.Helper()
		found, err := j.Writings(ctx, graph, uids)
		require.NoError(t, err)
		var said []string
		for _, w := range found {
			said = append(said, fmt.Sprintf("%d by %s, %s, knows made %v, open %v, touches %d", w.Change, w.Agent, w.Class, w.KnowsMade, w.Done.IsZero(), len(w.Touches)))
		}
		return strings.Join(said, "; ")
	}
	if got, want := describe("u", "v0"), "4 by planner, text, knows made true, open false, touches 1; 1 by planner, text, knows made true, open false, touches 2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := describe("w"), fmt.Sprintf("%d by planner, text, knows made false, open true, touches 1", under.ID); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := describe("none"); got != "" {
		t.Error(got)
	}
	if found, err := j.Writings(ctx, Graph{"None", "hosted"}, []string{"u"}); err != nil || found != nil {
		t.Errorf("%+v, %v", found, err)
	}
}
