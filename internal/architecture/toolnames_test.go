package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// TestOnlyProfilesNameTools looks for the names of tools in the texts of all
// packages but the profiles, and for decisions by the name of a tool or of a
// toolset. A text names a tool by its task, and a decision rests on what a tool
// is, so that a profile may call its tools as it likes.
func TestOnlyProfilesNameTools(t *testing.T) {
	tools, toolsets := map[string]bool{}, map[string]bool{}
	for _, profile := range mcpserve.Profiles() {
		for _, tool := range profile.Tools {
			tools[tool.Name] = true
		}
		for _, set := range profile.Toolsets {
			toolsets[set.Name] = true
		}
	}
	files := 0
	err := eachSource(os.DirFS("../.."), func(path string, set *token.FileSet, file *ast.File) {
		files++
		switch path {
		case "internal/journal/history/undone.go": // names that are in journals, whatever the tools are called
			return
		case "mcpserve/surface/graphs.go", "mcpserve/surface/history.go": // the tools of every profile
			return
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.BasicLit:
				if name := toolIn(textOf(node), tools); name != "" {
					t.Errorf("%s: a text names the tool %s; say its task instead (internal/problem/tasks.go)", set.Position(node.Pos()), name)
				}
			case *ast.BinaryExpr:
				if node.Op == token.EQL || node.Op == token.NEQ {
					for _, side := range []ast.Expr{node.X, node.Y} {
						if text := textOf(side); (tools[text] || toolsets[text]) && comparesNames(node) {
							t.Errorf("%s: a decision by the name %q; a tool has a Task, Effects, a Scope", set.Position(node.Pos()), text)
						}
					}
				}
			}
			return true
		})
	})
	require.NoError(t, err)
	if files < 300 || len(tools) < 30 {
		t.Fatalf("%d files and %d tools were looked at: where are the others?", files, len(tools))
	}
}

// comparesNames reports whether one side of a comparison is the name of a tool or
// of a toolset, by what it is called.
func comparesNames(node *ast.BinaryExpr) bool {
	for _, side := range []ast.Expr{node.X, node.Y} {
		if field, ok := side.(*ast.SelectorExpr); ok && (field.Sel.Name == "Name" || field.Sel.Name == "Toolset") {
			return true
		}
	}
	return false
}

// toolIn returns the first tool whose name stands in a text as a word. Names that
// are words of English are left out.
func toolIn(text string, tools map[string]bool) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		if tools[word] && strings.Contains(word, "_") {
			return word
		}
	}
	return ""
}

func textOf(expression ast.Expr) string {
	literal, ok := expression.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return ""
	}
	return text
}

// eachSource parses every Go file of the module that is neither a test nor part
// of a profile, nor a helper for tests or a program of tools.
func eachSource(root fs.FS, visit func(path string, set *token.FileSet, file *ast.File)) error {
	return fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path == "mcpserve/profile" || path == "internal/testutil" || path == "tools" || path == "internal/sandbox" || strings.HasPrefix(path, ".git")):
			return fs.SkipDir // the sandbox has Roam's names, of which some are alike
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		visit(path, set, file)
		return nil
	})
}
