package mcpserve

import (
	"fmt"
	"testing"
)

type lostReply struct {
	tool, arguments, action string
	reads                   map[string]string
	want                    any // applied
}

func lostReplies() map[string]lostReply {
	block := func(text string) string {
		return fmt.Sprintf(`{"uid":"b","markdown":%q}`, "- "+text+` <roam uid="b"/>`)
	}
	const create = `{"parentUid":"p","markdown":"- Buy milk\n  - oat"}`
	parent := `{"uid":"p","markdown":"- P <roam uid=\"p\"/>\n  - x <roam uid=\"x\"/>\n  - b <roam uid=\"b\"/>\n"}`
	return map[string]lostReply{
		"created, as a query shows": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"q": `[["n1","Buy milk"],["n2","oat"]]`}, true},
		"not created, as a query shows": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"q": `[]`}, false},
		"something else was created": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"q": `[["n1","Buy bread"]]`}, nil},
		"a block that may be older": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"data.ai.getBlock": `{"uid":"p","markdown":"- P <roam uid=\"p\"/>\n  - Buy milk <roam uid=\"o\"/>"}`}, nil},
		"no such block at the target": {"create_block", create, "data.block.fromMarkdown",
			map[string]string{"data.ai.getBlock": parent}, false},
		"markup that may read differently": {"create_block", `{"parentUid":"p","markdown":"*x*"}`, "data.block.fromMarkdown",
			map[string]string{"data.ai.getBlock": parent}, nil},
		"nothing can be read": {"create_block", create, "data.block.fromMarkdown", nil, nil},
		"no page of that title": {"create_page", `{"title":"New"}`, "data.page.fromMarkdown",
			map[string]string{"data.ai.getPage": `null`}, false},
		"a page that may be older": {"create_page", `{"title":"New"}`, "data.page.fromMarkdown",
			map[string]string{"data.ai.getPage": pageResult}, nil},
		"a page created since": {"create_page", `{"title":"New"}`, "data.page.fromMarkdown",
			map[string]string{"data.ai.getPage": pageResult, "q": `[["p1","New"]]`}, true},
		"updated": {"update_block", `{"uid":"b","string":"New text"}`, "data.block.update",
			map[string]string{"data.ai.getBlock": block("New text")}, true},
		"not updated": {"update_block", `{"uid":"b","string":"New text"}`, "data.block.update",
			map[string]string{"data.ai.getBlock": block("Old text")}, false},
		"an update that a read does not show": {"update_block", `{"uid":"b","open":false}`, "data.block.update",
			map[string]string{"data.ai.getBlock": block("Old text")}, nil},
		"not deleted": {"delete_block", `{"uid":"b"}`, "data.block.delete",
			map[string]string{"data.ai.getBlock": block("x")}, false},
		"moved": {"move_block", `{"uid":"b","parentUid":"p","order":"last"}`, "data.block.move",
			map[string]string{"data.ai.getBlock": parent}, true},
		"at another place": {"move_block", `{"uid":"b","parentUid":"p","order":0}`, "data.block.move",
			map[string]string{"data.ai.getBlock": parent}, nil},
		"not moved": {"move_block", `{"uid":"other","parentUid":"p","order":0}`, "data.block.move",
			map[string]string{"data.ai.getBlock": parent}, false},
	}
}

func TestALostReplyIsLookedInto(t *testing.T) {
	drop := func(roamRequest) (int, string) { return 0, "" }
	for name, tc := range lostReplies() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, configText("Work"))
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

func TestAWriteThatRoamRefusesIsNoUnknownOutcome(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.fails("data.block.fromMarkdown", 500, `{"success":false,"error":"Parent not found"}`)
	w.connect().call("create_block", `{"parentUid":"p","markdown":"x"}`).fails("NOT_FOUND")
	w.roam.fails("data.block.fromMarkdown", 200, `{"success":tr`)
	w.connect().call("create_block", `{"parentUid":"p","markdown":"x"}`).fails(CodeOutcomeUnknown)
	w.roam.fails("data.block.fromMarkdown", 504, ``)
	w.connect().call("create_block", `{"parentUid":"p","markdown":"x"}`).fails(CodeOutcomeUnknown)
}
