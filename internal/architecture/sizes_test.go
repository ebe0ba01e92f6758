package architecture

import (
	"go/ast"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

const (
	mostFiles = 8   // in which the methods of a type stand
	mostLines = 600 // of a file
)

// A type that reaches over a whole room, and a file of several ideas, are what keeps a reader
// out (CONTRIBUTING.md, "How code is written here").
func TestTypesAndFilesHaveASize(t *testing.T) {
	root := os.DirFS("../..")
	all, err := readSources(root)
	require.NoError(t, err)
	methods := map[string][]string{} // the files, by package and type
	for _, s := range all.files {
		text, err := fs.ReadFile(root, s.name)
		require.NoError(t, err)
		if lines := strings.Count(string(text), "\n"); lines > mostLines {
			t.Errorf("%s has %d lines; what is the second idea in it?", s.name, lines)
		}
		for _, each := range s.tree.Decls {
			method, ok := each.(*ast.FuncDecl)
			if !ok || method.Recv == nil {
				continue
			}
			name := path.Dir(s.name) + "." + receiver(method.Recv.List[0].Type)
			if !slices.Contains(methods[name], s.name) {
				methods[name] = append(methods[name], s.name)
			}
		}
	}
	for name, files := range methods {
		if len(files) > mostFiles {
			t.Errorf("%s has methods in %d files; what are its parts?", name, len(files))
		}
	}
}

// receiver returns the name of the type of a method.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
