package mcpserve

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
)

// The tool tables of the README stand between these lines, and are written by
// go test ./mcpserve -run Readme -update.
const (
	toolTablesBegin = "<!-- tools -->\n"
	toolTablesEnd   = "<!-- /tools -->"
)

func TestTheReadmeHasTheToolsOfTheRegistry(t *testing.T) {
	golden.Section(t, "../README.md", toolTablesBegin, toolTablesEnd, toolTables(roamProfile()))
}

// toolTables has a table for each toolset that has tools, folded where it is not
// on by default.
func toolTables(p profile) string {
	var b strings.Builder
	for _, set := range p.toolsets {
		var rows strings.Builder
		for i := range p.tools {
			if each := &p.tools[i]; each.toolset == set.name {
				scope := string(each.scope)
				if each.scope == scopeNone {
					scope = "none"
				}
				about := each.description
				if each.choosing {
					about += " Not offered where exactly one graph is enabled."
				}
				fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", each.name, strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(about), scope)
			}
		}
		if rows.Len() == 0 {
			continue
		}
		open, switched := "", "off unless named"
		if set.on {
			open, switched = " open", "on"
		}
		fmt.Fprintf(&b, "<details%s>\n<summary><b>%s</b> (%s): %s</summary>\n\n| tool | what it does | scope |\n|---|---|---|\n%s\n</details>\n\n", open, set.name, switched, set.about, rows.String())
	}
	return b.String()
}
