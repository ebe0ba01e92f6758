package versions_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/require"
)

// desk is a journal, and a clock that only the test moves.
type desk struct {
	t       testing.TB
	folder  string
	journal *history.Journal
	now     time.Time
	log     bytes.Buffer
}

func newDesk(t testing.TB) *desk {
	d := &desk{t: t, folder: journaltest.Folder(t, filepath.Join(t.TempDir(), "history")), now: time.Date(2024, 1, 16, 12, 0, 0, 0, time.UTC)}
	d.journal = d.open()
	return d
}

// open returns the journal as a further program has it.
func (d *desk) open() *history.Journal {
	j := history.New(history.Options{Folder: d.folder, Kind: history.KindStdio, Now: func() time.Time { return d.now }})
	d.t.Cleanup(func() { _ = j.Close(context.Background()) })
	return j
}

var work = history.Graph{Name: "work", Type: "hosted"}

// call returns the book of a call a minute later.
func (d *desk) call() *versions.Store {
	d.now = d.now.Add(time.Minute)
	return d.callOn(d.journal)
}

func (d *desk) callOn(j *history.Journal) *versions.Store {
	return versions.New(versions.Options{
		Journal: j, Graph: work, Who: history.Who{Agent: "claude-code"}, Began: d.now, Now: func() time.Time { return d.now },
		Log: slog.New(slog.NewTextHandler(&d.log, nil)),
	})
}

// wrote records a change of another server, as it is done.
func (d *desk) wrote(class fact.Class, touches ...fact.Touch) {
	d.t.Helper()
	change, err := d.journal.Intend(context.Background(), history.Intent{
		Who: history.Who{Agent: "planner"}, Graph: work, Tool: "update_block", Action: "data.block.update", Class: class, Touches: touches,
	})
	require.NoError(d.t, err)
	require.NoError(d.t, d.journal.Finish(context.Background(), change, history.Outcome{State: history.StateDone}))
}

// page returns the page "p" with blocks that Ann edited last at a time.
func (d *desk) page(title string, edited time.Time, blocks ...note.Node) note.Node {
	for i := range blocks {
		if blocks[i].Edited == 0 {
			blocks[i].Edited = edited.UnixMilli()
		}
		blocks[i].Editor = note.User{Name: "Ann"}
	}
	return note.Node{UID: "p", Title: title, Created: 1, Edited: 1, Shortcut: -1, Children: blocks}
}

func text(uid, text string, children ...note.Node) note.Node {
	return note.Node{UID: uid, Text: text, Children: children}
}

// told says the versions of the page "p", oldest first.
func (d *desk) told() string {
	d.t.Helper()
	list, err := d.callOn(d.open()).List(context.Background(), "p", 100)
	require.NoError(d.t, err)
	var said []string
	for _, v := range list {
		said = append([]string{fmt.Sprintf("%s (%s, %s)", v.Message(strings.ToLower), v.Author, v.Agent)}, said...)
	}
	return strings.Join(said, "; ")
}

