package evaluation_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/tools/evaluation"
)

type (
	script = evaluation.Script
	args   = evaluation.Args
)

// borrowedTask is something to do in the help graph with the tools of a profile, in the
// calls that a careful agent makes who reads what it is told.
type borrowedTask struct {
	name string
	do   func(s *script) evaluation.Reply // the reply that has what was asked for
	want string                           // a pattern that matches it
}

// borrowedProfile is a profile with its tasks.
type borrowedProfile struct {
	name  string
	most  int // bytes of all tasks together; 0: no bound
	tasks []borrowedTask
}

// TestBorrowedProfilesTakeFewCalls does eight tasks in each of the profiles that stand for
// other systems, and writes their table in docs/benchmarks.md.
func TestBorrowedProfilesTakeFewCalls(t *testing.T) {
	helpgraph.Path(t, "help.json")
	text, err := os.ReadFile(benchmarks)
	require.NoError(t, err)
	suite := newSuite(t)
	var table strings.Builder
	table.WriteString("| profile | calls | KB |\n|---|---|---|\n")
	for _, profile := range borrowedProfiles() {
		if len(profile.tasks) != 8 {
			t.Errorf("%s has %d tasks", profile.name, len(profile.tasks))
		}
		var sum cost
		for _, task := range profile.tasks {
			t.Run(profile.name+"/"+task.name, func(t *testing.T) {
				took := doBorrowed(t, suite, profile.name, task)
				sum.calls, sum.bytes = sum.calls+took.calls, sum.bytes+took.bytes
				t.Logf("%d calls, %d bytes", took.calls, took.bytes)
			})
		}
		if profile.most > 0 && sum.bytes > profile.most {
			t.Errorf("the tasks of %s take %d bytes; at most %d", profile.name, sum.bytes, profile.most)
		}
		fmt.Fprintf(&table, "| %s | %d | %s |\n", profile.name, sum.calls, steady(string(text), profile.name, sum))
	}
	if !t.Failed() {
		golden.Section(t, benchmarks, "<!-- borrowed -->\n", "<!-- /borrowed -->", table.String())
	}
}

func doBorrowed(t *testing.T, suite *evaluation.Suite, profile string, task borrowedTask) cost {
	t.Helper()
	w, err := suite.Start(t.Context(), evaluation.Task{Name: strings.ReplaceAll(task.name, " ", "-"), Graph: evaluation.Help})
	require.NoError(t, err)
	s := evaluation.NewScript(t.Context(), connect(t, w, profile), w.Today, nil)
	reply := task.do(s)
	require.NoError(t, s.Err())
	if !regexp.MustCompile(task.want).MatchString(string(reply)) {
		t.Errorf("the last reply does not match %q:\n%.2000s", task.want, reply)
	}
	_, err = w.Finish(context.WithoutCancel(t.Context()), "")
	require.NoError(t, err)
	return cost{calls: s.Calls, bytes: s.Bytes}
}

func borrowedProfiles() []borrowedProfile {
	return []borrowedProfile{
		{name: "graph", tasks: graphTasks()},
		{name: "notes", most: 40_000, tasks: notesTasks()},
		{name: "outline", tasks: outlineTasks()},
		{name: "wiki", tasks: wikiTasks()},
	}
}

