package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
)

var testGraph = localapi.Graph{Name: "confidential", Type: localapi.Offline}

// bench is a sandbox with a graph of a few blocks. Each call of its probes is watched: a write
// that names what no probe made fails the test.
type bench struct {
	*faultroam.Roam
	home    string
	client  *localapi.Client
	options Options
	ahead   atomic.Int64 // how far its clock goes ahead, in ns
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return benchOf(t, sandbox.Options{New: []sandbox.NewGraph{{Graph: testGraph, Blocks: 60}}})
}

// newQuickBench is newBench with an empty graph that is not on disk.
func newQuickBench(t *testing.T) *bench {
	t.Helper()
	return benchOf(t, sandbox.Options{InMemory: []sandbox.InMemory{{Graph: testGraph, Datoms: func(func(graphdb.Datom, error) bool) {}}}})
}

func benchOf(t *testing.T, options sandbox.Options) *bench {
	t.Helper()
	b := &bench{home: t.TempDir()}
	var err error
	options.Home, options.Policy = b.home, desk.Allow
	options.Now = func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) }
	b.Roam, err = faultroam.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	b.client = localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(b.home, localapi.PortFileName), Strict: true}})
	t.Cleanup(b.client.CloseIdleConnections)
	foreign := "" // all that was there before
	if len(options.InMemory) == 0 {
		foreign = b.export(t)
	}
	watched := callerFunc(func(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error) {
		checkOwn(t, foreign, action, args)
		return b.client.Call(ctx, graph, token, action, args...)
	})
	b.options = Options{Caller: watched, Graph: testGraph, Token: b.token(t, localapi.Full), Folder: t.TempDir(), WritesPerSecond: 1_000_000}
	return b
}

func (b *bench) token(t *testing.T, level localapi.AccessLevel) localapi.Token {
	t.Helper()
	grant, err := b.client.RequestToken(t.Context(), localapi.TokenRequest{Graph: testGraph, AccessLevel: level, Description: "test"})
	require.NoError(t, err)
	return grant.Token
}

// rest lets a minute pass by the sandbox's clock, in which so many writes may be made.
func (b *bench) rest() { b.ahead.Add(int64(2 * time.Minute)) }

// probe runs one with a caller.
func (b *bench) probe(t *testing.T, caller Caller) Report {
	t.Helper()
	o := b.options
	if caller != nil {
		o.Caller = caller
	}
	report, err := Run(t.Context(), o)
	require.NoError(t, err)
	return report
}

// export returns the whole graph.
func (b *bench) export(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, sandbox.ExportJSON(t.Context(), sandbox.ExportOptions{Home: b.home, Graph: testGraph.Name}, &out))
	return out.String()
}

// differences lists the answers that are not as expected, as "id=found" or "id?".
func differences(report Report) (out []string) {
	for _, c := range report.File.Checks {
		switch c.Verdict {
		case Differ:
			out = append(out, c.ID+"="+c.Found)
		case Untold:
			out = append(out, c.ID+"?")
		case Same:
		}
	}
	return out
}

// callerFunc is a Caller that is a function.
type callerFunc func(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error)

func (f callerFunc) Call(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error) {
	return f(ctx, graph, token, action, args...)
}

func TestEachBeliefHasItsCheck(t *testing.T) {
	var ids []string
	for _, check := range Checks() {
		ids = append(ids, check.ID)
		if check.Follows == "" || !strings.HasSuffix(check.Follows, ".") {
			t.Errorf("%s: %q is no sentence", check.ID, check.Follows)
		}
	}
	for i, belief := range Beliefs() {
		if i >= len(ids) || ids[i] != belief.ID {
			t.Fatalf("the checks are %v, and the belief %d is %s", ids, i, belief.ID)
		}
	}
	if len(ids) != len(Beliefs()) {
		t.Errorf("%d checks for %d beliefs", len(ids), len(Beliefs()))
	}
}