func TestWhatIsRecorded(t *testing.T) {
	ctx := context.Background()
	for name, tc := range map[string]struct {
		do   func(d *desk)
		want string
	}{
		"a page that is seen for the first time": {func(d *desk) {
			d.call().Saw(ctx, d.page("P", d.now, text("a", "1")))
		}, "First seen: p (Ann, )"},
		"nothing of a page without blocks": {func(d *desk) {
			if v := d.call().Saw(ctx, d.page("P", d.now)); v.ID != "" {
				d.t.Errorf("%+v", v)
			}
		}, ""},
		"nothing where nothing differs, but for times and what is hidden": {func(d *desk) {
			first := d.call().Saw(ctx, d.page("P", d.now, text("a", "1")))
			again := d.call().Saw(ctx, d.page("P", d.now.Add(time.Hour), text("a", "1"), note.Node{UID: "h", Text: "secret", Hidden: true}))
			if wrote := d.call().Wrote(ctx, versions.Update, "", d.page("P", d.now, text("a", "1"))); first.ID == "" || again.ID != first.ID || wrote.ID != first.ID {
				d.t.Errorf("%s, %s, %s", first.ID, again.ID, wrote.ID)
			}
		}, "First seen: p (Ann, )"},
		"what somebody changed in Roam": {func(d *desk) {
			d.call().Saw(ctx, d.page("P", d.now, text("a", "1")))
			edited := d.now.Add(30 * time.Second)
			if v := d.call().Saw(ctx, d.page("P", edited, text("a", "2"))); !v.At.Equal(edited) || !v.Updated.Equal(edited) {
				d.t.Errorf("%+v", v)
			}
		}, "First seen: p (Ann, ); Changed in Roam: p (Ann, )"},
		"what somebody deleted in Roam, who is not known": {func(d *desk) {
			edited := d.now
			d.call().Saw(ctx, d.page("P", edited, text("a", "1"), text("b", "2")))
			if v := d.call().Saw(ctx, d.page("P", edited, text("a", "1"))); !v.At.Equal(d.now) {
				d.t.Errorf("%+v", v)
			}
		}, "First seen: p (Ann, ); Changed in Roam: p (, )"},
		"what the call writes": {func(d *desk) {
			b := d.call()
			b.Wrote(ctx, versions.Create, "", d.page("P", d.now, text("a", "1")))
			b = d.call()
			b.Saw(ctx, d.page("P", d.now, text("a", "1")))
			b.Wrote(ctx, versions.Update, "", d.page("P", d.now, text("a", "2")))
			b = d.call()
			b.Saw(ctx, d.page("P", d.now, text("a", "2")))
			b.Wrote(ctx, versions.Move, "P", d.page("Q", d.now, text("a", "2")))
			d.call().Wrote(ctx, versions.Delete, "", d.page("Q", d.now, text("a", "2")))
			list, _ := d.callOn(d.journal).List(ctx, "p", 9)
			d.call().Wrote(ctx, versions.Restore, list[len(list)-1].ID, d.page("Q", d.now, text("a", "1")))
		}, "Create note: p (Ann, claude-code); Update note: p (Ann, claude-code); Move note: p → q (Ann, claude-code); Delete note: q (, claude-code); Restore note: q to version ID (Ann, claude-code)"},
		"as the agent's what another server wrote": {func(d *desk) {
			d.call().Saw(ctx, d.page("P", d.now, text("a", "1")))
			d.now = d.now.Add(time.Minute)
			d.wrote(fact.ClassText, fact.Touch{UID: "a", Role: fact.RoleTarget, Page: "p"})
			edited := d.now
			d.call().Saw(ctx, d.page("P", edited, text("a", "2")))
		}, "First seen: p (Ann, ); Update note: p (Ann, planner)"},
		"as the agent's what another server deleted": {func(d *desk) {
			edited := d.now
			d.call().Saw(ctx, d.page("P", edited, text("a", "1"), text("b", "2", text("c", "3"))))
			d.now = d.now.Add(time.Minute)
			d.wrote(fact.ClassGone, fact.Touch{UID: "b", Role: fact.RoleGone}, fact.Touch{UID: "c", Role: fact.RoleGone}, fact.Touch{UID: "p", Role: fact.RolePlace})
			d.call().Saw(ctx, d.page("P", edited, text("a", "1")))
		}, "First seen: p (Ann, ); Update note: p (, planner)"},
		"as the agent's move a new title": {func(d *desk) {
			edited := d.now
			d.call().Saw(ctx, d.page("P", edited, text("a", "1")))
			d.now = d.now.Add(time.Minute)
			d.wrote(fact.ClassRename, fact.Touch{UID: "p", Role: fact.RoleTarget})
			n := d.page("Q", edited, text("a", "1"))
			n.Edited, n.Editor.Name = d.now.UnixMilli(), "Bob"
			d.call().Saw(ctx, n)
		}, "First seen: p (Ann, ); Move note: p → q (Bob, planner)"},
		"as the agent's deletion a page that is gone, and then its return": {func(d *desk) {
			edited := d.now
			d.call().Saw(ctx, d.page("P", edited, text("a", "1")))
			d.now = d.now.Add(time.Minute)
			d.wrote(fact.ClassGone, fact.Touch{UID: "p", Role: fact.RoleGone}, fact.Touch{UID: "a", Role: fact.RoleGone})
			d.call().Saw(ctx, note.Node{UID: "p"})
			d.call().Saw(ctx, note.Node{UID: "p"})
			d.now = d.now.Add(time.Minute)
			d.wrote(fact.ClassMake, fact.Touch{UID: "a", Role: fact.RoleMade, Page: "p"})
			edited = d.now
			d.call().Saw(ctx, d.page("P", edited, text("a", "1")))
		}, "First seen: p (Ann, ); Delete note: p (, planner); Create note: p (Ann, planner)"},
		"as somebody else's what an agent's write does not explain": {func(d *desk) {
			d.call().Saw(ctx, d.page("P", d.now, text("a", "1"), text("b", "2")))
			d.now = d.now.Add(time.Minute)
			d.wrote(fact.ClassText, fact.Touch{UID: "a", Role: fact.RoleTarget, Page: "p"})
			later := d.now.Add(5 * time.Second)
			d.call().Saw(ctx, d.page("P", later, text("a", "2"), text("b", "2"))) // edited once more
			d.wrote(fact.ClassText, fact.Touch{UID: "b", Role: fact.RoleTarget, Page: "p"})
			d.call().Saw(ctx, d.page("P", d.now, text("a", "2")))
			d.wrote(fact.ClassText, fact.Touch{UID: "x", Role: fact.RoleTarget, Page: "other"})
			d.call().Saw(ctx, d.page("P", d.now, text("a", "3")))
		}, "First seen: p (Ann, ); Changed in Roam: p (Ann, ); Changed in Roam: p (Ann, ); Changed in Roam: p (Ann, )"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			tc.do(d)
			got := d.told()
			if _, rest, found := strings.Cut(got, "to version "); found {
				got = strings.Replace(got, rest[:7], "ID", 1)
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if strings.Contains(d.log.String(), "secret") || d.log.Len() > 0 {
				t.Errorf("the log says %s", d.log.String())
			}
		})
	}
}

