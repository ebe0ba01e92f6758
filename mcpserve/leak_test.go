package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/rawjson"
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

// Each tool of each profile is called while Roam repeats the token that it was sent.
func TestNoProfileRepeatsATokenThatRoamDoes(t *testing.T) {
	for _, p := range Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			w := newWorld(t, configText("Work"), func(o *Options) { o.Profile, o.Toolsets = p.Name, []string{"all"} })
			c := w.connect()
			said, refused := "", 0
			for _, status := range []int{400, 401, 404, 500} {
				w.roam.mu.Lock()
				w.roam.others = func(r roamRequest) (int, string) {
					return status, fmt.Sprintf(`{"success":false,"error":{"code":"X","message":"bad header %s"}}`, r.Token)
				}
				w.roam.mu.Unlock()
				for i := range p.Tools {
					result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: p.Tools[i].Name, Arguments: anyArguments(p.Tools[i].Params)})
					said += fmt.Sprintf("%s: %v", p.Tools[i].Name, err)
					var coded *jsonrpc.Error
					if errors.As(err, &coded) {
						said += string(coded.Data)
					}
					if result != nil {
						said += fmt.Sprint(result.Meta, string(rawjson.Encode(result.Content)), result.StructuredContent)
					}
					if err != nil || result.IsError {
						refused++
					}
				}
			}
			for where, text := range map[string]string{"a reply": said, "the log": w.log.String()} {
				if at := strings.Index(text, "S3cr3t"); at >= 0 {
					t.Errorf("a token is in %s: …%s…", where, text[max(0, at-120):min(len(text), at+40)])
				}
			}
			if !strings.Contains(said, "bad header") || refused < 2*len(p.Tools) {
				t.Errorf("Roam's words are in no reply, or %d calls failed alone: %.2000s", refused, said)
			}
		})
	}
}

// anyArguments are arguments of the right types, for what is required.
func anyArguments(params []surface.Param) map[string]any {
	arguments := map[string]any{}
	for _, p := range params {
		switch {
		case !p.Required:
		case len(p.Choices) > 0:
			arguments[p.Name] = p.Choices[0]
		case p.Kind == surface.Integer, p.Kind == surface.Number:
			arguments[p.Name] = 1
		case p.Kind == surface.Boolean:
			arguments[p.Name] = true
		case p.Kind == surface.Strings:
			arguments[p.Name] = []string{"abcdefghi"}
		case p.Kind == surface.Object:
			arguments[p.Name] = map[string]any{}
		case p.Kind == surface.Objects, p.Kind == surface.Values:
			arguments[p.Name] = []any{anyArguments(p.Fields)}
		default:
			arguments[p.Name] = "abcdefghi"
		}
	}
	return arguments
}