func graphTasks() []borrowedTask {
	return []borrowedTask{
		{"finds by meaning", func(s *script) evaluation.Reply {
			return s.Call("search", args{"query": "losing the password of encrypted notes", "limit": 5})
		}, "Encrypted Graphs"},
		{"reads a node with its neighbors", func(s *script) evaluation.Reply {
			return s.Call("get_node", args{"id": "Slider", "depth": 1})
		}, `"neighbors":\[\{`},
		{"reads a long node to its end", func(s *script) evaluation.Reply {
			var reply evaluation.Reply
			for from := 0; from >= 0 && s.Err() == nil; from = goesOn(reply) {
				reply = s.Call("get_node", args{"id": "White Paper", "offset": from})
			}
			return reply
		}, `"content":"`},
		{"finds how two pages are connected", func(s *script) evaluation.Reply {
			reply := s.Call("find_path", args{"source": "Indentation", "target": "Kanban"})
			if strings.HasPrefix(string(reply), "null") {
				reply = s.Call("find_path", args{"source": "Indentation", "target": "Kanban", "undirected": true})
			}
			return reply
		}, `"length":`},
		{"reads a node whose name it has nearly", func(s *script) evaluation.Reply {
			reply := s.Call("get_node", args{"id": "Encrypted Graph"})
			if strings.HasPrefix(string(reply), "null") {
				reply = s.Call("get_node", args{"id": firstNear(reply)})
			}
			return reply
		}, "Limitations of encrypted graphs"},
		{"ranks pages by links", func(s *script) evaluation.Reply {
			return s.Call("get_hubs", args{"limit": 5})
		}, `"score":`},
		{"lists what links to a page", func(s *script) evaluation.Reply {
			return s.Call("get_neighbors", args{"id": "Block References", "direction": "in", "limit": 10})
		}, `"direction":"(in|both)"`},
		{"makes a node and tags it", func(s *script) evaluation.Reply {
			s.Call("create_node", args{"title": "Reading list", "content": "- [[Zettelkasten]]\n- [[Pages]]", "tags": []string{"books"}})
			return s.Call("update_node", args{"id": "Reading list", "tags": []string{"books", "later"}})
		}, `"later"`},
	}
}

func notesTasks() []borrowedTask {
	return []borrowedTask{
		{"finds a note by words", func(s *script) evaluation.Reply {
			return s.Call("search_notes", args{"query": "encrypted graph"})
		}, "Encrypted Graphs"},
		{"lists what changed last", func(s *script) evaluation.Reply {
			return s.Call("get_notes", args{"limit": 5})
		}, `"updatedAt"`},
		{"reads a note", func(s *script) evaluation.Reply {
			return s.Call("get_note", args{"id": "Slider"})
		}, "Sliders are good"},
		{"lists the notes with a label", func(s *script) evaluation.Reply {
			return s.Call("search_notes", args{"query": "label:indentation", "limit": 5})
		}, `"labels":\[[^\]]*"Indentation"`},
		{"corrects a line of a note", func(s *script) evaluation.Reply {
			read := s.Call("get_note", args{"id": "Slider"})
			return s.Call("update_note", args{"id": read.Text("id"), "content": strings.Replace(read.Text("content"), "Sliders are good", "Sliders are fine", 1)})
		}, "Sliders are fine"},
		{"makes a checklist and ticks an item", func(s *script) evaluation.Reply {
			s.Call("create_note", args{"title": "Packing", "content": "", "type": "checklist", "checkItems": []args{{"text": "socks"}, {"text": "map"}, {"text": "tea"}}})
			return s.Call("update_note", args{"id": "Packing", "checkItems": []args{{"text": "socks", "checked": true}, {"text": "map"}, {"text": "tea"}}})
		}, `"text":"socks","checked":true`},
		{"labels, pins and archives a note", func(s *script) evaluation.Reply {
			s.Call("update_note", args{"id": "Kanban", "labels": []string{"boards"}, "isPinned": true})
			return s.Call("toggle_archive", args{"id": "Kanban"})
		}, `"isArchived":true`},
		{"finds notes that are long", func(s *script) evaluation.Reply {
			return s.Call("search_notes", args{"query": "Paul Graham", "limit": 3})
		}, "What You Can't Say"},
	}
}

