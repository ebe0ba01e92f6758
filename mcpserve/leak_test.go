package mcpserve

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/surface"
)

// panicking is a Roam client that fails in the worst way, with the token in
// what it says.
type panicking struct{}

func (panicking) Call(_ context.Context, _ localapi.Graph, token localapi.Token, _ string, _ ...any) (localapi.Reply, error) {
	panic("broken with " + token.Reveal())
}

func (panicking) TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo {
	return localapi.TokenInfo{Status: localapi.TokenUnknown}
}

func TestNoTokenInAnyReplyOrLog(t *testing.T) {
	w := newWorld(t, configText("Work", "Home"))
	c := w.connect()
	var all strings.Builder
	say := func(tool, arguments string) toolReply {
		reply := c.call(tool, arguments)
		all.WriteString(reply.text)
		return reply
	}
	echo := func(status int) answerFunc {
		return func(r roamRequest) (int, string) {
			return status, fmt.Sprintf(`{"success":false,"error":{"code":"X","message":"bad header %s"}}`, r.Token)
		}
	}
	ticket := say("select_graph", `{"graph":"Work"}`).ok().field("ticket")
	for _, status := range []int{400, 401, 403, 404, 500, 0} {
		for _, action := range []string{"data.ai.getPage", "data.ai.getBlock", "data.block.fromMarkdown", "data.block.delete", "data.block.updateBlocks", "data.block.update", "q", localapi.GuidelinesAction, "tokens/info"} {
			w.roam.on(action, echo(status))
		}
		say("get_page", `{"title":"x"}`)
		say("get_graph_guidelines", `{"graph":"Home"}`)
		say("create_block", `{"parentUid":"p","markdown":"x","ticket":"`+ticket+`"}`)
		say("delete_block", `{"uid":"b","ticket":"`+ticket+`"}`)
		say("update_blocks", `{"updates":[{"uid":"b","string":"x"}],"ticket":"`+ticket+`"}`)
		say("datalog_query", `{"query":"[:find ?x]"}`)
	}
	say("get_page", `{"title":"x","maxDepth":"`+secretOf("Work")+`"}`).fails(surface.CodeInvalidParams)
	say("get_page", `{"title":"x","graph":"`+secretOf("Work")+`"}`).fails(configstore.CodeGraphNotConfigured)
	say("list_graphs", `{}`)
	for _, where := range []string{all.String(), w.log.String(), fmt.Sprintf("%+v %#v", w.server.currentView(), w.server.currentView())} {
		if at := strings.Index(where, "S3cr3t"); at >= 0 {
			t.Fatalf("a token shows up: …%s…", where[max(0, at-120):min(len(where), at+40)])
		}
	}
}
