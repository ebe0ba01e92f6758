package architecture

import (
	"go/ast"
	"go/types"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// outlets are the functions that may have a stream to a person in their hands, and why.
func outlets() map[string]string {
	return map[string]string{
		"cmd/roam-mcp/main.go run":                "hands them to the program",
		"cmd/roam-mcp/root.go execute":            "hands them to cobra, and to report, which shows",
		"cmd/roam-mcp/root.go logger":             "of the log, which escapes",
		"cmd/roam-mcp/printing.go answerData":     "data goes into files and pipes as it is",
		"cmd/roam-mcp/serve.go serve":             "MCP",
		"cmd/roam-mcp/setup.go setupOnce":         "of the setup program, whose frames are kit.Drawn",
		"cmd/roam-mcp/servetell.go errIsTerminal": "asks whether it is a terminal",
		"tui/tui.go withDefaults":                 "of the setup program, whose frames are kit.Drawn",
		"tui/tui.go Run":                          "of the setup program, whose frames are kit.Drawn",
	}
}

// TestNothingGoesAroundTheFunctionsThatShow looks for whatever could print a text of
// others as it is: a stream in other hands than those that are listed, unless it is
// wrapped in showing or only asked for what it is.
func TestNothingGoesAroundTheFunctionsThatShow(t *testing.T) {
	all, err := readSources(os.DirFS("../.."))
	require.NoError(t, err)
	allowed := outlets()
	seen := map[string]bool{}
	for _, each := range all.streams() {
		if allowed[each.where] == "" {
			t.Errorf("%s has %s: print with answer, tell or table, or name it in outlets", each.where, each.what)
		}
		seen[each.where] = true
	}
	for where := range allowed {
		if !seen[where] {
			t.Errorf("%s has no stream any more", where)
		}
	}
}

type stream struct{ where, what string }

// streams returns where the faces take a stream to a person in their hands.
func (all *sources) streams() (found []stream) {
	for _, s := range all.files {
		if folder := path.Dir(s.name); folder != "cmd/roam-mcp" && folder != "tui" {
			continue
		}
		for _, declaration := range s.tree.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			where := s.name + " " + f.Name.Name
			ast.Inspect(f.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CompositeLit:
					return types.ExprString(n) == "" || n.Type == nil || types.ExprString(n.Type) != "showing"
				case *ast.CallExpr:
					name := types.ExprString(n.Fun)
					if slices.Contains([]string{"isTerminal", "helpWidth", "a.out.Fd"}, name) {
						return false
					}
					if strings.HasPrefix(name, "fmt.Print") || name == "print" || name == "println" {
						found = append(found, stream{where, name})
					}
				case *ast.SelectorExpr:
					if what := types.ExprString(n); isStream(path.Dir(s.name), what, n.Sel.Name) {
						found = append(found, stream{where, what})
						return false
					}
				}
				return true
			})
		}
	}
	return found
}

// isStream reports whether an expression is a stream to a person.
func isStream(folder, what, field string) bool {
	switch {
	case what == "os.Stdout", what == "os.Stderr", field == "OutOrStdout", field == "ErrOrStderr", field == "OutOrStderr":
		return true
	case folder == "cmd/roam-mcp":
		return slices.Contains([]string{"a.out", "a.err", "s.out", "s.err", "a.streams", "app.out", "app.err"}, what)
	case folder == "tui":
		return field == "Output"
	}
	return field == "w"
}
