//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/require"
)

// Agents change one note at the same time, over one server and over three, which share a
// journal, with a Roam that answers at once, after 10 and after 50 ms; one server of three
// is killed within, in every third round. The note is what the calls make of it in some
// order, and no claim is left. Whoever replaces a list or a text reads it first and adds its
// own to what it was shown: nothing of anybody is lost. -tags campaign makes more rounds.
func TestOneWriterForANote(t *testing.T) {
	var pages []map[string]any
	for round := range agentRounds {
		w := oneWriter{round: round}
		pages = append(pages, w.pages()...)
	}
	shared := newShared(t, pages...)
	calls, again := 0, 0
	for round := range agentRounds {
		w := &oneWriter{sharedGraph: shared, round: round}
		w.run()
		if calls += len(w.calls); t.Failed() {
			t.Fatalf("after round %d: %s", round, w)
		}
		for _, call := range w.calls {
			again += call.again
		}
	}
	shared.everyWriteWasRecorded()
	t.Logf("%d rounds, %d calls, of which %d were made from a new read", agentRounds, calls, again)
}

// oneWriter is a round of calls at once.
type oneWriter struct {
	*sharedGraph
	round   int
	servers []profiledServer
	calls   []*callAtOnce
}

// profiledServer is a server of a profile.
type profiledServer struct {
	*agentServer
	profile string
	turn    *sync.Mutex // of who reads and then writes: what was shown is known by connection
}

// callAtOnce is one of the calls of a round.
type callAtOnce struct {
	kind   *kindOfCall
	key    string // is in what no other call writes
	server profiledServer
	answer toolAnswer
	killed bool // its server was, so it may have been done or not
	again  int  // how often it was refused for what was changed since its read
}

// kindOfCall is a kind of call that agents make at once.
type kindOfCall struct {
	profile, tool string
	args          func(w *oneWriter, key string) map[string]any
	// changes adds to the arguments what the call makes of the note as a read shows it; nil:
	// the arguments are the same whatever is there.
	changes func(args map[string]any, shown, key string)
	// check says what is wrong with what the calls of the kind have made together; empty:
	// nothing. Calls are all that are done, or may be.
	check func(w *oneWriter, calls []*callAtOnce) string
}

func (w *oneWriter) String() string {
	var said []string
	for _, call := range w.calls {
		said = append(said, fmt.Sprintf("%s %s %s killed %v again %d: %+v", call.server.profile, call.kind.tool, call.key, call.killed, call.again, call.answer))
	}
	return fmt.Sprintf("%s\nnote:\n%s\nlist:\n%s\ntext:\n%s", strings.Join(said, "\n"), strings.Join(w.lines("n"), "\n"), strings.Join(w.lines("l"), "\n"), strings.Join(w.lines("c"), "\n"))
}

// name returns a uid of this round, of 9 characters.
func (w *oneWriter) name(letter string) string { return fmt.Sprintf("%s%08d", letter, w.round) }

// pages returns the note, the checklist and the text of the round.
func (w *oneWriter) pages() []map[string]any {
	return []map[string]any{
		onPage(w.title(), w.name("n"), [2]string{w.name("t"), "the end"}, [2]string{w.name("a"), "text"}),
		onPage("List "+w.name("l"), w.name("l"), [2]string{w.name("x"), "{{[[TODO]]}} one"}, [2]string{w.name("y"), "{{[[TODO]]}} two"}),
		onPage("Text "+w.name("c"), w.name("c"), [2]string{w.name("f"), "first"}, [2]string{w.name("g"), "last"}),
	}
}

func (w *oneWriter) title() string { return "Note " + w.name("n") }