func TestASandboxDoesAsExpected(t *testing.T) {
	b := newBench(t)
	b.probe(t, nil) // it makes the page of whoever writes
	before := b.export(t)
	var calls atomic.Int32
	report := b.probe(t, callerFunc(func(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error) {
		calls.Add(1)
		checkOwn(t, before, action, args)
		return b.client.Call(ctx, graph, token, action, args...)
	}))
	if got := differences(report); len(got) > 0 {
		t.Errorf("otherwise: %v %v", got, report.Why)
	}
	if len(report.Left) > 0 || !report.File.Cleaned || b.export(t) != before {
		t.Errorf("left: %v", report.Left)
	}
	if calls.Load() > maxRequests {
		t.Errorf("%d requests", calls.Load())
	}
	if f := report.File; f.GraphType != "offline" || f.APIVersion != localapi.APIVersion || f.Encrypted == nil || *f.Encrypted {
		t.Errorf("the file says %+v", f)
	}
	if files, _ := os.ReadDir(b.options.Folder); len(files) > 0 {
		t.Errorf("lists are left: %v", files)
	}
}

var aName = regexp.MustCompile(`"(?:uid|parent-uid|title|page-title)":"([^"]*)"|\[\[([^\[\]]*)\]\]|\(\(([^()]*)\)\)|#([A-Za-z0-9]+)`)

// checkOwn fails if a call that is no read names anything that an export has, or a page
// whose title is not a probe's.
func checkOwn(t *testing.T, export, action string, args []any) {
	data, err := json.Marshal(args)
	if err != nil || !strings.HasPrefix(action, "data.block.") && !strings.HasPrefix(action, "data.page.") && action != "batchActions" {
		return
	}
	for _, found := range aName.FindAllStringSubmatch(string(data), -1) {
		for i, name := range found[1:] {
			link := i == 1 || strings.HasPrefix(found[0], `"title"`)
			if name != "" && (strings.Contains(export, strconv.Quote(name)) || link && !strings.HasPrefix(name, TitleStart)) || i == 3 && name != "" {
				t.Errorf("%s names %q: %s", action, name, data)
			}
		}
	}
}

func TestWhatCanNotBeKnownIsNotTried(t *testing.T) {
	for name, tc := range map[string]struct {
		level    localapi.AccessLevel
		switches string
		untold   string // one that is
		told     string // one that is not
	}{
		"with a token that only reads":     {localapi.ReadOnly, "", "silent", "error-token"},
		"with a token that only appends":   {localapi.ReadAppend, "", "edit-time", "error-token"},
		"with a Roam without batches":      {localapi.Full, "no-batch", "batch-form", "silent"},
		"with a Roam without some queries": {localapi.Full, "fail=data.pull_many:no such action", "", "silent"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.options.Token = b.token(t, tc.level)
			if tc.switches != "" {
				require.NoError(t, b.Turn(tc.switches))
			}
			report := b.probe(t, nil)
			for _, c := range report.File.Checks {
				if c.ID == tc.untold && c.Verdict != Untold || c.ID == tc.told && c.Verdict != Same {
					t.Errorf("%s: %s %s", c.ID, c.Verdict, c.Found)
				}
				if c.Verdict == Untold && report.Why[c.ID] == "" {
					t.Errorf("%s does not say why", c.ID)
				}
			}
		})
	}
}

func TestNothingIsMadeWithoutAList(t *testing.T) {
	b := newBench(t)
	before := b.export(t)
	folder := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	b.options.Folder = folder
	_, err := Run(t.Context(), b.options)
	if problem.CodeOf(err) != CodeList || b.export(t) != before {
		t.Errorf("%v", err)
	}
}

func TestAListThatCanNotBeWrittenAnyMoreStaysAFailure(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "probe")
	made, err := newList(folder, testGraph, "bcdfghjk")
	require.NoError(t, err)
	t.Cleanup(func() { _ = made.lock.Close() })
	require.NoError(t, os.RemoveAll(folder))
	for range 2 { // the second time nothing is new
		if err := made.add([]string{"own-block"}, nil); problem.CodeOf(err) != CodeList {
			t.Errorf("%v", err)
		}
	}
}

