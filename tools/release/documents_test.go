package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestLinksInArchivesLeadSomewhere(t *testing.T) {
	const base = "https://github.com/ada/roam-mcp/blob/v1.2.3/"
	there := []file{{name: "LICENSE"}}
	for name, tc := range map[string]struct{ text, web, bare string }{
		"a page":             {"see [the page](docs/A.md#b).", "see [the page](" + base + "docs/A.md#b).", "see the page."},
		"a file beside it":   {"[free](LICENSE)", "[free](LICENSE)", "[free](LICENSE)"},
		"a heading":          {"[below](#x)", "[below](#x)", "[below](#x)"},
		"an address":         {"[MCP](https://example.com/a)", "[MCP](https://example.com/a)", "[MCP](https://example.com/a)"},
		"code as its text":   {"[`a[0]`](docs/A.md)", "[`a[0]`](" + base + "docs/A.md)", "`a[0]`"},
		"a picture":          {"x ![alt](docs/a.png)", "x ![alt](" + strings.Replace(base, "blob", "raw", 1) + "docs/a.png)", "x "},
		"a picture in a tag": {"<picture>\n  <source srcset=\"docs/d.png\">\n  <img src=\"docs/l.png\" alt=\"a\">\n</picture>\n", "<picture>\n  <source srcset=\"" + strings.Replace(base, "blob", "raw", 1) + "docs/d.png\">\n  <img src=\"" + strings.Replace(base, "blob", "raw", 1) + "docs/l.png\" alt=\"a\">\n</picture>\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(linked([]byte(tc.text), base, there)); got != tc.web {
				t.Errorf("with a repository: %q", got)
			}
			if got := string(linked([]byte(tc.text), "", there)); got != tc.bare {
				t.Errorf("without: %q", got)
			}
		})
	}
}

func TestTextsOfArchives(t *testing.T) {
	relative := regexp.MustCompile(`\]\((\w[^):]*|\.[^)]*)\)|(?:src|srcset|href)="[^":#]*"`)
	for _, repository := range []string{"", "https://github.com/ada/roam-mcp"} {
		r := release{source: filepath.Join("..", ".."), version: "1.2.3", repository: repository}
		texts, err := r.texts()
		require.NoError(t, err)
		for _, text := range texts {
			for _, link := range relative.FindAllString(string(text.data), -1) {
				if !strings.Contains(link, "(LICENSE)") && !strings.Contains(link, "(CHANGELOG.md)") {
					t.Errorf("%s with the repository %q links to %s", text.name, repository, link)
				}
			}
		}
	}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "README.md"), []byte("a"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "LICENSE"), []byte("b"), 0o600))
	r := release{source: folder}
	if texts, err := r.texts(); err != nil || len(texts) != 2 || texts[0].name != "LICENSE" {
		t.Errorf("%v, %v", texts, err)
	}
}

func TestTheManualPageHasEveryCommand(t *testing.T) {
	commands, err := os.ReadFile(filepath.Join("..", "..", "docs", "COMMANDS.md"))
	require.NoError(t, err)
	page := string((&release{version: "1.2.3"}).manual(commands))
	for _, want := range []string{".TH roam-mcp 1 \"\" \"roam-mcp 1.2.3\"", ".SS \\fBroam-mcp sandbox export GRAPH\\fR", "interrupted"} {
		if !strings.Contains(strings.ReplaceAll(page, `\-`, "-"), want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if strings.Contains(strings.ReplaceAll(page, `\-`, ""), "-") {
		t.Error("it has a hyphen that can't be copied into a shell")
	}
	if strings.Contains(page, "<!--") || strings.Contains(page, "](") {
		t.Error("it has what only Markdown needs")
	}
}

func TestNotes(t *testing.T) {
	const changes = "# Changes\n\n## Next\n\n- coming\n\n## 1.2.0 (2026-11-28)\n\n- done\n- more\n\n## v1.1.0\n- old\n"
	for version, want := range map[string]string{"1.2.0": "- done\n- more\n", "1.1.0": "- old\n", "1.3.0": "- coming\n"} {
		if got := notes([]byte(changes), version); got != want {
			t.Errorf("of %s: %q", version, got)
		}
	}
	if got := notes(nil, "1.0.0"); got != "No changes are listed.\n" {
		t.Errorf("%q", got)
	}
}
