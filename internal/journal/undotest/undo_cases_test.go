package undotest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/rebuild"
	"roam-mcp/internal/testutil/require"
)

// step is a call of a tool of the profile roam, or with the name of an action of Roam what a person
// does.
type step struct {
	name string
	args fields
}

// TestUndoOf undoes what is easily undone wrongly, each case alone, does it again, and undoes it
// once more.
func TestUndoOf(t *testing.T) {
	page := func(title, uid, markdown string) []step {
		return []step{{"data.page.create", fields{"page": fields{"title": title, "uid": uid}}}, {"data.block.fromMarkdown", fields{"location": fields{"parent-uid": uid}, "markdown-string": markdown}}}
	}
	block := func(parent, uid, text string) step {
		return step{"data.block.create", fields{"location": fields{"parent-uid": parent, "order": "last"}, "block": fields{"uid": uid, "string": text}}}
	}
	many := strings.Builder{}
	for i := range 120 {
		fmt.Fprintf(&many, "- block %d [[Many]]\n  - below %d\n", i, i)
	}
	for name, tc := range map[string]struct {
		given []step // by a person, before
		steps []step
	}{
		"titles that are nested four deep": {
			given: append(page("A", "aaaaaaaaa", "- x"), block("aaaaaaaaa", "nest00001", "[[D [[C [[B [[A]]]]]]]]")),
			steps: []step{{"update_page", fields{"uid": "aaaaaaaaa", "title": "A2"}}, {"delete_page", fields{"uid": "aaaaaaaaa"}}},
		},
		"a title that holds its own old one": {
			given: append(page("Old", "old000001", "- x"), block("old000001", "self00001", "[[Old]] and #Old")),
			steps: []step{{"update_page", fields{"uid": "old000001", "title": "New [[Old]]"}}},
		},
		"a title within others that mentions a block": {
			steps: []step{{"update_page", fields{"uid": "alpha0001", "title": "New ((look00001))"}}, {"delete_page", fields{"uid": "aalpha001"}}},
		},
		"two pages that swap titles": {
			given: append(append(page("One", "one000001", "- x"), page("Two", "two000001", "- [[One]]")...), block("one000001", "two000002", "[[Two]]")),
			steps: []step{{"update_page", fields{"uid": "one000001", "title": "Tmp"}}, {"update_page", fields{"uid": "two000001", "title": "One"}}, {"update_page", fields{"uid": "one000001", "title": "Two"}}},
		},
		"a merge": {
			given: append(append(page("From", "from00001", "- a\n  - b\n- c"), page("Into", "into00001", "- d [[From]]")...), block("into00001", "refs00009", "#From [[From]]"), block("from00001", "refs00010", "[[Into]]")),
			steps: []step{{"update_page", fields{"uid": "from00001", "title": "Into", "mergePages": true}}},
		},
		"tags and attributes": {
			given: append(page("inbox", "inbox0001", "- x"), block("inbox0001", "tags00001", "#inbox #[[inbox]] [[inbox]]"), block("inbox0001", "attr00001", "inbox:: value")),
			steps: []step{{"update_page", fields{"uid": "inbox0001", "title": "my inbox"}}, {"delete_page", fields{"uid": "inbox0001"}}},
		},
		"code and embeds": {
			given: append(page("Code", "code00001", "- x"), block("code00001", "code00002", "`[[Code]]` {{embed: ((code00003))}} ((code00003))"), block("code00001", "code00003", "```clojure\n[[Code]]```")),
			steps: []step{{"delete_block", fields{"uid": "code00003"}}, {"update_page", fields{"uid": "code00001", "title": "Kode"}}},
		},
		"a block and its parent that different calls delete": {
			given: append(page("Tree", "tree00001", "- x"), block("tree00001", "par000001", "parent"), block("par000001", "chi000001", "child"), block("chi000001", "chi000002", "deeper")),
			steps: []step{{"delete_block", fields{"uid": "chi000001"}}, {"delete_block", fields{"uid": "par000001"}}},
		},
		"a page that is deleted and made again": {
			given: page("Again", "again0001", "- was\n  - here"),
			steps: []step{{"delete_page", fields{"uid": "again0001"}}, {"create_page", fields{"title": "Again", "markdown": "- is"}}},
		},
		"comments": {
			given: append(page("Talk", "talk00001", "- x"), block("talk00001", "talk00002", "about")),
			steps: []step{{"add_comment", fields{"blockUid": "talk00002", "comment": "first"}}, {"add_comment", fields{"blockUid": "talk00002", "comment": "second [[New page]]"}}},
		},
		"shortcuts": {
			steps: []step{{"remove_shortcut", fields{"uid": "alpha0001"}}, {"add_shortcut", fields{"uid": "bofa00001", "index": 0}}, {"add_shortcut", fields{"uid": "beta00001", "index": 2}}},
		},
		"how a page lists its blocks, where that was as usual": {
			steps: []step{{"update_page", fields{"uid": "beta00001", "childrenViewType": "document"}}},
		},
		"hidden blocks": {
			given: append(page("Secret", "secr00001", "- x"), block("secr00001", "secr00002", "hidden #.rm-hide"), block("secr00002", "secr00003", "below it")),
			steps: []step{{"delete_page", fields{"uid": "secr00001"}}},
		},
		"properties and looks": {
			steps: []step{{"update_block", fields{"uid": "look00001", "heading": 0, "open": true, "textAlign": "right"}}, {"delete_block", fields{"uid": "look00001"}}},
		},
		"a page of many blocks": {
			given: page("Many", "many00001", many.String()),
			steps: []step{{"delete_page", fields{"uid": "many00001"}}},
		},
		"moves and orders": {
			given: append(page("Order", "order0001", "- x"), block("order0001", "ord000001", "1"), block("order0001", "ord000002", "2"), block("order0001", "ord000003", "3"), block("ord000003", "ord000004", "4")),
			steps: []step{{"move_block", fields{"uid": "ord000003", "parentUid": "ord000001", "order": 0}}, {"move_block", fields{"uid": "ord000001", "parentUid": "order0001", "order": "last"}}},
		},
		"a shortcut of a page that goes": {
			steps: []step{{"add_shortcut", fields{"uid": "beta00001"}}, {"delete_page", fields{"uid": "beta00001"}}},
		},
		"a move, and a block made beside it since": {
			given: append(page("Order", "order0001", "- x"), block("order0001", "ord000001", "1"), block("order0001", "ord000002", "2"), block("order0001", "ord000003", "3")),
			steps: []step{{"move_block", fields{"uid": "ord000003", "parentUid": "order0001", "order": 1}}, {"create_block", fields{"parentUid": "order0001", "order": 1, "markdown": "- made"}}, {"move_block", fields{"uid": "ord000001", "parentUid": "order0001", "order": 3}}},
		},
		"a mention of an old title since": {
			steps: []step{{"update_page", fields{"uid": "alpha0001", "title": "New"}}, {"create_block", fields{"parentUid": "beta00001", "markdown": "- [[a [[Alpha]]]]"}}},
		},
		"a tag of an old title, in the title of a page, since": {
			given: append(page("Seven", "seven0001", "- x"), block("seven0001", "seven0002", "[[see #Seven]]")),
			steps: []step{{"update_page", fields{"uid": "seven0001", "title": "New"}}, {"create_block", fields{"parentUid": "beta00001", "markdown": "- [[see #Seven]]"}}},
		},
		"a block that embeds itself and its child": {
			given: append(page("Own", "own000001", "- x"), block("own000001", "own000002", "x"), block("own000002", "own000003", "child")),
			steps: []step{{"update_block", fields{"uid": "own000002", "string": "{{[[embed]]: ((own000002))}} and ((own000003))"}}, {"delete_block", fields{"uid": "own000002"}}},
		},
		"a block that a title mentions, and one that mentions the title": {
			given: append(page("In", "in0000001", "- x"), block("in0000001", "in0000002", "words [[Beta]]"), block("in0000001", "in0000003", "one [[Beta]]")),
			steps: []step{{"update_page", fields{"uid": "beta00001", "title": "New ((in0000002))"}}, {"delete_blocks", fields{"uids": []string{"in0000002", "in0000003"}}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRebuildWorld(t, rebuildPlan{profiles: []string{"roam"}, agents: []int{0}})
			defer w.close()
			for _, each := range tc.given {
				w.must(each.name, each.args)
			}
			w.advance()
			before := w.undoable()
			for _, each := range tc.steps {
				w.advance()
				result, err := w.agents[0].CallTool(w.ctx, &mcp.CallToolParams{Name: each.name, Arguments: each.args})
				require.NoError(t, err)
				if result.IsError {
					text, _ := json.Marshal(result.Content)
					t.Fatalf("%s fails: %s", each.name, text)
				}
			}
			after := w.undoable()
			w.closeServers()
			if len(rebuild.Differences(after, before)) == 0 {
				t.Fatal("nothing was changed")
			}
			for _, left := range w.planUndo(w.recorded()).Left {
				t.Errorf("a plan says that it leaves %+v", left)
			}
			undone := w.undo(w.recorded(), "undo")
			holds(t, "undo", undone.Left, w.undoable(), before)
			redone := w.undo([]int64{undone.Call}, "redo")
			holds(t, "redo", redone.Left, w.undoable(), after)
			again := w.undo([]int64{redone.Call}, "undo")
			holds(t, "undo again", again.Left, w.undoable(), before)
		})
	}
}

// holds fails the test where something is left, or a graph is not what it should be.
func holds[T any](t testing.TB, what string, left []T, got, want rebuild.Graph) {
	t.Helper()
	for _, each := range left {
		t.Errorf("%s leaves %+v", what, each)
	}
	for _, line := range rebuild.Differences(got, want) {
		t.Errorf("%s: %s", what, line)
	}
}

// counting is a way to the graph that counts the calls of Roam.
type counting struct {
	worldCaller
	calls *atomic.Int64
}

// Send implements ops.Caller.
func (c counting) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	c.calls.Add(1)
	return c.worldCaller.Send(ctx, action, args...)
}