// lines returns the texts directly below a page of the round, in order.
func (w *oneWriter) lines(letter string) (lines []string) {
	w.t.Helper()
	reply, err := w.Send(w.t.Context(), "q", `[:find ?o ?s :in $ ?p :where [?p :block/children ?b] [?b :block/order ?o] [?b :block/string ?s]]`, []any{":block/uid", w.name(letter)})
	require.NoError(w.t, err)
	var rows [][2]any
	require.NoError(w.t, json.Unmarshal(reply.Result, &rows))
	slices.SortFunc(rows, func(a, b [2]any) int { return int(a[0].(float64) - b[0].(float64)) })
	for _, row := range rows {
		lines = append(lines, row[1].(string))
	}
	return lines
}

// kindsOfCalls returns all kinds.
func kindsOfCalls() []*kindOfCall {
	note := func(w *oneWriter, args map[string]any) map[string]any { args["id"] = w.name("n"); return args }
	list := func(w *oneWriter, args map[string]any) map[string]any { args["id"] = w.name("l"); return args }
	return []*kindOfCall{
		{"wiki", "update_note", func(w *oneWriter, key string) map[string]any {
			return map[string]any{"path": w.title(), "add_tags": []string{key}}
		}, nil, func(w *oneWriter, calls []*callAtOnce) string {
			return eachOnce(single(w.lines("n"), "Tags::"), calls, "%s")
		}},
		{"wiki", "edit_note", func(w *oneWriter, key string) map[string]any {
			return map[string]any{"path": w.title(), "append": "- first " + key + "\n- second " + key}
		}, nil, func(w *oneWriter, calls []*callAtOnce) string {
			return eachOnce(strings.Join(w.lines("n"), "\n"), calls, "first %[1]s\nsecond %[1]s")
		}},
		{"notes", "toggle_archive", func(w *oneWriter, _ string) map[string]any { return note(w, map[string]any{}) }, nil, func(w *oneWriter, calls []*callAtOnce) string {
			return toggled(calls, "isArchived", single(w.lines("n"), "Archived::") == "Archived:: true")
		}},
		{"notes", "toggle_pin", func(w *oneWriter, _ string) map[string]any { return note(w, map[string]any{}) }, nil, func(w *oneWriter, calls []*callAtOnce) string {
			reply, err := w.Send(w.t.Context(), "q", `[:find ?i :in $ ?p :where [?p :page/sidebar ?i]]`, []any{":block/uid", w.name("n")})
			require.NoError(w.t, err)
			return toggled(calls, "isPinned", string(reply.Result) != "[]")
		}},
		{"notes", "update_note", func(w *oneWriter, _ string) map[string]any {
			return list(w, map[string]any{"labels": nil})
		}, addsLabel, func(w *oneWriter, calls []*callAtOnce) string {
			return eachOnce(single(w.lines("l"), "Tags::"), calls, "%s")
		}},
		{"notes", "update_note", func(w *oneWriter, _ string) map[string]any {
			return list(w, map[string]any{"checkItems": nil})
		}, addsItem, func(w *oneWriter, calls []*callAtOnce) string {
			lines := slices.DeleteFunc(w.lines("l"), func(line string) bool { return strings.HasPrefix(line, "Tags::") })
			if len(lines) < 2 || lines[0] != "{{[[TODO]]}} one" || !slices.Contains(lines, "{{[[TODO]]}} two") {
				return fmt.Sprintf("what was there is not as it was: %q", lines)
			}
			return eachOnce(strings.Join(lines, "\n")+"\n", calls, "{{[[TODO]]}} item %s\n")
		}},
		{"notes", "update_note", func(w *oneWriter, _ string) map[string]any {
			return map[string]any{"id": w.name("c"), "content": nil}
		}, addsLineToField, addedLines},
		{"wiki", "update_note", func(w *oneWriter, _ string) map[string]any {
			return map[string]any{"path": "Text " + w.name("c"), "content": nil}
		}, addsLine, addedLines},
		{"roam", "update_block", func(w *oneWriter, key string) map[string]any {
			return map[string]any{"uid": w.name("t"), "find": "end", "replace": key + " end"}
		}, nil, func(w *oneWriter, calls []*callAtOnce) string {
			return eachOnce(single(w.lines("n"), "the "), calls, "%s ")
		}},
		{"outline", "update_block", func(w *oneWriter, key string) map[string]any {
			return map[string]any{"block_uuid": w.name("a"), "content": key, "replace_content": false}
		}, nil, func(w *oneWriter, calls []*callAtOnce) string {
			return eachOnce(single(w.lines("n"), "text"), calls, "\n%s")
		}},
		{"outline", "update_page", func(w *oneWriter, key string) map[string]any {
			return map[string]any{"page_name": w.title(), "properties": map[string]any{"Common": key, key: "own"}}
		}, nil, func(w *oneWriter, calls []*callAtOnce) string {
			if wrong := eachOnce(strings.Join(w.lines("n"), "\n")+"\n", calls, "\n%s:: own\n"); wrong != "" {
				return wrong
			}
			return someOnce(single(w.lines("n"), "Common::"), calls, "%s", "")
		}},
	}
}

