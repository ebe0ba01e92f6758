// Command atonce prints the tests in which something runs at once, for the race detector:
//
//	go -C tools run ./atonce
//
// A line is a folder and the name of a test. A test is printed if its function starts a
// goroutine, calls t.Parallel or synctest.Test, or uses a function of its folder that does. In
// folders whose tests all run a whole server, only functions of the tests are looked at: what the
// server starts is tested in the packages that start it.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

func main() {
	if err := list(os.DirFS("..")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func list(root fs.FS) error {
	folders, err := testFolders(root)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		tests, err := atOnce(root, folder)
		if err != nil {
			return err
		}
		for _, test := range tests {
			fmt.Println(folder, test)
		}
	}
	return nil
}

// wholeServers returns the folders in which nearly every test runs a server.
func wholeServers() []string { return []string{"cmd/roam-mcp", "mcpserve"} }

// testFolders returns the folders with tests, without those of other modules.
func testFolders(root fs.FS) ([]string, error) {
	folders := map[string]bool{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "tools" || name != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(name, "_test.go"):
			folders[path.Dir(name)] = true
		}
		return nil
	})
	return slices.Sorted(maps.Keys(folders)), err
}

// functions are those of a folder, by name; methods are not told apart from others.
type functions struct {
	uses   map[string]map[string]bool // the names in a function
	starts map[string]bool            // whether it runs something at once
	tests  []string
}

// atOnce returns the tests of a folder in which something runs at once.
func atOnce(root fs.FS, folder string) ([]string, error) {
	f := functions{uses: map[string]map[string]bool{}, starts: map[string]bool{}}
	names, err := fs.Glob(root, path.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		isTest := strings.HasSuffix(name, "_test.go")
		if !isTest && slices.Contains(wholeServers(), folder) {
			continue
		}
		if err := f.read(root, name, isTest); err != nil {
			return nil, err
		}
	}
	f.spread()
	return slices.DeleteFunc(f.tests, func(test string) bool { return !f.starts[test] }), nil
}

// read adds the functions of a file, if it is built here without tags.
func (f *functions) read(root fs.FS, name string, isTest bool) error {
	here := build.Default
	here.OpenFile = func(name string) (io.ReadCloser, error) { return root.Open(name) }
	if built, err := here.MatchFile(path.Dir(name), path.Base(name)); err != nil || !built {
		return err
	}
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, each := range tree.Decls {
		function, ok := each.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		if isTest && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Test") && function.Name.Name != "TestMain" {
			f.tests = append(f.tests, function.Name.Name)
		}
		f.look(function)
	}
	return nil
}

// look notes what a function uses, and whether it starts something itself.
func (f *functions) look(function *ast.FuncDecl) {
	name := function.Name.Name
	if f.uses[name] == nil {
		f.uses[name] = map[string]bool{}
	}
	ast.Inspect(function.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			f.starts[name] = true
		case *ast.SelectorExpr:
			from, _ := n.X.(*ast.Ident)
			switch {
			case n.Sel.Name == "Go", n.Sel.Name == "Parallel", n.Sel.Name == "Test" && from != nil && from.Name == "synctest":
				f.starts[name] = true
			}
		case *ast.Ident:
			f.uses[name][n.Name] = true
		}
		return true
	})
}

// spread notes the functions that use one that starts something.
func (f *functions) spread() {
	for more := true; more; {
		more = false
		for name, used := range f.uses {
			if f.starts[name] {
				continue
			}
			for each := range used {
				if f.starts[each] {
					f.starts[name], more = true, true
					break
				}
			}
		}
	}
}
