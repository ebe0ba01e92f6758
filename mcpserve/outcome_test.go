package mcpserve

import (
	"strings"
	"testing"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/ops"
)

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

func TestALostWriteIsLookedForWhereItWasSent(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.on("data.block.fromMarkdown", func(roamRequest) (int, string) { return 0, "" })
	w.roam.result("q", `[["n1","x"]]`)
	reply := w.connect().call("create_block", `{"parentUid":" p ","markdown":"x"}`).fails(ops.CodeOutcomeUnknown)
	if reply.failure["applied"] != true || reply.failure["evidence"] == nil || reply.failure["hint"] == nil {
		t.Errorf("got %s", reply.text)
	}
	if args := string(w.roam.requests("q")[0].Args); !strings.Contains(args, `,"p",`) {
		t.Errorf("it was looked for elsewhere: %s", args)
	}
}
