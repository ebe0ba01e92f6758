package exchange

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// states lists the states that have words, in the order of the constants.
func states() []State {
	var all []State
	for s := Locating; s.String() != "unknown state"; s++ {
		all = append(all, s)
	}
	return all
}

// The tests of the states walk those that have words.
func TestEveryStateHasWords(t *testing.T) {
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
	if len(names) != len(states()) {
		t.Errorf("state.go has the states %v, and words for %d: %v", names, len(states()), states())
	}
}
