// Package architecture holds the code against docs/dev/ARCHITECTURE.md and the papers beside it.
package architecture

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

const (
	module    = "roam-mcp"
	document  = "docs/dev/ARCHITECTURE.md"
	tableFile = "internal/architecture/IMPORTS.md"
	nothing   = "nothing"
)

// TestImports compares what every package imports, on any system and apart from
// its tests, with its row in the table of IMPORTS.md.
func TestImports(t *testing.T) {
	root := os.DirFS("../..")
	text, err := fs.ReadFile(root, tableFile)
	require.NoError(t, err)
	table, err := tableOf(string(text))
	require.NoError(t, err)
	packages, err := packagesOf(root)
	require.NoError(t, err)
	for _, complaint := range compare(table, packages) {
		t.Error(complaint)
	}
}

// table maps a package to what it may import: packages of this module, or
// "name/..." for a package and those inside it.
type table map[string][]string

// tableOf reads the markdown table between the markers. The first column names
// the package and the last one what it may import.
func tableOf(text string) (table, error) {
	const begin, end = "<!-- imports -->", "<!-- /imports -->"
	_, text, begun := strings.Cut(text, begin)
	text, _, ended := strings.Cut(text, end)
	if !begun || !ended {
		return nil, fmt.Errorf("%s has no table between %s and %s", tableFile, begin, end)
	}
	rows := table{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name, quoted := unquoted(cells[0])
		if !quoted { // the head and the line below it
			continue
		}
		if _, twice := rows[name]; twice {
			return nil, fmt.Errorf("%s has two rows for %s", tableFile, name)
		}
		rows[name] = nil
		list := strings.TrimSpace(cells[len(cells)-1])
		if list == nothing {
			continue
		}
		for item := range strings.SplitSeq(list, ",") {
			imported, quoted := unquoted(item)
			if !quoted {
				return nil, fmt.Errorf("%s: the row of %s lists %q; write names in backticks with commas between them, or %q", tableFile, name, item, nothing)
			}
			rows[name] = append(rows[name], imported)
		}
	}
	return rows, nil
}

func unquoted(cell string) (name string, ok bool) {
	cell = strings.TrimSpace(cell)
	name = strings.Trim(cell, "`")
	return name, cell == "`"+name+"`"
}

// packagesOf returns the packages of this module with those of its packages that
// they import, sorted.
func packagesOf(root fs.FS) (map[string][]string, error) {
	packages := map[string][]string{}
	return packages, walkGo(root, func(path string, source []byte) error {
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		imports := packages[folder]
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok && !slices.Contains(imports, ours) {
				imports = append(imports, ours)
			}
		}
		slices.Sort(imports)
		packages[folder] = imports
		return nil
	})
}

// walkGo calls visit with each Go file of this module.
func walkGo(root fs.FS, visit func(path string, source []byte) error) error {
	return fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			_, noModule := fs.Stat(root, filepath.ToSlash(filepath.Join(path, "go.mod")))
			if path != "." && (noModule == nil || name == "testdata" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		source, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		return visit(path, source)
	})
}

// compare returns a sentence for each package whose row is missing, wrong or left
// over, with the row to write.
func compare(rows table, packages map[string][]string) []string {
	names := slices.Sorted(maps.Keys(packages))
	var complaints []string
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	for _, name := range names {
		allowed, listed := rows[name]
		if !listed {
			complain("%s has no row for the package %s. Write:\n%s", tableFile, name, row(name, packages[name]))
			continue
		}
		gone := slices.DeleteFunc(slices.Clone(allowed), func(pattern string) bool {
			return slices.ContainsFunc(names, func(other string) bool { return matches(pattern, other) })
		})
		unlisted := slices.DeleteFunc(slices.Clone(packages[name]), func(imported string) bool {
			return slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, imported) })
		})
		if len(gone)+len(unlisted) > 0 {
			kept := slices.DeleteFunc(slices.Clone(allowed), func(pattern string) bool { return slices.Contains(gone, pattern) })
			complain("%s imports %v, which its row in %s does not allow, and the row allows %v, which are no packages. If that is meant, write:\n%s",
				name, unlisted, tableFile, gone, row(name, append(kept, unlisted...)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if _, exists := packages[name]; !exists {
			complain("%s has a row for %s, which is no package. Take the row out.", tableFile, name)
		}
	}
	return complaints
}

// matches reports whether the pattern is the package, or the package with all
// that is inside it.
func matches(pattern, name string) bool {
	folder, all := strings.CutSuffix(pattern, "/...")
	return name == folder || all && strings.HasPrefix(name, folder+"/")
}

// row returns the table's row, in which other columns may stand in the middle.
func row(name string, imports []string) string {
	list := nothing
	if len(imports) > 0 {
		list = "`" + strings.Join(slices.Sorted(slices.Values(imports)), "`, `") + "`"
	}
	return "| `" + name + "` | " + list + " |"
}
