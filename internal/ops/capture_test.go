package ops

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/testutil/require"
)

// TestEveryKindOfWriteIsCaptured finds the types that are a Write in the source, and wants each
// of them to be recorded with what takes it back, and read again from a record. A kind that is
// new goes into randomly.kinds.
func TestEveryKindOfWriteIsCaptured(t *testing.T) {
	r := randomly{rand.New(rand.NewPCG(15, 2))}
	known := map[string]Write{"FileUpload": FileUpload{}, "ExtensionCall": ExtensionCall{}}
	for _, w := range r.kinds() {
		known[reflect.TypeOf(w).Name()] = w
	}
	for _, name := range typesThatRequest(t) {
		w, ok := known[name]
		if !ok {
			t.Errorf("%s is a Write that no test knows", name)
			continue
		}
		c := w.Capture()
		action, _ := w.Request()
		switch {
		case c.Class == fact.ClassOpaque || c.Class == fact.ClassFile:
			if reach := w.Footprint(); len(reach.Places)+len(reach.Titles) > 0 {
				t.Errorf("%s changes pages or blocks, and nothing of them is captured", name)
			}
		case c.Touches == nil:
			t.Errorf("%s is captured without what it touches", name)
		case c.Look == nil && !c.BestEffort:
			t.Errorf("%s changes what is there, and nothing reads it before", name)
		case parserOf(action) == nil:
			t.Errorf("%s is not read again from its record", name)
		}
		if done := w.Done(json.RawMessage(`{}`)); done.What == "" && c.Class != fact.ClassOpaque && c.Class != fact.ClassFile && reflect.TypeOf(w).Kind() != reflect.Slice {
			t.Errorf("%s does not say what it has done", name)
		}
	}
}

// typesThatRequest returns the names of the types of this package with a method Request, so that
// one without Capture is missed too.
func typesThatRequest(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, each := range file.Decls {
			method, ok := each.(*ast.FuncDecl)
			if !ok || method.Recv == nil || method.Name.Name != "Request" {
				continue
			}
			if name, ok := method.Recv.List[0].Type.(*ast.Ident); ok {
				names = append(names, name.Name)
			}
		}
	}
	if len(names) < 15 {
		t.Fatalf("these are too few: %v", names)
	}
	slices.Sort(names)
	return names
}
