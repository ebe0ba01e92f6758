package mcpserve

import (
	"testing"

	"roam-mcp/localapi"
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
