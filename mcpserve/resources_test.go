package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/assets"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/textsafe"
)

// skillURI is the resource that needs no graph.
const skillURI = "roam-mcp://skill/roam"

func (c *client) uris() []string {
	c.t.Helper()
	var uris []string
	for each, err := range c.Resources(c.t.Context(), nil) {
		require.NoError(c.t, err)
		uris = append(uris, each.URI)
	}
	return uris
}

func (c *client) readResource(uri string) (string, error) {
	result, err := c.ReadResource(c.t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	if len(result.Contents) != 1 || result.Contents[0].URI != uri || result.Contents[0].MIMEType != markdownType {
		c.t.Errorf("contents: %s", rawjson.Encode(result.Contents))
	}
	return result.Contents[0].Text, nil
}

// codeOf is the code of a protocol error; 0 for none.
func codeOf(err error) int64 {
	var coded *jsonrpc.Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	return 0
}

func TestResourcesListMatchesItsGoldenFile(t *testing.T) {
	older := strings.NewReplacer(`"nickname":"Kitchen"`, `"nickname":"Küche & Garten/2"`, `"nickname":"Rest"`, `"nickname":"100%?"`)
	w := newWorld(t, older.Replace(configText("Work", "Kitchen", "Rest")))
	await.Condition(t, "the new names", func() bool {
		_, renamed := w.server.currentView().find("100%?")
		return renamed
	})
	list, err := w.connect().ListResources(t.Context(), nil)
	require.NoError(t, err)
	text, err := json.MarshalIndent(list.Resources, "", "  ")
	require.NoError(t, err)
	golden.File(t, "testdata/resources.golden", string(text)+"\n")
}

func TestResourcesAreReadFromTheGraph(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			b := newBoxed(t, func(_ *sandbox.Options, o *Options) { o.EditGuidelines = true })
			b.connected(notesGraph, "My notes", localapi.Full)
			c := b.connectVersion(era)
			await.Condition(t, "the resources of the graph", func() bool { return len(c.uris()) == 3 })
			const guidelines, today = "roam://graph/My%20notes/guidelines", "roam://graph/My%20notes/today"
			text, err := c.readResource(guidelines)
			if require.NoError(t, err); !strings.Contains(text, "no guidelines") {
				t.Errorf("guidelines: %s", text)
			}
			if text, err = c.readResource(today); err != nil || !strings.HasPrefix(text, "There is no daily note for today") {
				t.Errorf("today: %q, %v", text, err)
			}
			c.call("create_block", `{"dailyNotePage":"today","markdown":"Bought bread"}`).ok()
			c.call("create_page", `{"title":"roam/agent guidelines","markdown":"- Be kind"}`).ok()
			if text, err = c.readResource(today); err != nil || !strings.Contains(text, "- Bought bread <roam") {
				t.Errorf("today: %q, %v", text, err)
			}
			if text, err = c.readResource(guidelines); err != nil || !strings.Contains(text, "Be kind") {
				t.Errorf("guidelines: %q, %v", text, err)
			}
			missing := map[string]int64{"2025-11-25": -32002, statelessVersion: jsonrpc.CodeInvalidParams}[era]
			for _, uri := range []string{"roam://graph/My%20notes/tomorrow", "roam://graph/Other/today", "file:///etc/passwd"} {
				if _, err := c.readResource(uri); codeOf(err) != missing {
					t.Errorf("%s: %v", uri, err)
				}
			}
			b.stop()
			if _, err = c.readResource(today); codeOf(err) != jsonrpc.CodeInternalError || !strings.Contains(err.Error(), "Start Roam Desktop") {
				t.Errorf("with Roam closed: %v", err)
			}
			require.NoError(t, b.store.SetDisabled(t.Context(), "My notes", true))
			if _, err = c.readResource(today); codeOf(err) != missing {
				t.Errorf("of a disabled graph: %v", err)
			}
		})
	}
}

func TestResourcesFollowTheConfiguration(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			w := newWorld(t, configText("Work"))
			changed := make(chan struct{}, 8)
			c := w.connectVersion(era, &mcp.ClientOptions{ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { changed <- struct{}{} }})
			if uris := c.uris(); !slices.Equal(uris, []string{skillURI, "roam://graph/Work/guidelines", "roam://graph/Work/today"}) {
				t.Errorf("%v", uris)
			}
			require.NoError(t, w.store.Rename(t.Context(), "Work", "Job"))
			<-changed
			await.Condition(t, "the new name", func() bool {
				return slices.Equal(c.uris(), []string{skillURI, "roam://graph/Job/guidelines", "roam://graph/Job/today"})
			})
			require.NoError(t, w.store.SetDisabled(t.Context(), "Job", true))
			<-changed
			await.Condition(t, "the list without those of a graph", func() bool { return slices.Equal(c.uris(), []string{skillURI}) })
		})
	}
}

func TestTheSkillIsAResourceThatNeedsNoGraph(t *testing.T) {
	for _, p := range Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			w := newWorld(t, "", func(o *Options) { o.Profile = p.Name })
			for _, era := range eras() {
				c := w.connectVersion(era)
				uri := strings.TrimSuffix(skillURI, "roam") + p.Name
				if uris := c.uris(); !slices.Equal(uris, []string{uri}) {
					t.Errorf("%v", uris)
				}
				want, _ := assets.Skill(p.Name)
				if text, err := c.readResource(uri); err != nil || text != want || !strings.Contains(text, "name: roam-mcp-"+p.Name) {
					t.Errorf("%.100s, %v", text, err)
				}
			}
			if len(w.roam.requests(localapi.GuidelinesAction)) != 0 {
				t.Error("Roam was asked")
			}
		})
	}
}

func TestALongResourceIsCutAtABlock(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = SmallestReply })
	var page strings.Builder
	page.WriteString("# Today <roam uid=\"d\"/>\n\n")
	for i := range 500 {
		fmt.Fprintf(&page, "- Block number %d <roam uid=\"u%d\"/>\n", i, i)
	}
	w.roam.result("data.ai.getPage", `{"uid":"d","markdown":`+string(rawjson.Encode(page.String()))+`}`)
	w.roam.result(localapi.GuidelinesAction, `{"guidelines":`+string(rawjson.Encode(strings.Repeat("Line of rules.\n", 1000)))+`}`)
	c := w.connect()
	for uri, want := range map[string]string{"roam://graph/Work/today": "blocks are left out", "roam://graph/Work/guidelines": "roam/agent guidelines"} {
		text, err := c.readResource(uri)
		require.NoError(t, err)
		if textsafe.CountTokens(text) > SmallestReply || textsafe.CountTokens(text) < SmallestReply/2 || !strings.Contains(text, want) {
			t.Errorf("%s has %d bytes: …%s", uri, len(text), text[max(0, len(text)-150):])
		}
	}
	if text, _ := c.readResource("roam://graph/Work/today"); strings.Count(text, "- Block") != strings.Count(text, "<roam uid=\"u") {
		t.Error("a block is cut in two")
	}
}

func TestNoTokenInAResource(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.on("data.ai.getPage", func(r roamRequest) (int, string) {
		return 500, `{"success":false,"error":{"message":"bad header ` + r.Token + `"}}`
	})
	if _, err := w.connect().readResource("roam://graph/Work/today"); err == nil || strings.Contains(fmt.Sprintf("%v %s", err, rawjson.Encode(err)), "S3cr3t") {
		t.Errorf("%v", err)
	}
}