func TestAVersionIsThePageAsItWas(t *testing.T) {
	ctx := context.Background()
	d := newDesk(t)
	n := d.page("P", d.now, note.Node{UID: "a", Text: "<b> \u2028 \"x\"\n\t😀", Heading: 2, View: "numbered", Align: "center", Collapsed: true, Children: []note.Node{
		text("b", ""), {UID: "h", Text: "secret", Hidden: true, Children: []note.Node{text("i", "secret below")}}, text("c", "after ((h))"),
	}}, text("e", "e"))
	n.View = "document"
	v := d.call().Saw(ctx, n)
	if len(v.ID) != 40 || strings.Trim(v.ID, "0123456789abcdef") != "" || v.Short() != v.ID[:7] || v.Title != "P" || v.Created.UnixMilli() != 1 {
		t.Errorf("%+v", v)
	}
	found, was, err := d.callOn(d.open()).Find(ctx, "p", strings.ToUpper(v.ID[:4]))
	if err != nil || found.ID != v.ID {
		t.Fatalf("%+v, %v", found, err)
	}
	if got, want := fmt.Sprintf("%+v", was), fmt.Sprintf("%+v", versions.Kept(n)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := fmt.Sprintf("%+v", was.Outline()), fmt.Sprintf("%+v", n.Visible().Outline()); got != want || was.View != "document" {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	data, err := os.ReadFile(filepath.Join(d.folder, "journal.db-wal"))
	require.NoError(t, err)
	if bytes.Contains(data, []byte("secret")) || strings.Contains(fmt.Sprintf("%+v", was), "secret") {
		t.Error("a hidden block is in it")
	}
	t.Run("without what is hidden now", func(t *testing.T) {
		now := n
		now.Children = []note.Node{{UID: "e", Text: "e", Hidden: true}}
		b := d.call()
		b.Saw(ctx, now)
		if _, was, err := b.Find(ctx, "p", v.ID); err != nil || len(was.Children) != 1 || was.Children[0].UID != "a" {
			t.Errorf("%+v, %v", was, err)
		}
	})
}

func TestFind(t *testing.T) {
	ctx := context.Background()
	d := newDesk(t)
	add := func(id string) {
		list, err := d.journal.Versions(ctx, history.VersionFilter{Graph: work, Page: "p", Limit: 1})
		require.NoError(t, err)
		after := ""
		if len(list) > 0 {
			after = list[0].ID
		}
		added, err := d.journal.AddVersion(ctx, work, history.Version{ID: id + strings.Repeat("0", 40-len(id)), Page: "p", Title: "P" + id[:1], At: d.now, Tree: []byte(`{}`)}, after)
		if err != nil || !added {
			t.Fatal(added, err)
		}
	}
	for _, id := range []string{"1234a", "1234b", "5", "6", "7", "8"} {
		add(id)
	}
	newest := " The newest: 8000000 (2024-01-16T12:00:00Z), 7000000 (2024-01-16T12:00:00Z), 6000000 (2024-01-16T12:00:00Z), 5000000 (2024-01-16T12:00:00Z), 1234b00 (2024-01-16T12:00:00Z)."
	for name, tc := range map[string]struct {
		page, id, want string
		code           problem.Code
	}{
		"a short prefix":              {"p", "1234a", "1234a", ""},
		"the whole ID":                {"p", "5" + strings.Repeat("0", 39), "5", ""},
		"blanks around":               {"p", " 6000 ", "6", ""},
		"no prefix of several":        {"p", "1234", "Several versions begin with 1234." + newest, versions.CodeVersionAmbiguous},
		"none that is not there":      {"p", "0000", "There is no version 0000." + newest, versions.CodeVersionNotFound},
		"none of three digits":        {"p", "800", "There is no version of that number, which has 4 to 40 digits of 0 to 9 and a to f." + newest, versions.CodeVersionNotFound},
		"none by a text":              {"p", "'; DROP", "There is no version of that number, which has 4 to 40 digits of 0 to 9 and a to f." + newest, versions.CodeVersionNotFound},
		"none of another page":        {"q", "8000", "There is no version 8000.", versions.CodeVersionNotFound},
		"none that is longer than 40": {"p", strings.Repeat("5", 41), "There is no version of that number, which has 4 to 40 digits of 0 to 9 and a to f." + newest, versions.CodeVersionNotFound},
	} {
		t.Run("finds "+name, func(t *testing.T) {
			v, _, err := d.callOn(d.journal).Find(ctx, tc.page, tc.id)
			got := strings.TrimRight(v.ID, "0")
			if err != nil {
				got = problem.FromError(err).Message
			}
			if got != tc.want || problem.CodeOf(err) != tc.code && err != nil {
				t.Errorf("got  %s (%v)\nwant %s", got, err, tc.want)
			}
		})
	}
	t.Run("finds the page that had a title last", func(t *testing.T) {
		if page, ok, err := d.callOn(d.journal).PageOf(ctx, "P7"); page != "p" || !ok || err != nil {
			t.Error(page, ok, err)
		}
		if page, ok, err := d.callOn(d.journal).PageOf(ctx, "None"); ok || err != nil {
			t.Error(page, ok, err)
		}
	})
	t.Run("refuses a tree that is damaged", func(t *testing.T) {
		list, _ := d.journal.Versions(ctx, history.VersionFilter{Graph: work, Page: "p", Limit: 1})
		_, err := d.journal.AddVersion(ctx, work, history.Version{ID: strings.Repeat("9", 40), Page: "p", Tree: []byte(`{"blocks":[{"text":"secret"}]}`)}, list[0].ID)
		require.NoError(t, err)
		if _, n, err := d.callOn(d.journal).Find(ctx, "p", "9999"); err == nil || n.UID != "" || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v, %v", n, err)
		}
	})
}

func TestWhereVersionsAreOff(t *testing.T) {
	ctx := context.Background()
	n := (&desk{}).page("P", time.Now(), text("a", "1"))
	for name, tc := range map[string]struct {
		book func(d *desk) *versions.Store
		want string
		lost bool
	}{
		"there is no journal": {func(*desk) *versions.Store { return versions.New(versions.Options{}) }, "The server was started with --no-journal.", false},
		"texts are not kept": {func(d *desk) *versions.Store {
			asked := 0
			t.Cleanup(func() {
				if asked != 1 {
					t.Errorf("asked %d times", asked)
				}
			})
			return versions.New(versions.Options{Journal: d.journal, Off: func(context.Context) (problem.Hint, bool) {
				asked++
				return problem.Say("No."), true
			}})
		}, "No.", false},
		"the journal can't be opened": {func(d *desk) *versions.Store {
			require.NoError(d.t, os.RemoveAll(d.folder))
			require.NoError(d.t, os.WriteFile(d.folder, nil, 0o600))
			return d.callOn(d.journal)
		}, "The journal", true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			b := tc.book(d)
			why, off := b.Off(ctx)
			if said := (problem.World{}).Say(why); !off || !strings.HasPrefix(said, tc.want) {
				t.Errorf("%v, %s", off, said)
			}
			if v, w := b.Saw(ctx, n), b.Wrote(ctx, versions.Update, "", n); v.ID != "" || w.ID != "" || b.Unrecorded() != tc.lost {
				t.Errorf("%+v, %+v, unrecorded %v", v, w, b.Unrecorded())
			}
			if _, _, err := b.Find(ctx, "p", "0000"); err == nil {
				t.Error("a version was found")
			}
			if list, err := b.List(ctx, "p", 1); list != nil || (err != nil) != tc.lost {
				t.Error(list, err)
			}
			if _, err := os.Stat(filepath.Join(d.folder, "journal.db")); err == nil {
				t.Error("there is a journal")
			}
			if strings.Contains(d.log.String(), "P") || tc.lost != (d.log.Len() > 0) {
				t.Errorf("the log says %s", d.log.String())
			}
		})
	}
}