// reads returns the call that reads a page in a profile.
func reads(profile, title, uid string) (tool string, args map[string]any) {
	switch profile {
	case "wiki":
		return "get_note", map[string]any{"path": title}
	case "notes":
		return "get_note", map[string]any{"id": uid}
	case "outline":
		return "get_page_content", map[string]any{"page_name": title}
	}
	return "get_page", map[string]any{"uid": uid}
}

// addsLabel sends the labels that were shown, and one more.
func addsLabel(args map[string]any, shown, key string) {
	var note struct{ Labels []string }
	_ = json.Unmarshal([]byte(shown), &note)
	args["labels"] = append(append([]string{}, note.Labels...), key)
}

// addsItem sends the check items that were shown, and one more.
func addsItem(args map[string]any, shown, key string) {
	var note struct{ CheckItems []any }
	_ = json.Unmarshal([]byte(shown), &note)
	args["checkItems"] = append(append([]any{}, note.CheckItems...), map[string]any{"text": "item " + key})
}

// addsLineToField sends the content that was shown in a field, and one more line.
func addsLineToField(args map[string]any, shown, key string) {
	var note struct{ Content string }
	_ = json.Unmarshal([]byte(shown), &note)
	addsLine(args, note.Content, key)
}

// addsLine sends what was shown, and one more line.
func addsLine(args map[string]any, shown, key string) {
	args["content"] = strings.TrimSuffix(shown, "\n") + "\n- line " + key
}

// addedLines says what is wrong with a text to which each of the calls adds a line.
func addedLines(w *oneWriter, calls []*callAtOnce) string {
	lines := w.lines("c")
	if !slices.Contains(lines, "first") || !slices.Contains(lines, "last") {
		return fmt.Sprintf("what was there is gone: %q", lines)
	}
	for _, line := range lines {
		if line != "first" && line != "last" && !strings.HasPrefix(line, "line key") {
			return fmt.Sprintf("%q was never written", line)
		}
	}
	return eachOnce(strings.Join(lines, "\n")+"\n", calls, "line %s\n")
}

// single returns the only line that begins so; several are told as one that has nothing.
func single(lines []string, begins string) string {
	found := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.HasPrefix(line, begins) })
	switch len(found) {
	case 0:
		return ""
	case 1:
		return found[0]
	}
	return fmt.Sprintf("%d lines begin %s", len(found), begins)
}

// eachOnce says which call has not left what it writes exactly once.
func eachOnce(text string, calls []*callAtOnce, writes string) string {
	for _, call := range calls {
		n := strings.Count(text, fmt.Sprintf(writes, call.key))
		if n > 1 || n == 0 && !call.killed {
			return fmt.Sprintf("%d of %s in %q", n, call.key, text)
		}
	}
	return ""
}

