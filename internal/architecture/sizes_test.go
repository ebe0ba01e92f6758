package architecture

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

const (
	mostMethods = 40  // that are reachable from one value, those of embedded types counted
	mostLines   = 600 // of a file
)

// overMethods returns the types that have more methods than mostMethods, with how many. The
// list only gets shorter, and its numbers smaller.
func overMethods() map[string]int {
	return map[string]int{
		"cmd/roam-mcp.callCommands":         46,
		"cmd/roam-mcp.clientCommands":       49,
		"cmd/roam-mcp.graphCommands":        50,
		"cmd/roam-mcp.historyCommands":      50,
		"cmd/roam-mcp.selfCommands":         43,
		"internal/clients.Machine":          59,
		"internal/clients/doctor.Ports":     46,
		"internal/graph/datalog.builtin":    52,
		"internal/graph/datalog.pullParser": 44,
		"internal/graph/mirror.refresh":     49,
		"internal/graph/outline.Writer":     58,
		"internal/journal/history.Journal":  96,
		"internal/journal/history.reader":   56,
		"internal/journal/history.remover":  41,
		"internal/journal/history.writer":   66,
		"internal/journal/undo.walk":        52,
		"internal/ops.Creates":              73,
		"internal/ops.Desktop":              60,
		"internal/ops.Edits":                65,
		"internal/ops.Finds":                52,
		"internal/ops.Graph":                174,
		"internal/ops.Reads":                66,
		"internal/ops.Rewrites":             59,
		"internal/ops.sender":               50,
		"mcpserve.Server":                   45,
		"mcpserve.guidelineReader":          49,
		"mcpserve.promptList":               50,
		"mcpserve.replyWriter":              53,
		"mcpserve.resourceList":             47,
		"mcpserve.setupCall":                50,
		"mcpserve.ticketCheck":              48,
		"mcpserve/profile/notes.edit":       49,
		"mcpserve/profile/notes.updating":   59,
		"tui.Wording":                       44,
		"tui.clientsScreen":                 50,
		"tui.env":                           51,
		"tui.graphList":                     45,
		"tui.root":                          63,
	}
}

// A type that reaches over a whole room, and a file of several ideas, are what keeps a reader
// out (CONTRIBUTING.md, "How code is written here").
func TestTypesAndFilesHaveASize(t *testing.T) {
	root := os.DirFS("../..")
	all, err := readSources(root)
	require.NoError(t, err)
	for _, s := range all.files {
		text, err := fs.ReadFile(root, s.name)
		require.NoError(t, err)
		if lines := strings.Count(string(text), "\n"); lines > mostLines {
			t.Errorf("%s has %d lines; what is the second idea in it?", s.name, lines)
		}
	}
	for _, complaint := range checkMethods(all.types(), overMethods()) {
		t.Error(complaint)
	}
}

// checkMethods returns a sentence for each type with too many methods, and for each exception
// that is too large.
func checkMethods(types map[string]typed, over map[string]int) []string {
	var complaints []string
	for _, name := range slices.Sorted(maps.Keys(types)) {
		reached := map[string]bool{}
		reach(types, name, reached, map[string]bool{})
		n, recorded := len(reached), over[name]
		switch {
		case n > mostMethods && recorded == 0:
			complaints = append(complaints, fmt.Sprintf("%d methods are reachable from a value of %s; what are its parts?", n, name))
		case n > mostMethods && n != recorded, n <= mostMethods && recorded != 0:
			complaints = append(complaints, fmt.Sprintf("%d methods are reachable from a value of %s, and the list of exceptions says %d", n, name, recorded))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(over)) {
		if _, found := types[name]; !found {
			complaints = append(complaints, "the list of exceptions names "+name+", which is gone")
		}
	}
	return complaints
}

// reach adds the methods that are reachable from a value of a type.
func reach(types map[string]typed, name string, reached, seen map[string]bool) {
	if seen[name] {
		return
	}
	seen[name] = true
	for method := range types[name].methods {
		reached[method] = true
	}
	for _, embedded := range types[name].embeds {
		reach(types, embedded, reached, seen)
	}
}

// typed is a type with its own methods and the types of this module that it embeds.
type typed struct {
	methods map[string]bool
	embeds  []string
}

// types returns the types of the sources, by "folder.Name".
func (all *sources) types() map[string]typed {
	types := map[string]typed{}
	of := func(name string) typed {
		if _, found := types[name]; !found {
			types[name] = typed{methods: map[string]bool{}}
		}
		return types[name]
	}
	for _, s := range all.files {
		folder := path.Dir(s.name)
		for _, each := range s.tree.Decls {
			switch d := each.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					of(folder + "." + receiver(d.Recv.List[0].Type)).methods[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						name := folder + "." + spec.Name.Name
						declared := of(name)
						declared.embeds = s.embedded(spec.Type, declared.methods)
						types[name] = declared
					}
				}
			}
		}
	}
	return types
}

// embedded returns the types of this module that a struct or an interface embeds, and adds the
// methods that an interface names.
func (s source) embedded(declared ast.Expr, methods map[string]bool) []string {
	var fields *ast.FieldList
	switch declared := declared.(type) {
	case *ast.StructType:
		fields = declared.Fields
	case *ast.InterfaceType:
		fields = declared.Methods
	default:
		return nil
	}
	var names []string
	for _, field := range fields.List {
		if _, isMethod := field.Type.(*ast.FuncType); isMethod {
			methods[field.Names[0].Name] = true
			continue
		}
		if len(field.Names) > 0 {
			continue
		}
		of := field.Type
		if pointer, ok := of.(*ast.StarExpr); ok {
			of = pointer.X
		}
		if selector, ok := of.(*ast.SelectorExpr); ok {
			if from, ok := selector.X.(*ast.Ident); ok {
				names = append(names, s.imports[from.Name]+"."+selector.Sel.Name)
			}
			continue
		}
		names = append(names, path.Dir(s.name)+"."+receiver(of))
	}
	return names
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
