package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// source is a file of the program, tests and the package problem left out.
type source struct {
	name    string // its path, from the root of the module
	tree    *ast.File
	imports map[string]string // the package of this module that a name stands for
}

// sources are all of them, with what a reader of one looks up in the others.
type sources struct {
	set       *token.FileSet
	files     []source
	constants map[string]map[string]ast.Expr // by package and name
	tasks     map[string]map[string]bool     // the constants that are of type problem.Task
	wrappers  map[string]string              // the function of a package that only calls problem.Say
}

func readSources(root fs.FS) (*sources, error) {
	all := &sources{
		set: token.NewFileSet(), constants: map[string]map[string]ast.Expr{},
		tasks: map[string]map[string]bool{}, wrappers: map[string]string{},
	}
	err := walkGo(root, func(name string, text []byte) error {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/testutil/") {
			return nil
		}
		tree, err := parser.ParseFile(all.set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s := source{name, tree, map[string]string{}}
		for _, spec := range tree.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			local := path.Base(imported)
			if spec.Name != nil {
				local = spec.Name.Name
			}
			s.imports[local] = strings.TrimPrefix(imported, module+"/")
		}
		if path.Dir(name) != "internal/problem" { // it declares tasks, and says no hints
			all.files = append(all.files, s)
		}
		all.declare(s)
		return nil
	})
	slices.SortFunc(all.files, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return all, err
}

// declare notes a file's constants, and its functions that are problem.Say by a
// shorter name.
func (all *sources) declare(s source) {
	folder := path.Dir(s.name)
	if all.constants[folder] == nil {
		all.constants[folder], all.tasks[folder] = map[string]ast.Expr{}, map[string]bool{}
	}
	for _, declaration := range s.tree.Decls {
		switch d := declaration.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				value, ok := spec.(*ast.ValueSpec)
				if !ok || d.Tok != token.CONST {
					continue
				}
				for i, name := range value.Names {
					if i < len(value.Values) {
						all.constants[folder][name.Name] = value.Values[i]
						all.tasks[folder][name.Name] = value.Type != nil && s.isProblem(value.Type, "Task")
					}
				}
			}
		case *ast.FuncDecl:
			if call, ok := onlyReturns(d); ok && call.Ellipsis.IsValid() && s.isProblem(call.Fun, "Say") {
				all.wrappers[folder] = d.Name.Name
			}
		}
	}
}

// onlyReturns returns the call whose result is all that a function returns.
func onlyReturns(d *ast.FuncDecl) (*ast.CallExpr, bool) {
	if d.Body == nil || len(d.Body.List) != 1 {
		return nil, false
	}
	statement, ok := d.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(statement.Results) != 1 {
		return nil, false
	}
	call, ok := statement.Results[0].(*ast.CallExpr)
	return call, ok
}

// isProblem reports whether e is a name of the package problem.
func (s source) isProblem(e ast.Expr, name string) bool {
	if own, ok := e.(*ast.Ident); ok {
		return own.Name == name && path.Dir(s.name) == "internal/problem"
	}
	selector, ok := e.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	of, ok := selector.X.(*ast.Ident)
	return ok && s.imports[of.Name] == "internal/problem"
}

func literal(n ast.Node) (string, bool) {
	l, ok := n.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

// commands returns the names of the commands: the first words of the fields Use in
// cmd/roam-mcp.
func (all *sources) commands() []string {
	var names []string
	for _, s := range all.files {
		if path.Dir(s.name) != "cmd/roam-mcp" {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			field, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if key, ok := field.Key.(*ast.Ident); ok && key.Name == "Use" {
				if text, ok := literal(field.Value); ok {
					if name, _, _ := strings.Cut(text, " "); name != module {
						names = append(names, name)
					}
				}
			}
			return true
		})
	}
	return names
}
