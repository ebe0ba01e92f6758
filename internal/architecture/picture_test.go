package architecture

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
)

// TestPictures compares the pictures of docs/dev/ARCHITECTURE.md with the table of imports.
func TestPictures(t *testing.T) {
	text, err := fs.ReadFile(os.DirFS("../.."), tableFile)
	require.NoError(t, err)
	rows, err := tableOf(string(text))
	require.NoError(t, err)
	draw := func(name string, room func(string) string) {
		golden.Section(t, "../../"+document, "<!-- "+name+" -->\n", "<!-- /"+name+" -->", picture(arrowsOf(rows, room)))
	}
	draw("rooms", func(name string) string {
		top, below, _ := strings.Cut(name, "/")
		if top != "internal" {
			return top
		}
		below, _, _ = strings.Cut(below, "/")
		switch below {
		case "clients", "graph", "journal", "localapi", "ops", "sandbox":
			return top + "/" + below
		}
		return "" // of use everywhere
	})
	draw("server", func(name string) string {
		if name != "mcpserve" && !strings.HasPrefix(name, "mcpserve/") && !strings.HasPrefix(name, "internal/ops") && !strings.HasPrefix(name, "internal/journal/") {
			return ""
		}
		return name
	})
}

// arrowsOf returns which rooms import which. room returns the room of a package,
// empty where it is left out.
func arrowsOf(rows table, room func(string) string) map[string][]string {
	arrows := map[string][]string{}
	for name, patterns := range rows {
		from := room(name)
		if from == "" {
			continue
		}
		if _, met := arrows[from]; !met {
			arrows[from] = nil
		}
		for other := range rows {
			allowed := slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, other) })
			if to := room(other); allowed && to != "" && to != from && !slices.Contains(arrows[from], to) {
				arrows[from] = append(arrows[from], to)
			}
		}
	}
	return arrows
}

// picture returns a mermaid graph without the arrows that a longer way stands for.
func picture(arrows map[string][]string) string {
	var b strings.Builder
	b.WriteString("```mermaid\ngraph TD\n")
	for _, from := range slices.Sorted(maps.Keys(arrows)) {
		fmt.Fprintf(&b, "  %s[%q]\n", node(from), from)
	}
	for _, from := range slices.Sorted(maps.Keys(arrows)) {
		for _, to := range slices.Sorted(slices.Values(arrows[from])) {
			around := slices.ContainsFunc(arrows[from], func(by string) bool { return by != to && reaches(arrows, by, to) })
			if !around {
				fmt.Fprintf(&b, "  %s --> %s\n", node(from), node(to))
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// node returns the name of a room as mermaid takes it.
func node(name string) string { return strings.NewReplacer("/", "_", "-", "_").Replace(name) }

// reaches reports whether a way of arrows leads from one room to the other. There
// are no circles: packages that import one another do not compile.
func reaches(arrows map[string][]string, from, to string) bool {
	return slices.ContainsFunc(arrows[from], func(next string) bool { return next == to || reaches(arrows, next, to) })
}