func TestAWriteThatNamesSomethingElseIsRefused(t *testing.T) {
	made, err := newList(t.TempDir(), testGraph, "bcdfghjk")
	require.NoError(t, err)
	require.NoError(t, made.add([]string{"own-block"}, []string{TitleStart + "bcdfghjk"}))
	s := newSender(Options{WritesPerSecond: 1000, Caller: callerFunc(func(context.Context, localapi.Graph, localapi.Token, string, ...any) (localapi.Reply, error) {
		return localapi.Reply{}, nil
	})}, made, 100)
	for name, tc := range map[string]struct {
		action string
		arg    object
		sent   bool
	}{
		"a text in a block of its own":        {"data.block.update", part("own-block", "string", "bcdfghjk one"), true},
		"a link to a page of its own":         {"data.block.update", part("own-block", "string", "[["+TitleStart+"bcdfghjk]]"), true},
		"a foreign block":                     {"data.block.update", part("other", "string", "one"), false},
		"a foreign parent":                    {"data.block.create", object{"location": at("other", 0), "block": object{"string": "one"}}, false},
		"a foreign title":                     {"data.page.create", object{"page": object{"title": "Diary"}}, false},
		"a place by title":                    {"data.block.create", object{"location": object{"page-title": "Diary"}, "block": object{"string": "one"}}, false},
		"a link that makes a page":            {"data.block.update", part("own-block", "string", "see [[Diary]]"), false},
		"a tag that makes a page":             {"data.block.update", part("own-block", "string", "#diary"), false},
		"an attribute that makes a page":      {"data.block.update", part("own-block", "string", "Diary:: one"), false},
		"a reference to a foreign block":      {"data.block.update", part("own-block", "string", "((other-one))"), false},
		"markdown with a link":                {"data.block.fromMarkdown", object{"location": at("own-block", 0), "markdown-string": "- one\n  - [[Diary]]"}, false},
		"a foreign block among its own":       {"data.block.reorderBlocks", object{"location": object{"parent-uid": "own-block"}, "blocks": []string{"own-block", "other"}}, false},
		"a foreign block in a batch":          {"batchActions", object{"actions": []object{{"action": "create-block", "location": at("other", 0), "block": object{"string": "one"}}}}, false},
		"a shortcut":                          {"data.page.addShortcut", object{"uid": "own-block"}, false},
		"an undo":                             {"data.undo", object{}, false},
		"an argument that nobody knows":       {"data.block.update", object{"block": object{"uid": "own-block", "emojis": "one"}}, false},
		"a foreign page":                      {"data.page.delete", object{"page": object{"uid": "other"}}, false},
		"a window, which is not its business": {"ui.mainWindow.openPage", object{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.send(t.Context(), tc.action, tc.arg)
			if (err == nil) != tc.sent || !tc.sent && !errors.Is(err, errNotOurs) {
				t.Errorf("%v", err)
			}
		})
	}
}

// killed is a connection that is gone from one call on. Where late, that call reaches Roam,
// and its reply is lost.
type killed struct {
	Caller
	after atomic.Int32
	late  bool
}

var errKilled = &problem.Error{Code: localapi.CodeConnectionFailed, Call: &problem.Call{Sent: true}}

func (k *killed) Call(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error) {
	left := k.after.Add(-1)
	if left == 0 && k.late {
		_, _ = k.Caller.Call(ctx, graph, token, action, args...)
	}
	if left <= 0 {
		return localapi.Reply{}, errKilled
	}
	return k.Caller.Call(ctx, graph, token, action, args...)
}

// killAndClean kills a probe at a call, and returns what cleaning leaves.
func (b *bench) killAndClean(t *testing.T, at int32, late bool, meanwhile func()) []Left {
	t.Helper()
	b.rest()
	k := &killed{Caller: b.options.Caller, late: late}
	k.after.Store(at)
	o := b.options
	o.Caller = k
	_, _ = Run(t.Context(), o)
	meanwhile()
	left, _, err := Clean(t.Context(), b.options)
	require.NoError(t, err)
	return left
}

func TestAKilledProbeIsCleanedAfter(t *testing.T) {
	b := newBench(t)
	b.probe(t, nil)
	before := b.export(t)
	for i, at := range []int32{1, 2, 3, 4, 5, 9, 20, 47, 80, 120, 170, 200, 230, 260, 300} {
		if race.Enabled && i%4 != 0 {
			continue
		}
		left := b.killAndClean(t, at, i%2 == 0, func() {})
		if len(left) > 0 || b.export(t) != before {
			t.Fatalf("killed at call %d: left %v", at, left)
		}
	}
}