func outlineTasks() []borrowedTask {
	return []borrowedTask{
		{"tells what it can do", func(s *script) evaluation.Reply {
			return s.Call("get_capabilities", args{})
		}, `"enabled"`},
		{"finds a block by words", func(s *script) evaluation.Reply {
			return s.Call("search", args{"query": "encrypted graph", "limit": 5})
		}, "Encrypted Graphs"},
		{"reads a page", func(s *script) evaluation.Reply {
			return s.Call("get_page_content", args{"page_name": "Slider"})
		}, "Sliders are good"},
		{"makes a page and changes a block deep in it", func(s *script) evaluation.Reply {
			made := s.Call("create_page", args{"title": "Trip", "content": "- pack\n  - socks\n  - map\n- book"})
			return s.Call("update_block", args{"block_uuid": madeBlock(made, 2), "content": "map of the coast"})
		}, `"success":true`},
		{"adds to a page and marks what it added", func(s *script) evaluation.Reply {
			made := s.Call("update_page", args{"page_name": "Slider", "content_append": "- To look at\n  - on a phone\n  - in a table"})
			return s.Call("update_block", args{"block_uuid": madeBlock(made, 2), "properties": args{"status": "open"}})
		}, `"success":true`},
		{"adds several blocks", func(s *script) evaluation.Reply {
			first := s.Call("create_block", args{"page_name": "Slider", "content": "- one\n- two\n- three"})
			if !strings.Contains(string(first), "3 bullets") {
				s.Fail("it does not say that the bullets became one block: %s", first)
			}
			s.Call("delete_block", args{"block_uuid": first.Text("block_uuid")})
			return s.Call("update_page", args{"page_name": "Slider", "content_append": "- one\n- two\n- three"})
		}, `"success":true`},
		{"lists open tasks", func(s *script) evaluation.Reply {
			return s.Call("datascript_query", args{"query": `[:find ?c :where [?b :block/marker "TODO"] [?b :block/content ?c]]`, "limit": 10})
		}, "TODO"},
		{"moves a block", func(s *script) evaluation.Reply {
			page := s.Call("get_page_content", args{"page_name": "Slider", "format": "json", "block_depth": 1})
			return s.Call("move_block", args{"block_uuid": blockWith(page, "Sliders are good"), "target_page_name": "Kanban"})
		}, `"success":true`},
	}
}

func wikiTasks() []borrowedTask {
	return []borrowedTask{
		{"finds notes by words", func(s *script) evaluation.Reply {
			return s.Call("search_notes", args{"query": "encrypted graph"})
		}, "Encrypted Graphs"},
		{"finds notes with many tags", func(s *script) evaluation.Reply {
			return s.Call("search_notes", args{"query": "tag:*", "limit": 20})
		}, "Found"},
		{"reads a note", func(s *script) evaluation.Reply {
			return s.Call("get_note", args{"path": "Slider"})
		}, "Sliders are good"},
		{"lists what changed in the last hour", func(s *script) evaluation.Reply {
			s.Call("create_note", args{"path": "Reading list", "title": "Reading list", "content": "- [[Zettelkasten]]"})
			return s.Call("recent_notes", args{"since": "1h"})
		}, "Reading list"},
		{"lists what changed since a day", func(s *script) evaluation.Reply {
			s.Call("create_note", args{"path": "Reading list", "title": "Reading list", "content": "- [[Zettelkasten]]"})
			return s.Call("recent_notes", args{"since": "yesterday"})
		}, "Reading list"},
		{"lists what links to a note", func(s *script) evaluation.Reply {
			return s.Call("get_backlinks", args{"path": "Block References", "limit": 10})
		}, "(?i)link"},
		{"tags a note", func(s *script) evaluation.Reply {
			return s.Call("update_note", args{"path": "Slider", "add_tags": []string{"components"}})
		}, "components|Updated"},
		{"adds a line to a note", func(s *script) evaluation.Reply {
			return s.Call("edit_note", args{"path": "Slider", "append": "- looked at on a phone"})
		}, "(?i)slider"},
	}
}

// goesOn returns the offset with which a node that was cut is read on; -1: it was not.
func goesOn(reply evaluation.Reply) int {
	next := -1
	if at := regexp.MustCompile(`with offset (\d+)`).FindStringSubmatch(string(reply)); at != nil {
		_, _ = fmt.Sscan(at[1], &next)
	}
	return next
}

// firstNear returns the first title that a node which is not there may have meant.
func firstNear(reply evaluation.Reply) string {
	at := regexp.MustCompile(`Near: "([^"]*)"`).FindStringSubmatch(string(reply))
	if at == nil {
		return ""
	}
	return at[1]
}

// madeBlock returns the uid of one of the blocks that a write has made, from 0 in the order
// of its content.
func madeBlock(reply evaluation.Reply, n int) string {
	uids, _ := reply.Decode()["block_uuids"].([]any)
	if n >= len(uids) {
		return ""
	}
	uid, _ := uids[n].(string)
	return uid
}

// blockWith returns the uid of the block in a reply of outline whose text has some words.
func blockWith(reply evaluation.Reply, words string) string {
	at := regexp.MustCompile(`"block_uuid":"([^"]*)","content":"[^"]*` + regexp.QuoteMeta(words)).FindStringSubmatch(string(reply))
	if at == nil {
		return ""
	}
	return at[1]
}
