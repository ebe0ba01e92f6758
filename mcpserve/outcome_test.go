package mcpserve

import (
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"roam-mcp/localapi"
)

type lostReply struct {
	tool, arguments, action string
	reads                   map[string]string
	want                    any // applied
}

// lostCreations are writes that create blocks and pages.
func lostCreations() map[string]lostReply {
	const create = `{"parentUid":"p","markdown":"- Buy milk\n  - oat"}`
	return map[string]lostReply{
		"created, as a query shows": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"q": `[["n1","Buy milk"],["n2","oat"]]`}, true},
		"not created, as a query shows": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"q": `[]`}, false},
		"created, in Roam's markup": {"create_block", `{"parentUid":"p","markdown":"## *Buy* milk\n- oat"}`, "data.block.fromMarkdown",
			map[string]string{"q": `[["n2","oat"],["n1","__Buy__ milk"]]`}, true},
		"created, a text of several lines": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"q": `[["n1","Buy milk\nand more"]]`}, true},
		"something else was created": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"q": `[["n1","Buy bread"]]`}, false},
		"something like it was created": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"q": `[["n1","Buy milk, please"]]`}, nil},
		"a table, whose text is elsewhere": {"create_block", `{"parentUid":"p","markdown":"| a | b |"}`, "data.block.fromMarkdown",
			map[string]string{"q": `[["n1","{{[[table]]}}"]]`}, nil},
		"a query that is answered with something else": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"q": `{"rows":1}`}, nil},
		"a block that may be older": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"data.ai.getBlock": `{"uid":"p","markdown":"- P <roam uid=\"p\"/>\n  - Buy milk <roam uid=\"o\"/>"}`}, nil},
		"no such block at the target": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"data.ai.getBlock": parentResult}, false},
		"markup that may read differently": {"create_block", `{"parentUid":"p","markdown":"*x*"}`, "data.block.fromMarkdown",
			map[string]string{"data.ai.getBlock": parentResult}, nil},
		"nothing can be read": {"create_block", create, "data.block.fromMarkdown", nil, nil},
		"no page of that title": {"create_page", `{"title":"New"}`, "data.page.fromMarkdown",
			map[string]string{"data.ai.getPage": `null`}, false},
		"a page that may be older": {"create_page", `{"title":"New"}`, "data.page.fromMarkdown",
			map[string]string{"data.ai.getPage": pageResult}, nil},
		"a page created since": {"create_page", `{"title":"New"}`, "data.page.fromMarkdown",
			map[string]string{"q": `[["p1",9e15]]`}, true},
		"a page that a query shows to be older": {"create_page", `{"title":"New"}`, "data.page.fromMarkdown",
			map[string]string{"q": `[["p1",1]]`}, false},
		"no page, as a query shows": {"create_page", `{"title":"New"}`, "data.page.fromMarkdown",
			map[string]string{"q": `[]`}, false},
		"a page with another uid": {"create_page", `{"title":"New","uid":"mine"}`, "data.page.fromMarkdown",
			map[string]string{"q": `[["p1",9e15]]`}, false},
		"a page that a reference may have made": {"create_page", `{"title":"New","markdown":"- some text"}`, "data.page.fromMarkdown",
			map[string]string{"q": `[["p1",9e15]]`}, nil},
	}
}