// write is a person's own write.
func (b *bench) write(t *testing.T, action string, arg object) {
	t.Helper()
	_, err := b.client.Call(t.Context(), testGraph, b.options.Token, action, arg)
	require.NoError(t, err)
}

// ownPages returns the uids of the pages of probes.
func (b *bench) ownPages(t *testing.T) (uids []string) {
	t.Helper()
	reply, err := b.client.Call(t.Context(), testGraph, b.options.Token, "q", `[:find ?u ?t :where [?p :node/title ?t] [?p :block/uid ?u]]`)
	require.NoError(t, err)
	var rows [][2]string
	require.NoError(t, json.Unmarshal(reply.Result, &rows))
	for _, row := range rows {
		if strings.HasPrefix(row[1], TitleStart) {
			uids = append(uids, row[0])
		}
	}
	return uids
}

func TestWhatAPersonWritesThereStays(t *testing.T) {
	for name, write := range map[string]func(t *testing.T, b *bench, page string){
		"below the page": func(t *testing.T, b *bench, page string) {
			b.write(t, "data.block.create", object{"location": at(page, 0), "block": object{"string": "my own words"}})
		},
		"in a block of the probe": func(t *testing.T, b *bench, page string) {
			a := &asking{run: &run{sender: newSender(b.options, &list{}, 10)}}
			blocks := a.children(t.Context(), page)
			require.NoError(t, a.err)
			b.write(t, "data.block.update", part(blocks[0].uid, "string", blocks[0].text+" my own words"))
		},
		"elsewhere, with a link to the page": func(t *testing.T, b *bench, page string) {
			a := &asking{run: &run{sender: newSender(b.options, &list{}, 10)}}
			rows := a.rows(t.Context(), "?t", `[?p :block/uid `+quote(page)+`] [?p :node/title ?t]`)
			require.NoError(t, a.err)
			b.write(t, "data.page.fromMarkdown", object{"page": object{"title": "Diary"}, "markdown-string": "my own words on [[" + unquoted(rows[0][0]) + "]]"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			left := b.killAndClean(t, 60, false, func() { write(t, b, b.ownPages(t)[0]) })
			if !slices.ContainsFunc(left, func(l Left) bool { return l.Foreign }) || !strings.Contains(b.export(t), "my own words") {
				t.Errorf("left %v", left)
			}
		})
	}
}

func TestACheckThatAPersonDisturbsIsNotTold(t *testing.T) {
	b := newBench(t)
	var once sync.Once
	report := b.probe(t, callerFunc(func(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error) {
		if action == "data.block.reorderBlocks" && strings.Contains(fmt.Sprint(args), "parent-uid") {
			location := args[0].(object)["location"].(object)
			once.Do(func() {}) // the first one is of a parent that is missing
			_, _ = b.client.Call(ctx, graph, token, "data.block.create", object{"location": location, "block": object{"string": "my own words"}})
		}
		return b.client.Call(ctx, graph, token, action, args...)
	}))
	if got := differences(report); !slices.Equal(got, []string{"reorder-partial?"}) {
		t.Errorf("%v %v", got, report.Why)
	}
	if len(report.Left) != 1 || !report.Left[0].Foreign || report.File.Cleaned || !strings.Contains(b.export(t), "my own words") {
		t.Errorf("left %v", report.Left)
	}
}

func TestAClosedRoamIsToldBeforeAnythingIsMade(t *testing.T) {
	b := newBench(t)
	for name, gone := range map[string]error{"a Roam that is closed": errKilled, "a token that was revoked": &problem.Error{Code: localapi.CodeTokenNotFound, Call: &problem.Call{Status: 401}}} {
		o := b.options
		o.Caller = callerFunc(func(context.Context, localapi.Graph, localapi.Token, string, ...any) (localapi.Reply, error) {
			return localapi.Reply{}, gone
		})
		report, err := Run(t.Context(), o)
		if !errors.Is(err, gone) || len(report.Left) > 0 {
			t.Errorf("%s: %v, left %v", name, err, report.Left)
		}
	}
}

func TestPagesThatCanNotBeRemovedAreNamed(t *testing.T) {
	b := newBench(t)
	require.NoError(t, b.Turn("fail=data.page.delete:not today"))
	report := b.probe(t, nil)
	if len(report.Left) == 0 || report.File.Cleaned {
		t.Errorf("left %v", report.Left)
	}
	for _, each := range report.Left {
		if !strings.HasPrefix(each.Title, TitleStart) || each.Foreign {
			t.Errorf("%+v", each)
		}
	}
	require.NoError(t, b.Turn("fail=off"))
	if left, removed, err := Clean(t.Context(), b.options); len(left) > 0 || removed != 1 || err != nil {
		t.Errorf("left %v, removed %d, %v", left, removed, err)
	}
}

func TestARoamThatBreaksOffIsTold(t *testing.T) {
	b := newBench(t)
	k := &killed{Caller: b.client}
	k.after.Store(90)
	report := b.probe(t, k)
	if !report.Gone || report.File.Cleaned || len(report.Left) == 0 || report.Count(Same) == 0 || report.Count(Untold) == 0 {
		t.Errorf("gone %v, left %v, %v", report.Gone, report.Left, differences(report))
	}
}

func TestAProbeThatIsInterruptedCleans(t *testing.T) {
	b := newBench(t)
	b.probe(t, nil)
	before := b.export(t)
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int32
	o := b.options
	o.Caller = callerFunc(func(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error) {
		if calls.Add(1) == 70 {
			cancel()
		}
		return b.client.Call(ctx, graph, token, action, args...)
	})
	report, err := Run(ctx, o)
	require.NoError(t, err)
	if !report.File.Cleaned || b.export(t) != before {
		t.Errorf("left %v", report.Left)
	}
}

func TestTwoProbesAtOnceLeaveEachOtherAlone(t *testing.T) {
	b := newBench(t)
	b.probe(t, nil)
	before := b.export(t)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			_, _, _ = Clean(t.Context(), b.options)
			report, err := Run(t.Context(), b.options)
			if got := differences(report); err != nil || len(got) > 0 || !report.File.Cleaned {
				t.Errorf("%v %v %v %v", err, got, report.Why, report.Left)
			}
		})
	}
	both.Wait()
	if b.export(t) != before {
		t.Error("something is left")
	}
}

