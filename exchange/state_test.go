package exchange

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// The screens and the tests of what a person sees walk States: a constant that
// it leaves out would have no screen, and nobody would notice.
func TestStatesListsEveryConstant(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "state.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var names []string
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		first, _ := group.Specs[0].(*ast.ValueSpec)
		if kind, ok := first.Type.(*ast.Ident); !ok || kind.Name != "State" {
			continue
		}
		for _, spec := range group.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				names = append(names, name.Name)
			}
		}
	}
	if len(names) != len(States()) {
		t.Errorf("state.go has the states %v, States lists %d: %v", names, len(States()), States())
	}
}
