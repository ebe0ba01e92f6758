package profiletest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/surface"
)

// Seed returns the document that a profile was made by, of which the working papers have
// one with that number. Where the papers are not there, it skips the test.
func Seed(t testing.TB, number string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "seeds", number+"_*.txt"))
	require.NoError(t, err)
	if len(files) != 1 {
		t.Skip("the document is not here")
	}
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	return string(text)
}

// ToolsTable returns the profile's own tools as docs/profiles lists them.
func ToolsTable(p surface.Profile) string {
	var table strings.Builder
	table.WriteString("| tool | parameters | what it does | scope |\n|---|---|---|---|\n")
	for i := range p.Tools {
		if each := &p.Tools[i]; each.Run != nil {
			about := problem.World{Tool: p.ToolName}.Say(each.Description)
			if each.Toolset != "core" {
				about += " (`" + each.Toolset + "`)"
			}
			fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", each.Name, parameters(each.Params), strings.ReplaceAll(about, "|", `\|`), each.Scope)
		}
	}
	return table.String()
}

// parameters lists parameters with what they take; those that can be left out have a
// question mark, or their default.
func parameters(params []surface.Param) string {
	var list []string
	for _, p := range params {
		text := "`" + p.Name + "`"
		switch {
		case len(p.Choices) > 0:
			text += " " + strings.Join(p.Choices, ", ")
		case p.Min != nil && p.Max != nil && p.Kind != surface.Strings:
			text += fmt.Sprintf(" %d to %d", *p.Min, *p.Max)
		}
		if p.Default != nil {
			value, _ := json.Marshal(p.Default)
			text += " (" + strings.Trim(string(value), `"`) + ")"
		} else if !p.Required {
			text += "?"
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// CallsTable returns how many actions Roam is asked for by each of the profile's own tools
// that read, as docs/profiles lists them: where the mirror is there, and where it is
// read first. More than two and five fail the test. arguments are by tool.
func (s *Suite) CallsTable(t *testing.T, p surface.Profile, arguments map[string]string) string {
	t.Helper()
	var table strings.Builder
	table.WriteString("| tool | mirror is there | mirror is read first |\n|---|---|---|\n")
	for _, tool := range p.Tools {
		if !tool.Effects.ReadOnly || tool.Run == nil {
			continue
		}
		w := s.World(t)
		c := w.Connect(Ways()[0])
		count := func() int {
			w.ResetCalls()
			if r := c.Call(tool.Name, arguments[tool.Name]); r.IsError || r.RPC != nil {
				t.Fatalf("%s: %s", tool.Name, r)
			}
			return w.Calls().Total()
		}
		cold, warm := count(), count()
		if cold > 5 || warm > 2 {
			t.Errorf("%s takes %d calls cold and %d warm", tool.Name, cold, warm)
		}
		fmt.Fprintf(&table, "| `%s` | %d | %d |\n", tool.Name, warm, cold)
	}
	return table.String()
}
