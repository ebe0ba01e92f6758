//go:build campaign

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/store"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// hungryQueries hold as much as they can, each in another way. Those that need all
// memory and more are refused; the others are answered.
var hungryQueries = []struct {
	name string
	args []any
}{
	{"rows", []any{`[:find ?a ?b :where [?a :block/uid] [?b :block/uid]]`}},
	{"texts that are made", []any{`[:find ?t :where [(range 0 800) ?r] [(str ?r) ?s] [?e :block/uid] [?x :node/title] [(str ?s ?e ?x) ?t]]`}},
	{"pieces of texts that are made", []any{`[:find ?u :where [(range 0 800) ?r] [(str ?r) ?s] [?e :block/uid] [?x :node/title] [(str ?e "-" ?x ?s) ?t] [(subs ?t 0 12) ?u]]`}},
	{"a text that doubles", []any{`[:find (count ?j) . :where [?e :block/uid "b00000001"] [?e :block/string ?a] [(str ?a "abcdefghijklmnop") ?b] ` + doublings("str", 'b', 'j') + `]`}},
	{"lists", []any{`[:find ?v :where [?a :block/uid] [?b :block/uid] [(vector ?a ?b ?a) ?v]]`}},
	{"long lists", []any{`[:find (count ?r) . :where [?e :block/uid] [(range ?e 500000) ?r]]`}},
	{"lists within lists", []any{`[:find ?n . :where [(range 200000) ?a] [(vector ?a ?a) ?b] [(vector ?b ?b) ?c] [(count ?c) ?n]]`}},
	{"answers of rules", []any{`[:find (count ?a) . :in $ % :where (pair ?a ?b)]`, `[[(pair ?a ?b) [?a :block/uid] [?b :block/uid]]]`}},
	{"calls of rules", []any{`[:find (count ?a) . :in $ % :where [?a :block/uid] [?b :block/order] (both ?a ?b)]`, `[[(both ?a ?b) [?a :block/uid] [?b :block/uid]]]`}},
	{"suspended rules", []any{`[:find (count ?a) . :in $ % :where (reach ?a ?b)]`, `[[(reach ?a ?b) [?a :block/parents ?b]] [(reach ?a ?b) (reach ?a ?c) (reach ?b ?c)]]`}},
	{"pulls of pulls", []any{`[:find (pull ?e [* {:block/_page [* {:block/page [* {:block/_page [*]}]}]}]) :where [?e :node/title]]`}},
	{"a pull without limits", []any{`[:find (pull ?u [{:create/_user [:block/uid :block/string {(limit :block/refs nil) [* {(limit :block/_refs nil) [*]}]}]}]) . :where [?u :user/uid]]`}},
	{"regular expressions", []any{`[:find (count ?r) . :where [?e :block/uid ?u] [(str "(a?){500}" ?u "{900}") ?s] [(re-pattern ?s) ?r]]`}},
	{"matches", []any{`[:find (count ?m) :where [(range 300000) ?l] [(str ?l) ?s] [(re-pattern ".") ?r] [(re-seq ?r ?s) ?m]]`}},
	{"backtracking", []any{`[:find ?m . :where [(range 600000) ?l] [(str ?l) ?s] [(re-pattern "(?=.)(.|x)*$") ?r] [(re-find ?r ?s) ?m]]`}},
	{"long texts as JSON", []any{`[:find ?s ?n :where [(range 100) ?l] [(str ?l ?l ?l ?l) ?s] [?e :block/uid] [?e :create/time ?n]]`}},
	{"texts of the graph as JSON", []any{`[:find ?s ?t :where [?e :block/string ?s] [?p :node/title ?t] [?p :log/id]]`}},
	{"all blocks", []any{`[:find ?uid ?s ?e ?t :where [?e :block/uid ?uid] [?e :block/string ?s] [?e :edit/time ?t]]`}},
	{"aggregates", []any{`[:find (distinct ?s) (count-distinct ?e) (min 1000000 ?s) (median ?e) (sample 1000000 ?e) (rand 1000000 ?e) :where [?e :block/string ?s]]`}},
	{"many groups", []any{`[:find ?e (distinct ?c) (max 5 ?c) :where [?e :block/uid] [?e :block/page ?p] [?c :block/page ?p]]`}},
	{"values without an index", []any{`[:find (count ?b) . :where [?a :block/string ?s] [?b :block/string ?s]]`}},
	{"an input", []any{`[:find (count ?a) . :in $ [[?a ?b] ...] :where [?a :block/uid]]`, zeros(1_500_000)}},
	{"an input that is all brackets", []any{`[:find (count ?a) . :in $ [?a ...]]`, json.RawMessage("[" + strings.Repeat("[],", 4_000_000) + "[]]")}},
	{"a query of 20 MB", []any{`[:find ?a :where [?a :block/uid] ` + strings.Repeat(`[?a :block/uid "x"]`, 1_000_000) + `]`}},
	{"a query of 3 MB", []any{`[:find ?a :where [(ground [` + strings.Repeat(`[] `, 1_000_000) + `]) [?a ...]]]`}},
	{"a map", []any{`[:find (count ?g) . :where [?a :block/uid] [?b :block/uid] [(hash-map ?a ?b :k ?a) ?g]]`}},
	{"sets", []any{`[:find (count ?g) . :where [(range 900000) ?l] [(set ?l) ?g]]`}},
	{"characters", []any{`[:find (count ?g) . :where [(range 900000) ?l] [(str ?l) ?s] [(set ?s) ?g]]`}},
}