func TestTwoServersAtOnce(t *testing.T) {
	ctx := context.Background()
	t.Run("record what both see once", func(t *testing.T) {
		d := newDesk(t)
		n := d.page("P", d.now, text("a", "1"))
		journals := []*history.Journal{d.open(), d.open()}
		var wait sync.WaitGroup
		ids := make([]string, 8)
		for i := range ids {
			wait.Go(func() { ids[i] = d.callOn(journals[i%2]).Saw(ctx, n).ID })
		}
		wait.Wait()
		for _, id := range ids {
			if id == "" || id != ids[0] {
				t.Errorf("got %v", ids)
			}
		}
		if got := d.told(); got != "First seen: p (Ann, )" {
			t.Error(got)
		}
	})
	t.Run("record no read that is older than what another has recorded since", func(t *testing.T) {
		d := newDesk(t)
		old, slow := d.page("P", d.now, text("a", "1")), d.call()
		first := d.callOn(d.open()).Saw(ctx, old)
		d.now = d.now.Add(time.Second)
		d.callOn(d.open()).Wrote(ctx, versions.Update, "", d.page("P", d.now, text("a", "2")))
		if v := slow.Saw(ctx, old); v.ID != first.ID {
			t.Errorf("%+v", v)
		}
		if v := slow.Saw(ctx, d.page("P", d.now, text("a", "between"))); v.ID != "" || slow.Unrecorded() {
			t.Errorf("%+v", v)
		}
		if got := d.told(); got != "First seen: p (Ann, ); Update note: p (Ann, claude-code)" {
			t.Error(got)
		}
	})
	t.Run("name a write as the writer does, whoever saw it first", func(t *testing.T) {
		d := newDesk(t)
		first := d.call().Saw(ctx, d.page("P", d.now, text("a", "1")))
		writer := d.call()
		d.now = d.now.Add(time.Second)
		d.wrote(fact.ClassText, fact.Touch{UID: "a", Role: fact.RoleTarget, Page: "p"})
		n := d.page("P", d.now, text("a", "0"))
		seen := d.callOn(d.open()).Saw(ctx, n)
		if v := writer.Wrote(ctx, versions.Restore, first.ID, n); v.ID != seen.ID || v.Kind != versions.Restore {
			t.Errorf("%+v", v)
		}
		if got := d.told(); got != "First seen: p (Ann, ); Restore note: p to version "+first.Short()+" (Ann, claude-code)" {
			t.Error(got)
		}
	})
}
