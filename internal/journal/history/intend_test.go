package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/testutil/require"
)

func TestStates(t *testing.T) {
	for name, test := range map[string]struct {
		ends []State // of the changes of a call, in turn; empty: it stays open
		want CallState
	}{
		"a call is open while a change is":                {[]State{StateDone, StateOpen}, CallOpen},
		"a call is done when all its changes are":         {[]State{StateDone, StateDone}, CallDone},
		"a call of which nothing was done has failed":     {[]State{StateRefused, StateNotDone}, CallFailed},
		"a call is done in part":                          {[]State{StateDone, StateRefused}, CallPartly},
		"a call is unknown where nobody can tell of one":  {[]State{StateDone, StateUnknown}, CallUnknown},
		"a call is open rather than unknown while one is": {[]State{StateUnknown, StateOpen}, CallOpen},
	} {
		t.Run(name, func(t *testing.T) {
			j, in := open(t, newFolder(t)), someIntent("x")
			for n, state := range test.ends {
				c := intend(t, j, in)
				if c.Seq != n+1 || n > 0 && c.Call != in.Call {
					t.Errorf("change %d.%d after %d changes of call %d", c.Call, c.Seq, n, in.Call)
				}
				if in.Call = c.Call; state != StateOpen {
					finish(t, j, c, state)
				}
			}
			if got := ask(t, j, "SELECT state FROM call"); got != string(test.want) {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestFinish(t *testing.T) {
	ctx := context.Background()
	for name, test := range map[string]struct {
		first, second State
		want          State
	}{
		"a change that is done stays done":          {StateDone, StateRefused, StateDone},
		"a change that was refused stays refused":   {StateRefused, StateDone, StateRefused},
		"one that nobody could tell of can be done": {StateUnknown, StateDone, StateDone},
		"one that nobody could tell of can be not":  {StateUnknown, StateNotDone, StateNotDone},
	} {
		t.Run(name, func(t *testing.T) {
			j := open(t, newFolder(t))
			c := intend(t, j, someIntent("x"))
			finish(t, j, c, test.first)
			require.NoError(t, j.Finish(ctx, c, Outcome{State: test.second, Touches: []fact.Touch{{UID: "made", Role: fact.RoleMade, Page: ""}}}))
			if got := ask(t, j, "SELECT state FROM change"); got != string(test.want) {
				t.Errorf("%s, want %s", got, test.want)
			}
			if got := ask(t, j, "SELECT count(*) FROM touch WHERE uid = 'made'"); (got == "1") != (test.first == StateUnknown) {
				t.Errorf("%s touches of the second outcome", got)
			}
		})
	}
}

func TestAfter(t *testing.T) {
	j, ctx := open(t, newFolder(t)), context.Background()
	in := someIntent("x")
	in.Lacks = []string{"reactions"}
	c := intend(t, j, in)
	require.NoError(t, j.Finish(ctx, c, Outcome{State: StateDone, Evidence: "seen", Summary: "1 block", Touches: []fact.Touch{{UID: "made", Role: fact.RoleMade, Page: ""}}}))
	require.NoError(t, j.After(ctx, c, Aftermath{
		Facts: in.Before, By: BySoon, Lacks: []string{"reactions", "the old spelling"}, Summary: `1 block on "Plan"`,
		Touches: []fact.Touch{{UID: "made", Role: fact.RoleMade, Page: "page"}, {UID: "x", Role: fact.RoleReferrer, Page: ""}}, Pages: map[string]string{"page": "Plan"},
	}))
	require.NoError(t, j.After(ctx, c, Aftermath{Facts: []byte("other"), By: ByLate, Summary: "late"}))
	for query, want := range map[string]string{
		"SELECT after_by || lacks FROM change":                                           `soon["reactions","the old spelling"]`,
		"SELECT after = before FROM change":                                              "1", // equal texts are kept once
		"SELECT count(*) FROM body":                                                      "3",
		"SELECT summary || evidence || texts FROM call":                                  `1 block on "Plan"seen1`,
		"SELECT group_concat(uid || role || page, ' ') FROM touch":                       "made2page x1page x5",
		"SELECT uid || title FROM page":                                                  "pagePlan",
		"SELECT count(*) FROM meta WHERE name = 'key' AND length(value) = 32":            "1",
		"SELECT count(*) FROM body WHERE length(mac) = 16 AND data <> CAST(mac AS BLOB)": "3",
	} {
		if got := ask(t, j, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestStopped(t *testing.T) {
	j, ctx := open(t, newFolder(t)), context.Background()
	require.NoError(t, j.Stopped(ctx, someIntent("x"), "BLOCK_IN_USE"))
	c := intend(t, j, someIntent("x"))
	finish(t, j, c, StateDone)
	later := someIntent("y")
	later.Call = c.Call
	require.NoError(t, j.Stopped(ctx, later, "TOO_LARGE_TO_KEEP"))
	want := "stopped BLOCK_IN_USE 0, partly TOO_LARGE_TO_KEEP 1"
	if got := ask(t, j, "SELECT group_concat(state || ' ' || code || ' ' || texts, ', ') FROM (SELECT * FROM call ORDER BY id)"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := ask(t, j, "SELECT group_concat(state || (request IS NULL), ' ') FROM change"); got != "done0 not-done1" {
		t.Error(got)
	}
}

func TestSessions(t *testing.T) {
	now := time.UnixMilli(1_763_800_000_000)
	j := open(t, newFolder(t))
	j.options.Now = func() time.Time { return now }
	stateless := Who{Agent: "planner", Client: "n8n", Version: "1"}
	session := func(who Who) string {
		in := someIntent("x")
		in.Who = who
		c := intend(t, j, in)
		return ask(t, j, fmt.Sprintf("SELECT session FROM call WHERE id = %d", c.Call))
	}
	for _, step := range []struct {
		name  string
		who   Who
		after time.Duration
		want  string
	}{
		{"a connection begins one", Who{Agent: "a", Connection: "1"}, 0, "1"},
		{"and keeps it for as long as it lasts", Who{Agent: "a", Connection: "1"}, 9 * time.Hour, "1"},
		{"another connection begins another", Who{Agent: "a", Connection: "2"}, 0, "2"},
		{"a stateless client begins one", stateless, 0, "3"},
		{"and goes on after a pause", stateless, 29 * time.Minute, "3"},
		{"which is counted from its last call", stateless, 29 * time.Minute, "3"},
		{"another agent has its own", Who{Agent: "other", Client: "n8n", Version: "1"}, 0, "4"},
		{"a clock that is set back ends none", stateless, -5 * time.Hour, "3"},
		{"a long pause ends it", stateless, 31*time.Minute + 5*time.Hour, "5"},
		{"one without a name is unknown", Who{}, 0, "6"},
	} {
		now = now.Add(step.after)
		if got := session(step.who); got != step.want {
			t.Errorf("%s: session %s, want %s", step.name, got, step.want)
		}
	}
	if got := ask(t, j, "SELECT agent FROM session WHERE id = 6"); got != "unknown" {
		t.Error(got)
	}
}

func TestWhatWasPurgedIsBegunAnew(t *testing.T) {
	for name, statement := range map[string]string{
		"the session":              "DELETE FROM session",
		"the server with all else": "DELETE FROM server",
	} {
		t.Run(name, func(t *testing.T) {
			j := open(t, newFolder(t))
			in := someIntent("x")
			old := intend(t, j, in)
			require.NoError(t, j.transact(context.Background(), toDisk, func(conn *sqlite.Conn) error {
				for _, statement := range []string{"DELETE FROM touch", "DELETE FROM change", "DELETE FROM call", "DELETE FROM session", statement} {
					if err := run(conn, statement); err != nil {
						return err
					}
				}
				return nil
			}))
			finish(t, j, old, StateDone)
			in.Call = old.Call
			if c := intend(t, j, in); c.Call == old.Call || c.Seq != 1 {
				t.Errorf("%v after %v", c, old)
			}
			servers, err := j.Servers(context.Background())
			if err != nil || len(servers) != 1 || !servers[0].Alive {
				t.Errorf("%v, %v; want one that lives", servers, err)
			}
		})
	}
}

func TestNamesAreClipped(t *testing.T) {
	j, in := open(t, newFolder(t)), someIntent("x")
	in.Who.Agent, in.Tool = strings.Repeat("ä", 9999), "a\xffb"
	intend(t, j, in)
	if got := ask(t, j, "SELECT length(agent) FROM session"); got != fmt.Sprint(mostName/2) {
		t.Error(got)
	}
	if got := ask(t, j, "SELECT tool FROM call"); got != "a�b" {
		t.Errorf("%q", got)
	}
	in.Before = make([]byte, mostBody+1)
	if _, err := j.Intend(context.Background(), in); !errors.Is(err, errTooLarge) {
		t.Error(err)
	}
}

// TestLookAgain lists what an intent meets. Both changes are of one graph and touch the
// block "x", unless said otherwise.
func TestLookAgain(t *testing.T) {
	ctx := context.Background()
	earlier := func(change func(*Intent)) Intent {
		in := someIntent("x")
		change(&in)
		return in
	}
	same := earlier(func(*Intent) {})
	role := func(role fact.Role, class fact.Class) Intent {
		return earlier(func(in *Intent) { in.Class, in.Touches[0].Role = class, role })
	}
	for name, test := range map[string]struct {
		other      Intent
		mine       Intent
		beforeMark bool  // the other is recorded before the look
		ends       State // of the other, after the look; empty: it stays open
		endsBefore bool  // of the mark
		want       error
	}{
		"a newer change of the block":            {other: same, mine: same, ends: StateDone, want: ErrLookAgain},
		"one that is open":                       {other: same, mine: same, beforeMark: true, want: ErrLookAgain},
		"one that ended since the look":          {other: same, mine: same, beforeMark: true, ends: StateDone, want: ErrLookAgain},
		"one that nobody can tell of since":      {other: same, mine: same, beforeMark: true, ends: StateUnknown, want: ErrLookAgain},
		"one that ended before the look":         {other: same, mine: same, beforeMark: true, ends: StateDone, endsBefore: true},
		"a newer one that was refused":           {other: same, mine: same, ends: StateRefused},
		"a newer one that was not done":          {other: same, mine: same, ends: StateNotDone},
		"a newer one of another graph":           {other: earlier(func(in *Intent) { in.Graph.Name = "other" }), mine: same, ends: StateDone},
		"a newer one of another block":           {other: someIntent("y"), mine: same, ends: StateDone},
		"two that append to one page":            {other: role(fact.RolePlace, fact.ClassPlace), mine: role(fact.RolePlace, fact.ClassMake), ends: StateDone},
		"a parent whose text changes":            {other: role(fact.RoleTarget, fact.ClassText), mine: role(fact.RolePlace, fact.ClassPlace), ends: StateDone},
		"a parent that moves":                    {other: role(fact.RoleTarget, fact.ClassPlace), mine: role(fact.RolePlace, fact.ClassPlace), ends: StateDone, want: ErrLookAgain},
		"a move below what moved":                {other: role(fact.RolePlace, fact.ClassPlace), mine: role(fact.RoleTarget, fact.ClassPlace), ends: StateDone, want: ErrLookAgain},
		"a parent that goes":                     {other: role(fact.RoleGone, fact.ClassGone), mine: role(fact.RolePlace, fact.ClassPlace), ends: StateDone, want: ErrLookAgain},
		"a parent that got a block, and goes":    {other: role(fact.RolePlace, fact.ClassPlace), mine: role(fact.RoleGone, fact.ClassGone), ends: StateDone, want: ErrLookAgain},
		"a block that was rewritten":             {other: role(fact.RoleReferrer, fact.ClassRename), mine: same, ends: StateDone, want: ErrLookAgain},
		"a block that was made":                  {other: role(fact.RoleMade, fact.ClassMake), mine: same, ends: StateDone, want: ErrLookAgain},
		"a page that somebody mentioned as well": {other: role(fact.RoleImplied, fact.ClassText), mine: same, ends: StateDone},
		"a text elsewhere, and a page that goes": {other: earlier(func(in *Intent) { in.Touches[0].UID = "y" }), mine: role(fact.RoleGone, fact.ClassGone), ends: StateDone, want: ErrLookAgain},
		"two renames of different pages":         {other: earlier(func(in *Intent) { in.Class, in.Touches[0].UID = fact.ClassRename, "y" }), mine: earlier(func(in *Intent) { in.Class = fact.ClassRename }), ends: StateDone, want: ErrLookAgain},
		"that, for one that insists":             {other: earlier(func(in *Intent) { in.Touches[0].UID = "y" }), mine: earlier(func(in *Intent) { in.Class, in.Insist = fact.ClassGone, true }), ends: StateDone},
		"another shortcut":                       {other: earlier(func(in *Intent) { in.Class, in.Touches[0].UID = fact.ClassShortcut, "y" }), mine: role(fact.RoleTarget, fact.ClassShortcut), ends: StateDone, want: ErrLookAgain},
		"a page that goes, and a shortcut":       {other: earlier(func(in *Intent) { in.Class, in.Touches[0].UID = fact.ClassGone, "y" }), mine: role(fact.RoleTarget, fact.ClassShortcut), ends: StateDone, want: ErrLookAgain},
	} {
		t.Run(name, func(t *testing.T) {
			folder := newFolder(t)
			j, other := open(t, folder), open(t, folder)
			test.other.Request = nil // nobody has to read what it left
			var c Change
			end := func() {
				if test.ends != "" {
					finish(t, other, c, test.ends)
				}
			}
			if test.beforeMark {
				if c = intend(t, other, test.other); test.endsBefore {
					end()
				}
			}
			mark, err := j.Mark(ctx)
			require.NoError(t, err)
			if !test.beforeMark {
				c = intend(t, other, test.other)
			}
			if !test.endsBefore {
				end()
			}
			test.mine.Mark = mark
			if _, err := j.Intend(ctx, test.mine); !errors.Is(err, test.want) || test.want == nil && err != nil {
				t.Errorf("%v, want %v", err, test.want)
			}
			test.mine.Mark = 0
			intend(t, j, test.mine) // what looks at nothing waits for nothing
		})
	}
	t.Run("an addition waits for a deletion that is open", func(t *testing.T) {
		folder := newFolder(t)
		j, other := open(t, folder), open(t, folder)
		c := intend(t, other, role(fact.RoleGone, fact.ClassGone))
		time.AfterFunc(5*between, func() { _ = other.Finish(ctx, c, Outcome{State: StateDone}) })
		intend(t, j, role(fact.RolePlace, fact.ClassMake))
		if record, _, err := j.Record(ctx, c.Call); err != nil || record.Call.State != CallDone {
			t.Errorf("it was sent while the deletion was %s (%v)", record.Call.State, err)
		}
	})
	t.Run("a change of the same call is no other", func(t *testing.T) {
		j, in := open(t, newFolder(t)), someIntent("x")
		mark, err := j.Mark(ctx)
		require.NoError(t, err)
		in.Call, in.Mark = intend(t, j, in).Call, mark
		intend(t, j, in)
	})
	t.Run("one that its server left open is in nobody's way", func(t *testing.T) {
		folder := newFolder(t)
		killed, j, in := start(t, "intend", folder), open(t, folder), someIntent("killed")
		killed.line(t)
		mark, err := j.Mark(ctx)
		require.NoError(t, err)
		killed.kill()
		in.Mark = mark
		intend(t, j, in)
	})
	t.Run("an open change is waited for", func(t *testing.T) {
		folder := newFolder(t)
		j, other, in := open(t, folder), open(t, folder), someIntent("x")
		in.Request = nil
		c := intend(t, other, in)
		mark, err := j.Mark(ctx)
		require.NoError(t, err)
		time.AfterFunc(5*between, func() { _ = other.Finish(ctx, c, Outcome{State: StateRefused}) })
		in.Mark = mark
		intend(t, j, in)
	})
}

// TestAfterReadsAreWaitedFor checks that a change which looks lets other servers read
// first what theirs left.
func TestAfterReadsAreWaitedFor(t *testing.T) {
	ctx := context.Background()
	for name, test := range map[string]struct {
		change func(*Intent)
		state  State
		own    bool          // the change is of the same server
		read   time.Duration // after which it is read what the change left; negative: never
		waits  bool
	}{
		"of the graph, until they are read":         {func(*Intent) {}, StateDone, false, 5 * between, true},
		"of the graph, for a second":                {func(*Intent) {}, StateDone, false, -1, true},
		"of another graph, not":                     {func(in *Intent) { in.Graph.Name = "other" }, StateDone, false, -1, false},
		"of what was refused, not":                  {func(*Intent) {}, StateRefused, false, -1, false},
		"of what is kept without texts, not":        {func(in *Intent) { in.Request = nil }, StateDone, false, -1, false},
		"of its own, which it knows of itself, not": {func(*Intent) {}, StateDone, true, -1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := newFolder(t)
			j, other := open(t, folder), open(t, folder)
			if test.own {
				other = j
			}
			in := someIntent("y")
			test.change(&in)
			c := intend(t, other, in)
			finish(t, other, c, test.state)
			mark, err := j.Mark(ctx)
			require.NoError(t, err)
			if test.read > 0 {
				time.AfterFunc(test.read, func() { _ = other.After(ctx, c, Aftermath{By: BySoon}) })
			}
			in = someIntent("x")
			in.Mark = mark
			started := time.Now()
			intend(t, j, in)
			least := time.Duration(0)
			switch {
			case test.waits && test.read > 0:
				least = test.read
			case test.waits:
				least = longestAfterReads
			}
			if took := time.Since(started); took < least {
				t.Errorf("waited %v, want at least %v", took, least)
			}
			if !test.waits && ask(t, j, "SELECT count(*) FROM change WHERE after_by IS NOT NULL") != "0" {
				t.Error("somebody read")
			}
		})
	}
}

func TestBodies(t *testing.T) {
	j := open(t, newFolder(t))
	intend(t, j, someIntent("x"))
	_, err := j.read(context.Background(), func(conn *sqlite.Conn) error {
		got, err := getBody(conn, 2)
		if want := someIntent("x").Request; !bytes.Equal(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
		if none, err := getBody(conn, 99); none != nil || err != nil {
			t.Errorf("%s, %v", none, err)
		}
		return err
	})
	require.NoError(t, err)
	if got := ask(t, j, "PRAGMA foreign_key_check"); got != "" {
		t.Error(got)
	}
}

func TestFolder(t *testing.T) {
	for goos, want := range map[string]string{"linux": "/state/roam-mcp/history", "darwin": "/state/roam-mcp/history", "windows": "/home/ada/.roam-mcp/history"} {
		if got := Folder(goos, "/home/ada", "/state"); strings.ReplaceAll(got, `\`, "/") != want {
			t.Errorf("on %s %s, want %s", goos, got, want)
		}
	}
}

// TestSettings checks what SQLite was told, since most of it shows only on a bad day.
func TestSettings(t *testing.T) {
	j := open(t, newFolder(t))
	for _, test := range []struct {
		class       fact.Class
		synchronous string // of the intent's commit
		fullfsync   string
	}{{fact.ClassText, "2", "0"}, {fact.ClassGone, "2", "1"}, {fact.ClassRename, "2", "1"}, {fact.ClassMerge, "2", "1"}, {fact.ClassMake, "2", "0"}} {
		in := someIntent("x")
		in.Class = test.class
		c := intend(t, j, in)
		for pragma, want := range map[string]string{
			"synchronous": test.synchronous, "fullfsync": test.fullfsync, "journal_mode": "wal", "auto_vacuum": "0", "secure_delete": "1",
			"foreign_keys": "1", "cache_size": "-512", "mmap_size": "0", "wal_autocheckpoint": "500", "busy_timeout": "2000",
		} {
			if got, err := text(j.w.conn, "PRAGMA "+pragma); err != nil || got != want {
				t.Errorf("%s: %s is %s, %v; want %s", test.class, pragma, got, err, want)
			}
		}
		finish(t, j, c, StateDone)
		if got, err := text(j.w.conn, "PRAGMA synchronous"); err != nil || got != "1" {
			t.Errorf("an outcome is committed with synchronous %s, %v", got, err)
		}
	}
}
