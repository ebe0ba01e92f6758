package alltest

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/rebuild"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// noteCalls are how a profile reads a note, and gives it another content. named is what the
// profile names a note by that has a uid.
var noteCalls = map[string]struct{ read, write, remove, named string }{
	"graph": {`get_node {"id":%q}`, `update_node {"id":%q,%s}`, `delete_node {"id":%q}`, "%s"},
	"notes": {`get_note {"id":%q}`, `update_note {"id":%q,%s}`, `delete_note {"id":%q}`, "%s"},
	"wiki":  {`get_note {"path":%q}`, `update_note {"path":%q,%s}`, `delete_note {"path":%q}`, "((%s))"},
}

// oneWord is a text of one word, with what may be around it.
var oneWord = regexp.MustCompile(`^(\*\*)?([A-Za-z']+)(\*\*)?$`)

// word is a block of one word on a page that has no other block with its text.
type word struct{ page, uid, text string }

// looked is the help graph in which each block of one word is referred to, and has other
// looks than a block has by itself.
func looked(t *testing.T) (export string, words []word) {
	var pages []map[string]any
	require.NoError(t, json.Unmarshal([]byte(helpgraph.Read(t, "help.json")), &pages))
	var referring []any
	for _, page := range pages {
		uid, _ := page["uid"].(string)
		title, _ := page["title"].(string)
		texts, size := map[string]int{}, 0
		walkBlocks(page, func(b map[string]any) {
			texts[fmt.Sprint(b["string"])]++
			size += len(fmt.Sprint(b["string"])) + 20
		})
		if size > 12_000 { // a reply shows all of it
			continue
		}
		walkBlocks(page, func(b map[string]any) {
			text := fmt.Sprint(b["string"])
			if uid == "" || strings.HasPrefix(title, "roam/") || texts[text] > 1 || !oneWord.MatchString(text) {
				return
			}
			words = append(words, word{uid, fmt.Sprint(b["uid"]), text})
			b["text-align"], b["open"], b["children-view-type"] = "center", false, "document"
			referring = append(referring, map[string]any{"string": fmt.Sprintf("See ((%s))", b["uid"]), "uid": fmt.Sprintf("refers%03d", len(words))})
		})
	}
	text, err := json.Marshal(append(pages, map[string]any{"title": "Referring", "uid": "referring", "children": referring}))
	require.NoError(t, err)
	return string(text), words
}

func walkBlocks(above map[string]any, visit func(map[string]any)) {
	children, _ := above["children"].([]any)
	for _, child := range children {
		visit(child.(map[string]any))
		walkBlocks(child.(map[string]any), visit)
	}
}

// contentOf returns the content of a note as a reply shows it.
func contentOf(r profiletest.Result) string {
	var reply struct{ Content string }
	if json.Unmarshal([]byte(r.Text()), &reply) == nil {
		return reply.Content
	}
	_, content, _ := strings.Cut(r.Text(), "\n---\n\n")
	return content
}

// graphOf reads all of a graph by another client.
func graphOf(t *testing.T, w *profiletest.World) rebuild.Graph {
	t.Helper()
	g, err := rebuild.Read(t.Context(), func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
		return w.Ask(ctx, profiletest.MainGraph, action, args...)
	})
	require.NoError(t, err)
	return g
}

// testOneWord replaces the only word of blocks of the help graph in each profile, count times.
// The graph then differs in these words, and in nothing else.
func testOneWord(t *testing.T, count int) {
	export, words := looked(t)
	for profile, calls := range noteCalls {
		t.Run(profile, func(t *testing.T) {
			w, c := profiletest.Connect(t, profiletest.Options{Profile: profile, Export: export, Server: func(o *mcpserve.Options) { o.MaxReply, o.EditCode = 1<<20, true }})
			want, words := graphOf(t, w), slices.Clone(words)
			for i := range count {
				each := &words[i%len(words)]
				page := fmt.Sprintf(calls.named, each.page)
				content := contentOf(callLine(t, c, fmt.Sprintf(calls.read, page)))
				line := regexp.MustCompile(`(?m)^([ \t]*(?:- )?#* ?)` + regexp.QuoteMeta(each.text) + `$`)
				if at := line.FindAllString(content, -1); len(at) != 1 {
					t.Fatalf("%q is %d times in %s", each.text, len(at), content)
				}
				each.text = oneWord.ReplaceAllString(each.text, fmt.Sprintf("${1}%s${3}", strings.Repeat("x", 1+i/len(words))+string(rune('a'+i%26))))
				callLine(t, c, fmt.Sprintf(calls.write, page, `"content":`+quoted(line.ReplaceAllString(content, "${1}"+each.text))))
				want.Nodes[each.uid].Attrs[":block/string"] = quoted(each.text)
			}
			got := graphOf(t, w)
			delete(got.Nodes, w.PageUID("Sandbox user (AI)"))
			for _, line := range rebuild.Differences(got, want) {
				t.Error(line)
			}
		})
	}
}

// callLine makes the call of a line, which is a tool and its arguments, and is done.
func callLine(t *testing.T, c *profiletest.Client, line string) profiletest.Result {
	t.Helper()
	tool, arguments, _ := strings.Cut(line, " ")
	r := c.Call(tool, arguments)
	if r.IsError || r.RPC != nil {
		t.Fatalf("%s: %s", line, r)
	}
	return r
}

func TestABlockOfOneWordKeepsAllButTheWord(t *testing.T) { testOneWord(t, 20) }