// lostChanges are writes to blocks that are there.
func lostChanges() map[string]lostReply {
	block := func(text string) string {
		return fmt.Sprintf(`{"uid":"b","markdown":%q}`, "- "+text+` <roam uid="b"/>`)
	}
	return map[string]lostReply{
		"updated": {"update_block", `{"uid":"b","string":"New text"}`, "data.block.update",
			map[string]string{"data.ai.getBlock": block("New text")}, true},
		"not updated": {"update_block", `{"uid":"b","string":"New text"}`, "data.block.update",
			map[string]string{"data.ai.getBlock": block("Old text")}, false},
		"an update that a read does not show": {"update_block", `{"uid":"b","open":false}`, "data.block.update",
			map[string]string{"data.ai.getBlock": block("Old text")}, nil},
		"updated, as a query shows": {"update_block", `{"uid":"b","string":"**New**\ntext","heading":2}`, "data.block.update",
			map[string]string{"q": `[["**New**\ntext",2,true,"left",":numbered",9e15]]`}, true},
		"only the text was so already": {"update_block", `{"uid":"b","string":"New text","heading":2}`, "data.block.update",
			map[string]string{"q": `[["New text",0,true,"left",":bullet",1]]`}, false},
		"all was so already": {"update_block", `{"uid":"b","string":"New text","childrenViewType":"numbered"}`, "data.block.update",
			map[string]string{"q": `[["New text",0,true,"left",":numbered",1]]`}, nil},
		"changed by somebody else": {"update_block", `{"uid":"b","string":"New text"}`, "data.block.update",
			map[string]string{"q": `[["Other text",0,true,"left",":numbered",9e15]]`}, nil},
		"the text is new, the rest can't be read": {"update_block", `{"uid":"b","string":"New text","heading":2}`, "data.block.update",
			map[string]string{"data.ai.getBlock": block("New text")}, nil},
		"not deleted, as a query shows": {"delete_block", `{"uid":"b"}`, "data.block.delete",
			map[string]string{"data.ai.getBlock": `null`, "q": `[["b"]]`}, false},
		"not deleted": {"delete_block", `{"uid":"b"}`, "data.block.delete",
			map[string]string{"data.ai.getBlock": block("x")}, false},
		"moved": {"move_block", `{"uid":"b","parentUid":"p","order":"last"}`, "data.block.move",
			map[string]string{"data.ai.getBlock": parentResult, "q": `[["p",9e15]]`}, true},
		"at the place, perhaps from before": {"move_block", `{"uid":"b","parentUid":"p","order":"last"}`, "data.block.move",
			map[string]string{"data.ai.getBlock": parentResult, "q": `[["p",1]]`}, nil},
		"below its old parent": {"move_block", `{"uid":"b","parentUid":"p","order":"last"}`, "data.block.move",
			map[string]string{"q": `[["old",1]]`}, false},
		"at another place": {"move_block", `{"uid":"b","parentUid":"p","order":0}`, "data.block.move",
			map[string]string{"data.ai.getBlock": parentResult}, nil},
		"not moved": {"move_block", `{"uid":"other","parentUid":"p","order":0}`, "data.block.move",
			map[string]string{"data.ai.getBlock": parentResult}, false},
	}
}

// parentResult is a block as Roam reads it, with the children x and b.
const parentResult = `{"uid":"p","markdown":"- P <roam uid=\"p\"/>\n  - x <roam uid=\"x\"/>\n  - b <roam uid=\"b\"/>\n"}`

func TestALostReplyIsLookedInto(t *testing.T) {
	drop := func(roamRequest) (int, string) { return 0, "" }
	all := lostCreations()
	for _, more := range []map[string]lostReply{lostChanges(), lostPageChanges(), lostShortcuts()} {
		maps.Copy(all, more)
	}
	for name, tc := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, configText("Work"), day15)
			for action, result := range tc.reads {
				w.roam.result(action, result)
			}
			w.roam.on(tc.action, drop)
			reply := w.connect().call(tc.tool, tc.arguments).fails(CodeOutcomeUnknown)
			if got, there := reply.failure["applied"]; !there || got != tc.want {
				t.Errorf("applied is %v, want %v: %s", got, tc.want, reply.text)
			}
			if reply.failure["evidence"] == nil || reply.failure["hint"] == nil {
				t.Errorf("no evidence or no hint: %s", reply.text)
			}
			if n := len(w.roam.requests(tc.action)); n != 1 {
				t.Errorf("the write was sent %d times", n)
			}
		})
	}
}