// someOnce says what is wrong where each call sets a whole list: what all have in common is
// there once, and what one of them adds at most once, of some of them.
func someOnce(text string, calls []*callAtOnce, writes, common string) string {
	there, sure := 0, 0
	for _, call := range calls {
		n := strings.Count(text, fmt.Sprintf(writes, call.key))
		if n > 1 {
			return fmt.Sprintf("%d of %s in %q", n, call.key, text)
		}
		if there += n; !call.killed {
			sure++
		}
	}
	if sure > 0 && (there == 0 || common != "" && strings.Count(text, common) != 1) {
		return fmt.Sprintf("%d of %d calls left something, and what is common %d times, in %q", there, sure, strings.Count(text, common), text)
	}
	return ""
}

// toggled says where calls did not each turn what the one before had left; is is what the
// last has left.
func toggled(calls []*callAtOnce, field string, is bool) string {
	on, sure := 0, 0
	for _, call := range calls {
		if call.killed {
			return "" // whether it was done is not known, nor seen
		}
		sure++
		var reply map[string]any
		if json.Unmarshal([]byte(call.answer.text), &reply) == nil && reply[field] == true {
			on++
		}
	}
	if on != (sure+1)/2 || is != (sure%2 == 1) {
		return fmt.Sprintf("%d calls of %d turned %s on, and it is %v", on, sure, field, is)
	}
	return ""
}

// run makes the calls of the round and looks at what they have made.
func (w *oneWriter) run() {
	w.box.Switches().Apply(sandbox.Setting{Name: "latency", Value: []string{"off", "10ms", "50ms"}[w.round%3]})
	profiles := []string{"wiki", "notes", "roam", "outline"}
	rand.Shuffle(len(profiles), func(i, j int) { profiles[i], profiles[j] = profiles[j], profiles[i] })
	several := w.round%2 == 1
	same := rand.IntN(2) == 0
	for n := range 3 {
		if profile := profiles[n]; n == 0 || several {
			if same {
				profile = profiles[0]
			}
			w.servers = append(w.servers, w.profiled(profile, n))
		}
	}
	w.plan(2 + rand.IntN(7))
	if several && w.round%3 == 1 {
		w.killWithin(w.calls[rand.IntN(len(w.calls))])
	}
	var agents sync.WaitGroup
	for _, call := range w.calls {
		agents.Go(func() { w.make(call) })
	}
	agents.Wait()
	w.mu.Lock()
	w.atRequest = nil
	w.mu.Unlock()
	w.check()
	for _, server := range w.servers {
		server.kill()
	}
}

// profiled starts a server, and reads all pages of the round with it.
func (w *oneWriter) profiled(profile string, number int) profiledServer {
	w.t.Helper()
	server := profiledServer{w.serve(fmt.Sprintf("agent-%d", number), "--profile", profile, "--toolsets", "all"), profile, &sync.Mutex{}}
	for title, uid := range map[string]string{w.title(): w.name("n"), "List " + w.name("l"): w.name("l"), "Text " + w.name("c"): w.name("c")} {
		if answer := await.Value(w.t, "an answer", server.call(reads(profile, title, uid))); !answer.ok {
			w.t.Fatalf("%s: %s", profile, answer.text)
		}
	}
	return server
}

// plan chooses the calls of the round: in half of the rounds one kind for each profile.
func (w *oneWriter) plan(n int) {
	one, alike := rand.IntN(100), rand.IntN(2) == 0
	for i := range n {
		server := w.servers[i%len(w.servers)]
		kinds := slices.DeleteFunc(kindsOfCalls(), func(k *kindOfCall) bool { return k.profile != server.profile })
		kind := kinds[rand.IntN(len(kinds))]
		if alike {
			kind = kinds[one%len(kinds)]
		}
		w.calls = append(w.calls, &callAtOnce{kind: kind, key: fmt.Sprintf("key%dof%d", i, w.round), server: server})
	}
}