// Look implements ops.Caller.
func (c counting) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.Send(ctx, action, args...)
}

// TestUndoCost holds how many calls of Roam it takes to undo one change.
func TestUndoCost(t *testing.T) {
	for name, tc := range map[string]struct {
		call step
		most int
	}{
		"a text":                     {step{"update_block", fields{"uid": "plain0001", "string": "new"}}, 4},
		"a text that mentions pages": {step{"update_block", fields{"uid": "refs00001", "string": "new"}}, 5},
		"a look":                     {step{"update_block", fields{"uid": "plain0001", "heading": 2}}, 4},
		"a move":                     {step{"move_block", fields{"uid": "plain0001", "parentUid": "alpha0001", "order": 0}}, 4},
		"a shortcut":                 {step{"add_shortcut", fields{"uid": "bofa00001", "index": 0}}, 5}, // one in the background
		"a deletion of one block":    {step{"delete_block", fields{"uid": "plain0001"}}, 5},
		"what was made":              {step{"create_block", fields{"parentUid": "alpha0001", "markdown": "- one\n  - two\n- three"}}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRebuildWorld(t, rebuildPlan{profiles: []string{"roam"}, agents: []int{0}})
			defer w.close()
			w.must("data.block.create", fields{"location": fields{"parent-uid": "beta00001", "order": "last"}, "block": fields{"uid": "plain0001", "string": "plain"}})
			w.advance()
			result, err := w.agents[0].CallTool(w.ctx, &mcp.CallToolParams{Name: tc.call.name, Arguments: tc.call.args})
			require.NoError(t, err)
			if result.IsError {
				t.Fatal(result.Content[0])
			}
			w.closeServers()
			var calls atomic.Int64
			_, err = w.undoBy(counting{worldCaller{world: w}, &calls}, w.recorded(), "undo")
			require.NoError(t, err)
			if calls := int(calls.Load()); calls > tc.most {
				t.Errorf("it takes %d calls of Roam, %d at most", calls, tc.most)
			}
		})
	}
}