func doublings(function string, from, to byte) string {
	text := ""
	for c := from; c < to; c++ {
		text += "[(" + function + strings.Repeat(fmt.Sprintf(" ?%c", c), 8) + fmt.Sprintf(") ?%c] ", c+1)
	}
	return text
}

func zeros(n int) json.RawMessage {
	return json.RawMessage("[" + strings.Repeat("[0,1],", n) + "[0,1]]")
}

// queriesAndAllElse is what a sandbox with the graph below may take at most: twice what
// its queries may hold and what the graph takes, and 400 MB for what the requests of
// this test hold before and the garbage of their decoding.
const queriesAndAllElse = 2*(datalog.DefaultMemory+80<<20) + 400<<20

// TestEightHungryQueriesStayBelowTheCeiling prints a table for docs/benchmarks.md.
func TestEightHungryQueriesStayBelowTheCeiling(t *testing.T) {
	program := programPath(t, "roam-mcp")
	home := t.TempDir()
	folder, err := store.OpenFolder(filepath.Join(home, ".roam-sandbox"))
	require.NoError(t, err)
	shape := graphtest.Options{Blocks: 100_000, Seed: 1}
	data, err := folder.CreateFrom(t.Context(), killedGraph, store.Options{}, graphtest.UserUID, graphtest.Datoms(shape))
	require.NoError(t, err)
	require.NoError(t, data.Close())
	folder.Close()
	for _, q := range hungryQueries {
		t.Run(q.name, func(t *testing.T) {
			peaks := [2]int64{}
			var outcome string
			for i, together := range []int{1, 8} {
				s := &hungrySandbox{killing: &killing{t: t, program: program, home: home}}
				process := s.start()
				grant, err := s.client.RequestToken(t.Context(), localapi.TokenRequest{Graph: killedGraph, AccessLevel: localapi.ReadOnly, Description: "a test"})
				require.NoError(t, err)
				s.token = grant.Token
				var done sync.WaitGroup
				answers := make([]string, together)
				for n := range together {
					done.Go(func() { answers[n] = s.ask(q.args) })
				}
				done.Wait()
				outcome = answers[0]
				peaks[i] = peakOf(t, process)
				s.mustBeWell()
				_ = process.Process.Kill()
				_ = process.Wait()
			}
			t.Logf("| %s | %d MB | %d MB | %s |", q.name, peaks[0]>>20, peaks[1]>>20, outcome)
			if peaks[0] > queriesAndAllElse || peaks[1] > queriesAndAllElse {
				t.Errorf("more than %d MB", queriesAndAllElse>>20)
			}
		})
	}
}

// hungrySandbox is a sandbox in a process of its own.
type hungrySandbox struct{ *killing }

// ask returns what the sandbox says to a query, in short.
func (s *hungrySandbox) ask(args []any) string {
	body, err := json.Marshal(map[string]any{"action": "data.q", "args": args, "expectedApiVersion": localapi.APIVersion})
	require.NoError(s.t, err)
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url()+"/api/"+killedGraph.Name, bytes.NewReader(body))
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+s.token.Reveal())
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Error(err)
		return ""
	}
	defer response.Body.Close()
	first, _ := io.ReadAll(io.LimitReader(response.Body, 300))
	rest, err := io.Copy(io.Discard, response.Body)
	if err != nil {
		s.t.Error(err)
	}
	if response.StatusCode != http.StatusOK {
		_, message, _ := strings.Cut(string(first), `"message":"`)
		message, _, _ = strings.Cut(message, `"`)
		return message
	}
	return fmt.Sprintf("answered, %d bytes", int64(len(first))+rest)
}

func (s *hungrySandbox) url() string {
	text, err := os.ReadFile(filepath.Join(s.home, localapi.PortFileName))
	require.NoError(s.t, err)
	var file struct{ Port int }
	require.NoError(s.t, json.Unmarshal(text, &file))
	return fmt.Sprintf("http://127.0.0.1:%d", file.Port)
}

// mustBeWell asks for what needs a good deal of memory, which must be there again.
func (s *hungrySandbox) mustBeWell() {
	var answer string
	await.Condition(s.t, "an answer to a modest query", func() bool {
		answer = s.ask([]any{`[:find ?uid ?s :where [?e :block/uid ?uid] [?e ` + string(graphdb.BlockString) + ` ?s]]`})
		return strings.HasPrefix(answer, "answered")
	})
}

// peakOf returns the most memory that a process has had, in bytes.
func peakOf(t *testing.T, process *exec.Cmd) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.Process.Pid))
	if err != nil {
		t.Skip("the system does not tell how much memory a process has had")
	}
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.ParseInt(strings.Fields(line)[0], 10, 64)
	require.NoError(t, err)
	return kilobytes << 10
}