// killWithin kills the server of a call when the first request that has its key comes, in
// half of the cases once that is done.
func (w *oneWriter) killWithin(doomed *callAtOnce) {
	done := rand.IntN(2) == 0
	var once sync.Once
	w.mu.Lock()
	defer w.mu.Unlock()
	w.atRequest = func(request faultproxy.Request) (fault faultproxy.Fault, chosen bool) {
		if !strings.Contains(string(request.Body), doomed.key) {
			return faultproxy.Fault{}, false
		}
		once.Do(func() {
			var sent struct{ Args []any }
			if done && json.Unmarshal(request.Body, &sent) == nil {
				_, _ = w.Send(context.Background(), request.Action, sent.Args...)
			}
			doomed.server.kill()
			fault, chosen = faultproxy.Fault{Kind: faultproxy.ResetBefore}, true
		})
		return fault, chosen
	}
}

// make makes a call, again where it may be sent again, and from a new read where what it
// changes was changed since the last.
func (w *oneWriter) make(call *callAtOnce) {
	for end := time.Now().Add(patience); ; {
		call.answer = w.try(call)
		switch {
		case call.answer.ok:
			return
		case call.answer.text == "":
			call.killed = true
			return
		case time.Now().Before(end) && strings.Contains(call.answer.text, "CHANGED_SINCE_READ") && call.kind.changes != nil:
			call.again++
		case !strings.Contains(call.answer.text, `"retryable":true`) || time.Now().After(end):
			w.t.Errorf("%s: %s", call.kind.tool, call.answer.text)
			return
		}
	}
}

// try makes a call once, from a read where it changes what that shows.
func (w *oneWriter) try(call *callAtOnce) toolAnswer {
	args := call.kind.args(w, call.key)
	if call.kind.changes != nil {
		call.server.turn.Lock()
		defer call.server.turn.Unlock()
		which := map[string]string{"wiki": "path", "notes": "id"}[call.kind.profile]
		shown := <-call.server.call("get_note", map[string]any{which: args[which]})
		if !shown.ok {
			return shown
		}
		call.kind.changes(args, shown.text, call.key)
	}
	return <-call.server.call(call.kind.tool, args)
}

// check compares the note with the calls, and looks for claims that are left.
func (w *oneWriter) check() {
	w.t.Helper()
	for _, kind := range kindsOfCalls() {
		var calls []*callAtOnce
		for _, call := range w.calls {
			if call.kind.profile == kind.profile && call.kind.tool == kind.tool && fmt.Sprint(call.kind.args(w, "")) == fmt.Sprint(kind.args(w, "")) {
				calls = append(calls, call)
			}
		}
		if len(calls) == 0 {
			continue
		}
		if wrong := kind.check(w, calls); wrong != "" {
			w.t.Errorf("round %d: %s %s: %s", w.round, kind.profile, kind.tool, wrong)
		}
	}
	left := w.claims()
	if killed := slices.ContainsFunc(w.calls, func(c *callAtOnce) bool { return c.killed }); !killed && len(left) > 0 {
		w.t.Errorf("round %d: claims are left: %q", w.round, left)
	} else if killed { // those of a server that died go when the page is claimed, or with tidying
		require.NoError(w.t, w.reads(history.KindCLI).Tidy(w.t.Context()))
		if left = w.claims(); len(left) > 0 {
			w.t.Errorf("round %d: claims are left after tidying: %q", w.round, left)
		}
	}
}

// claims returns the claims that are in the journal.
func (w *oneWriter) claims() (left []string) {
	w.t.Helper()
	path := filepath.Join(history.Folder(runtime.GOOS, w.home, filepath.Join(w.home, "state")), "journal.db")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	require.NoError(w.t, err)
	defer conn.Close()
	require.NoError(w.t, sqlitex.Execute(conn, "SELECT page || ' by ' || agent FROM claim", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		left = append(left, row.ColumnText(0))
		return nil
	}}))
	return left
}
