package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/require"
)

// startWith runs a sandbox with a graph that has the export's pages.
func startWith(t *testing.T, export string) *Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "export.json")
	require.NoError(t, os.WriteFile(path, []byte(export), 0o600))
	return start(t, Options{Home: t.TempDir(), Policy: desk.Allow, Import: []Import{{Path: path, Graph: demo}}})
}

// rows returns what a query of two columns of text finds, each row as "a b", sorted.
func (c *caller) rows(query string) []string {
	c.t.Helper()
	found, err := c.query(query)
	require.NoError(c.t, err)
	var pairs [][2]any
	require.NoError(c.t, json.Unmarshal([]byte(found), &pairs))
	lines := []string{}
	for _, pair := range pairs {
		lines = append(lines, fmt.Sprint(pair[0], " ", pair[1]))
	}
	slices.Sort(lines)
	return lines
}

const (
	allTexts      = `[:find ?u ?s :where [?b :block/string ?s] [?b :block/uid ?u]]`
	allReferences = `[:find ?u ?r :where [?b :block/refs ?e] [?b :block/uid ?u] [?e :block/uid ?r]]`
)

// The examples of the profiles rely on it.
func TestTheGraphOfTheExamples(t *testing.T) {
	s := startWith(t, demograph.JSON)
	c := callerOf(t, s, demo)
	t.Run("has the references of its texts", func(t *testing.T) {
		const want = `ad0000001 apollo001, ad0000002 stub00003, ap0000000 stub00000, ap0000000 stub00001, ap0000000 stub00006, ` +
			`ap0000001 saturnv01, ap0000002 ada000001, ap0000003 grace0001, ap0000003 stub00007, ap0000004 sv0000001, ` +
			`da0000001 apollo001, da0000001 grace0001, da0000001 stub00005, da0000002 orphan001, da0000002 stub00010, da0000003 stub00009, ` +
			`ge0000001 apollo001, gl0000001 saturnv01, gl0000002 ada000001, gr0000001 stub00004, ` +
			`sh0000001 stub00007, sh0000002 stub00008, sv0000000 stub00002, sv0000000 stub00006, sv0000002 ada000001, sv0000002 grace0001`
		if got := strings.Join(c.rows(allReferences), ", "); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
	t.Run("comes again from its export, with times and uids", func(t *testing.T) {
		first := exported(t, ExportOptions{Home: s.options.Home, Graph: "demo"})
		for _, export := range []string{demograph.JSON, first} {
			again := startWith(t, export)
			if got := exported(t, ExportOptions{Home: again.options.Home, Graph: "demo"}); got != first {
				t.Errorf("export\n%s\nwant\n%s", got, first)
			}
		}
		for _, want := range []string{`{"title":"computing","uid":"stub00004","create-time":1704672000000,"edit-time":1704672000000}`, `"edit-time":1705330920000`} {
			if !strings.Contains(first, want) {
				t.Errorf("%s is not in the export", want)
			}
		}
	})
	t.Run("has the pages that are only mentioned, though an export lacks them", func(t *testing.T) {
		var pages []map[string]any
		require.NoError(t, json.Unmarshal([]byte(demograph.JSON), &pages))
		pages = slices.DeleteFunc(pages, func(p map[string]any) bool { return strings.HasPrefix(p["uid"].(string), "stub") })
		lacking, err := json.Marshal(pages)
		require.NoError(t, err)
		titles := func(c *caller) []string {
			return c.rows(`[:find ?t ?same :where [?p :node/title ?t] [?p :node/title ?same] [?p :block/uid] [?p :create/time] [?p :edit/time]]`)
		}
		if got, want := titles(callerOf(t, startWith(t, string(lacking)), demo)), titles(c); len(want) != 21 || !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("follows a page's new title", func(t *testing.T) {
		c := callerOf(t, startWith(t, demograph.JSON), demo)
		before := c.rows(allReferences)
		c.do("data.page.update", `{"page": {"uid": "apollo001", "title": "Projects/Apollo 11"}}`)
		c.wantTexts(t, "ad0000001 Met at the [[Projects/Apollo 11]] review",
			"da0000001 Review of [[Projects/Apollo 11]] with [[Grace]] #meeting", "ge0000001 Forerunner of [[Projects/Apollo 11]]")
		if after := c.rows(allReferences); !slices.Equal(after, before) {
			t.Errorf("the references are %v, were %v", after, before)
		}
	})
	t.Run("has plain text for the links to a page that is deleted", func(t *testing.T) {
		c := callerOf(t, startWith(t, demograph.JSON), demo)
		c.do("data.page.delete", `{"page": {"uid": "saturnv01"}}`)
		c.wantTexts(t, "ap0000001 Goal: land on the moon, see Saturn V", "gl0000001 Saturn V: a rocket",
			"ap0000004 See The F-1 engine burns kerosene for the engine")
		for _, row := range c.rows(allTexts) {
			if strings.HasPrefix(row, "sv0") {
				t.Errorf("%s is there still", row)
			}
		}
	})
}

// wantTexts fails the test unless the blocks have these texts, each "uid text".
func (c *caller) wantTexts(t *testing.T, want ...string) {
	t.Helper()
	texts := c.rows(allTexts)
	for _, one := range want {
		if !slices.Contains(texts, one) {
			t.Errorf("no block is %q: %q", one, texts)
		}
	}
}

func TestWritesToTheGraphOfTheExamples(t *testing.T) {
	c := callerOf(t, startWith(t, demograph.JSON), demo)
	t.Run("shortcuts have a place each", func(t *testing.T) {
		add := func(args ...any) {
			t.Helper()
			_, err := c.client.Call(t.Context(), demo, c.token, "data.page.addShortcut", args...)
			require.NoError(t, err)
		}
		const all = `[:find ?i ?u :where [?p :page/sidebar ?i] [?p :block/uid ?u]]`
		add("grace0001")
		add("apollo001", 0)
		if got := c.rows(all); !slices.Equal(got, []string{"0 apollo001", "1 grace0001"}) {
			t.Errorf("the shortcuts are %v", got)
		}
		_, err := c.client.Call(t.Context(), demo, c.token, "data.page.removeShortcut", "apollo001")
		require.NoError(t, err)
		if got := c.rows(all); !slices.Equal(got, []string{"0 grace0001"}) {
			t.Errorf("the shortcuts are %v", got)
		}
	})
	t.Run("blocks go below the child with a text", func(t *testing.T) {
		for _, text := range []string{"Buy stamps", "Post them"} {
			c.do("data.block.fromMarkdown", `{"location": {"page-title": {"daily-note-page": "01-15-2024"}, "order": "last", "nest-under-str": "[[Notes]]"}, "markdown-string": "`+text+`"}`)
			c.do("data.block.fromMarkdown", `{"location": {"page-title": {"daily-note-page": "01-16-2024"}, "order": "last", "nest-under-str": "[[Notes]]"}, "markdown-string": "`+text+`"}`)
		}
		const below = `[:find ?s ?t :where [?n :block/string "[[Notes]]"] [?n :block/children ?b] [?b :block/string ?s] [?n :block/page ?p] [?p :node/title ?t]]`
		want := []string{"Buy stamps January 15th, 2024", "Buy stamps January 16th, 2024", "Post them January 15th, 2024", "Post them January 16th, 2024", "call the bank January 15th, 2024"}
		if got := c.rows(below); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
	t.Run("a page that is only mentioned is there already, and takes blocks", func(t *testing.T) {
		_, err := c.try("data.page.fromMarkdown", `{"page": {"title": "tea"}, "markdown-string": "Black"}`)
		seen{localapi.CodeAlreadyExists, 500, "already exists"}.check(t, "a page for tea", "", err)
		c.do("data.block.fromMarkdown", `{"location": {"page-title": "tea", "order": "last"}, "markdown-string": "Black"}`)
		if got := c.markdown("stub00003"); !strings.Contains(got, "- Black") {
			t.Errorf("the page is %s", got)
		}
		if !slices.Contains(c.rows(allReferences), "ad0000002 stub00003") {
			t.Error("nothing refers to the page any more")
		}
	})
	t.Run("a file is uploaded and read", func(t *testing.T) {
		const content = "iVBORw0KGgo="
		embed := c.do("file.upload", `{"base64": "`+content+`", "mimetype": "image/png", "filename": "a.png"}`)
		var text string
		require.NoError(t, json.Unmarshal([]byte(embed), &text))
		address, found := strings.CutPrefix(strings.TrimSuffix(text, ")"), "![](")
		if !found {
			t.Fatalf("it is embedded as %s", text)
		}
		if got := c.do("file.get", `{"url": "`+address+`", "format": "base64"}`); !strings.Contains(got, content) {
			t.Errorf("it is read as %s", got)
		}
	})
}
