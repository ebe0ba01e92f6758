package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
)

// These are commands of scripts about the history.

// midday sets a time zone in which the day does not end while the script runs.
func midday(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Setenv("TZ", fmt.Sprintf("Etc/GMT%+d", time.Now().UTC().Hour()-12))
}

// normal FILE writes the last output to a file, with its times, durations and uids
// hidden by something of the same width, and without what a purge has made the files
// smaller by.
func normal(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile("stdout")
	for _, hidden := range []struct{ pattern, by string }{
		{`(?m)^The files are .* smaller\.\n`, ""}, {`\d{4}-\d\d-\d\dT[^"]+`, "TIME"}, {`"tookMs": \d+`, `"tookMs": N`}, {`("uid": ?)"[\w-]{9}"`, `$1"uid-uid-u"`},
		{`\b\d\d:\d\d:\d\d\b`, "hh:mm:ss"}, {`\b\d\d:\d\d\b`, "hh:mm"}, {`\b\d+ ms\b`, "N ms"}, {`\(\([\w-]{9}\)\)`, "((uid-uid-u))"},
	} {
		text = regexp.MustCompile(hidden.pattern).ReplaceAllString(text, hidden.by)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// leaveWrite GRAPH UID TEXT [EVIDENCE] leaves what a server leaves in the journal that
// was killed when it was about to write a text; with EVIDENCE one whose reply was lost,
// and that was found to be done.
func leaveWrite(ts *testscript.TestScript, _ bool, args []string) {
	ctx := context.Background()
	aMinuteAgo := time.Now().Add(-time.Minute) // nothing of it can be on its way any more
	journal := history.New(history.Options{
		Folder: filepath.Join(ts.Getenv("XDG_STATE_HOME"), "roam-mcp", "history"), Kind: history.KindStdio, Now: func() time.Time { return aMinuteAgo },
	})
	request, err := json.Marshal([]any{map[string]any{"block": map[string]string{"uid": args[1], "string": args[2]}}})
	ts.Check(err)
	change, err := journal.Intend(ctx, history.Intent{
		Who: history.Who{Agent: "killed"}, Graph: history.Graph{Name: args[0], Type: "hosted"}, Tool: "update_block", Action: "data.block.update",
		Class: fact.ClassText, BeforeBy: history.ByNone, Request: request, Touches: []fact.Touch{{UID: args[1], Role: fact.RoleTarget}},
	})
	ts.Check(err)
	if len(args) > 3 {
		ts.Check(journal.Finish(ctx, change, history.Outcome{State: history.StateDone, Evidence: args[3], Summary: "1 block"}))
	}
	ts.Check(journal.Close(ctx))
}

// mode OCTAL FILE compares the mode of a file, where the system has modes.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := strconv.FormatUint(uint64(info.Mode().Perm()), 8); got != args[0] && runtime.GOOS != "windows" {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}
