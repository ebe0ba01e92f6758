package mcpserve

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/mcpserve/profile/roam"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// The tool tables of the README stand between these lines, and are written by
// go test ./mcpserve -run Readme -update.
const (
	toolTablesBegin = "<!-- tools -->\n"
	toolTablesEnd   = "<!-- /tools -->"
)

func TestTheReadmeHasTheToolsOfTheRegistry(t *testing.T) {
	golden.Section(t, "../README.md", toolTablesBegin, toolTablesEnd, toolTables(roam.Profile()))
}

// toolTables has a table for each toolset that has tools, folded where it is not
// on by default.
func toolTables(p surface.Profile) string {
	var b strings.Builder
	for _, set := range p.Toolsets {
		var rows strings.Builder
		for i := range p.Tools {
			if each := &p.Tools[i]; each.Toolset == set.Name {
				scope := string(each.Scope)
				if each.Scope == surface.ScopeNone {
					scope = "none"
				}
				about := problem.World{Tool: p.ToolName}.Say(each.Description)
				if each.Choosing {
					about += " Not offered where exactly one graph is enabled."
				}
				fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", each.Name, strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(about), scope)
			}
		}
		if rows.Len() == 0 {
			continue
		}
		open, switched := "", "off unless named"
		if set.On {
			open, switched = " open", "on"
		}
		fmt.Fprintf(&b, "<details%s>\n<summary><b>%s</b> (%s): %s</summary>\n\n| tool | what it does | scope |\n|---|---|---|\n%s\n</details>\n\n", open, set.Name, switched, set.About, rows.String())
	}
	return b.String()
}