func TestADeleteWhoseReplyWasLostIsSeenToBeDone(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getBlock", `{"uid":"b","markdown":"- x <roam uid=\"b\"/>"}`)
	w.roam.on("data.block.delete", func(roamRequest) (int, string) {
		w.roam.result("data.ai.getBlock", `null`)
		return 0, ""
	})
	reply := w.connect().call("delete_block", `{"uid":"b"}`).fails(CodeOutcomeUnknown)
	if reply.failure["applied"] != true {
		t.Errorf("got %s", reply.text)
	}
}

func TestAReadWhoseReplyWasLostDidNothing(t *testing.T) {
	drop := func(roamRequest) (int, string) { return 0, "" }
	w := newWorld(t, configText("Work"))
	c := w.connect()
	for action, call := range map[string][2]string{
		"data.ai.getPage":         {"get_page", `{"title":"x"}`},
		"data.ai.getBlock":        {"delete_block", `{"uid":"b"}`}, // looks before it deletes
		localapi.GuidelinesAction: {"get_graph_guidelines", `{}`},
	} {
		w.roam.on(action, drop)
		reply := c.call(call[0], call[1]).fails(localapi.CodeConnectionFailed)
		if reply.failure["hint"] != "Nothing was written by this. Try again." || reply.failure["retryable"] != true {
			t.Errorf("%s leads astray: %s", call[0], reply.text)
		}
	}
}

func TestALostReplyThatNothingShowsIsNotLookedFor(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.Toolsets = []string{"all"} })
	w.roam.on("file.upload", func(roamRequest) (int, string) { return 0, "" })
	reply := w.connect().call("file_upload", `{"base64":"aGVsbG8="}`).fails(CodeOutcomeUnknown)
	if !strings.Contains(reply.failure["hint"].(string), "ask the user") {
		t.Errorf("there is no place in the graph to read: %s", reply.text)
	}
}

func TestAWriteThatRoamRefusesIsNoUnknownOutcome(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.fails("data.block.fromMarkdown", 500, `{"success":false,"error":"Parent not found"}`)
	w.connect().call("create_block", `{"parentUid":"p","markdown":"x"}`).fails("NOT_FOUND")
	w.roam.fails("data.block.fromMarkdown", 200, `{"success":tr`)
	w.connect().call("create_block", `{"parentUid":"p","markdown":"x"}`).fails(CodeOutcomeUnknown)
	w.roam.fails("data.block.fromMarkdown", 504, ``)
	w.connect().call("create_block", `{"parentUid":"p","markdown":"x"}`).fails(CodeOutcomeUnknown)
}

func TestRoamsOwnFailureIsLookedInto(t *testing.T) {
	w := newWorld(t, configText("Work"))
	client := w.connect()
	w.roam.fails("data.block.fromMarkdown", 500, `{"success":false,"error":"Unexpected"}`)
	w.roam.result("q", `[]`)
	client.call("create_block", `{"parentUid":"p","markdown":"x"}`).fails("INTERNAL_ERROR")
	w.roam.result("q", `[["n1","another"]]`)
	reply := client.call("create_block", `{"parentUid":"p","markdown":"another"}`).fails(CodeOutcomeUnknown)
	if reply.failure["applied"] != true || strings.Contains(reply.text, "reply was lost") {
		t.Errorf("got %s", reply.text)
	}
	for _, text := range []string{"Promise error", "The expression took too long"} {
		w.roam.fails("data.block.fromMarkdown", 500, fmt.Sprintf(`{"success":false,"error":%q}`, text))
		client.call("create_block", `{"parentUid":"p","markdown":"x"}`).fails(CodeOutcomeUnknown)
	}
}

func TestAReadThatFailsIsMadeAgainWhileAWriteIsLookedFor(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.on("data.block.fromMarkdown", func(roamRequest) (int, string) { return 0, "" })
	var failed atomic.Bool
	w.roam.on("q", func(roamRequest) (int, string) {
		if !failed.Swap(true) {
			return 0, ""
		}
		return 200, `{"success":true,"result":[["n1","x"]]}`
	})
	reply := w.connect().call("create_block", `{"parentUid":" p ","markdown":"x"}`).fails(CodeOutcomeUnknown)
	if reply.failure["applied"] != true {
		t.Errorf("got %s", reply.text)
	}
	if args := string(w.roam.requests("q")[1].Args); !strings.Contains(args, `,"p",`) {
		t.Errorf("it was looked for elsewhere than it was sent: %s", args)
	}
}

func TestOfTwoEqualWritesNoneIsTakenForTheOther(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("q", `[["n1","x"]]`)
	both := make(chan struct{})
	var arrived atomic.Int32
	w.roam.on("data.block.fromMarkdown", func(roamRequest) (int, string) {
		n := arrived.Add(1)
		if n == 2 {
			close(both)
		}
		<-both
		if n == 1 {
			return 0, ""
		}
		return 200, `{"success":true,"result":{"uids":["n1"]}}`
	})
	client := w.connect()
	replies := make(chan toolReply, 2)
	for range 2 {
		go func() { replies <- client.call("create_block", `{"parentUid":"p","markdown":"x"}`) }()
	}
	lost := 0
	for range 2 {
		if reply := <-replies; reply.isError {
			lost++
			if applied, there := reply.fails(CodeOutcomeUnknown).failure["applied"]; !there || applied != nil {
				t.Errorf("got %s", reply.text)
			}
		}
	}
	if lost != 1 {
		t.Errorf("%d replies are errors", lost)
	}
}

func TestContentsOfWritesThatAreOverAreForgotten(t *testing.T) {
	u := newUnderWay()
	running := u.begin("running", 0)
	for i := range 3 * keptWrites {
		u.begin(fmt.Sprint(i), int64(i)).end(int64(i))
	}
	if n := len(u.writes); n > keptWrites {
		t.Errorf("%d are kept", n)
	}
	if again := u.begin("running", 10000); !again.met() || !running.met() {
		t.Error("two at the same time have not met")
	}
}