func TestNoSecretIsInTheFile(t *testing.T) {
	b := newBench(t)
	const secret = "sesame"
	b.write(t, "data.page.fromMarkdown", object{"page": object{"title": "My " + secret}, "markdown-string": "- the " + secret + " is [[" + secret + "]]"})
	b.options.Hidden = []string{testGraph.Name, "Nick"}
	// A Roam that says more than it should: in failures, and beside what was asked for.
	report := b.probe(t, callerFunc(func(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error) {
		reply, err := b.client.Call(ctx, graph, token, action, args...)
		if e, ok := problem.AsCall(err); ok {
			said, call := *e, *e.Call
			call.Status, call.Text = 418, `"`+secret+`" in `+testGraph.Name+`, by Nick with `+b.options.Token.Reveal()
			said.Call = &call
			return reply, &said
		}
		if len(reply.Result) > 0 && reply.Result[0] == '{' {
			reply.Result = append(json.RawMessage(`{"user": "`+secret+`", "list": ["`+secret+` 2"], `), reply.Result[1:]...)
		}
		return reply, err
	}))
	data, err := json.Marshal(report.File)
	require.NoError(t, err)
	if report.Count(Differ) < 5 {
		t.Errorf("only %v", differences(report))
	}
	for _, word := range []string{secret, testGraph.Name, "Nick", b.options.Token.Reveal()} {
		if strings.Contains(string(data), word) {
			t.Errorf("%s is in %s", word, data)
		}
	}
}

func TestWhatRoamSaysOfAFailureIsKeptWithoutNames(t *testing.T) {
	s := &sender{Options: Options{Hidden: []string{"al", "my-graph", ""}}}
	for said, want := range map[string]string{
		"The value is not known":    "The value is not known",
		"Page \"Diary\" is there":   "Page (text) is there",
		"My-graph has no such page": "(text)",
		"It was changed by Al.":     "(text)",
		"":                          "",
	} {
		if got := s.errorText(said); got != want {
			t.Errorf("%q: %q", said, got)
		}
	}
}
