//go:build campaign

package notes_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/transport"
)

// step is what a node of a workflow has answered.
type step struct {
	Node string
	JSON struct {
		Content []struct{ Text json.RawMessage }
	}
	Error *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// workflow runs a workflow file against the server of a world, and returns what each
// node answered.
func workflow(t *testing.T, w *profiletest.World, path string) []step {
	t.Helper()
	folder := os.Getenv("ROAM_MCP_N8N")
	if folder == "" {
		t.Skip("tools/n8n/run installs the client and runs this test")
	}
	token := transport.NewToken()
	server, err := w.Server.ListenHTTP(t.Context(), transport.HTTPOptions{Address: "127.0.0.1:0", Token: token})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx) }()
	t.Cleanup(func() { stop(); <-done })

	script, err := os.ReadFile(filepath.Join("..", "..", "..", "tools", "n8n", "workflow.mjs"))
	require.NoError(t, err)
	copied := filepath.Join(folder, "workflow.mjs") // beside the client, where Node finds it
	require.NoError(t, os.WriteFile(copied, script, 0o600))
	command := exec.CommandContext(t.Context(), "node", copied, path, server.URL())
	command.Env = append(os.Environ(), "ROAM_MCP_TOKEN="+token.Reveal())
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if len(out) == 0 {
		t.Fatalf("%v: %s", err, said.String())
	}
	var steps []step
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		t.Log(lines.Text())
		var each step
		require.NoError(t, json.Unmarshal(lines.Bytes(), &each))
		steps = append(steps, each)
	}
	return steps
}

// The workflow is that of docs/n8n.md. n8n itself is not run: its MCP Client node is the
// TypeScript client with the calls that tools/n8n/workflow.mjs makes.
func TestTheWorkflowOfN8n(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Profile: "notes"})
	file, err := filepath.Abs(filepath.Join("..", "..", "..", "docs", "n8n-workflow.json"))
	require.NoError(t, err)
	t.Run("creates, finds, archives and deletes a note", func(t *testing.T) {
		w := suite.World(t)
		steps := workflow(t, w, file)
		wants := map[string]string{
			"Create note":  `{"title":"Meeting Notes","content":"Discussed Q1 roadmap...","labels":["work","planning"],"color":"blue","...":"..."}`,
			"Search notes": `[{"title":"Meeting Notes","isArchived":false,"...":"..."}]`,
			"Archive note": `{"title":"Meeting Notes","isArchived":true,"...":"..."}`,
			"Delete note":  `{"success":true,"message":"Note deleted","...":"..."}`,
		}
		if len(steps) != len(wants) {
			t.Fatalf("%d nodes answered", len(steps))
		}
		for _, each := range steps {
			if each.Error != nil || len(each.JSON.Content) != 1 {
				t.Fatalf("%s: %+v", each.Node, each)
			}
			if err := profiletest.Match(wants[each.Node], string(each.JSON.Content[0].Text)); err != nil {
				t.Errorf("%s: %v", each.Node, err)
			}
		}
		if w.PageUID("Meeting Notes") != "" {
			t.Error("the note is still there")
		}
	})
	t.Run("stops at an error, with Memento's code and message", func(t *testing.T) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		broken := filepath.Join(t.TempDir(), "broken.json")
		require.NoError(t, os.WriteFile(broken, bytes.ReplaceAll(text, []byte(`\"blue\"`), []byte(`\"mauve\"`)), 0o600))
		steps := workflow(t, suite.World(t), broken)
		if len(steps) != 1 || steps[0].Error == nil || steps[0].Error.Code != -32600 {
			t.Fatalf("got %+v", steps)
		}
		if err := profiletest.Match(`{"code":"INVALID_PARAMS","...":"..."}`, string(steps[0].Error.Data)); err != nil {
			t.Error(err)
		}
	})
}

// A node opens a connection for its step, so it was shown nothing, not even by a step that
// reads the note.
func TestAStepOfN8nReplacesATextOnlyWhereItMayBeUnread(t *testing.T) {
	for name, c := range map[string]struct {
		profile   string
		overwrite bool
		want      string // a text that is on the page then
		refusal   string // what the refusal says; empty: there is none
	}{
		"notes, refused":                       {"notes", false, "Goal: land on the moon, see [[Saturn V]]", "get_note with id"},
		"notes, with serve --overwrite-unread": {"notes", true, "From a flow", ""},
		"graph, refused":                       {"graph", false, "Goal: land on the moon, see [[Saturn V]]", "get_node with id"},
		"graph, with serve --overwrite-unread": {"graph", true, "From a flow", ""},
	} {
		t.Run(name, func(t *testing.T) {
			suite := profiletest.NewSuite(t, profiletest.Options{Profile: c.profile, Server: func(o *mcpserve.Options) { o.OverwriteUnread = c.overwrite }})
			w := suite.World(t)
			kind := map[string]string{"notes": "note", "graph": "node"}[c.profile]
			steps := workflow(t, w, chained(t, "get_"+kind, `{"id":"apollo001"}`, "update_"+kind, `{"id":"apollo001","content":"From a flow"}`))
			var texts []string
			w.Query(&texts, `[:find [?s ...] :where [?b :block/string ?s] [?b :block/page ?p] [?p :block/uid "apollo001"]]`)
			if !slices.Contains(texts, c.want) {
				t.Errorf("the page has %q", texts)
			}
			last := steps[len(steps)-1]
			said := fmt.Sprintf("%s", last.JSON.Content)
			if last.Error != nil {
				said = last.Error.Message + string(last.Error.Data)
			}
			if !strings.Contains(said, c.refusal) || strings.Contains(said, "READ_FIRST") != (c.refusal != "") {
				t.Errorf("it says %s", said)
			}
		})
	}
}

// chained writes a workflow of MCP Client nodes, one behind the other: a tool and its
// arguments each.
func chained(t *testing.T, calls ...string) (path string) {
	t.Helper()
	type object = map[string]any
	nodes, connections, before := []object{{"name": "Start", "type": "n8n-nodes-base.manualTrigger"}}, object{}, "Start"
	for each := range slices.Chunk(calls, 2) {
		nodes = append(nodes, object{
			"name": each[0], "type": "@n8n/n8n-nodes-langchain.mcpClient", "typeVersion": 1,
			"parameters": object{"serverTransport": "httpStreamable", "authentication": "bearerAuth", "tool": object{"value": each[0]}, "jsonInput": each[1]},
		})
		connections[before] = object{"main": [][]object{{{"node": each[0]}}}}
		before = each[0]
	}
	text, err := json.Marshal(object{"nodes": nodes, "connections": connections})
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "workflow.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}
