package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// TestEachMendOfTheDoctorIsRun looks for the test that runs each mend which doctor prints:
// a script of cmd/roam-mcp makes the finding, mends it as doctor says, and looks that it
// is gone; or the tests of doctor do. What no test can run is in notRun, with the reason.
func TestEachMendOfTheDoctorIsRun(t *testing.T) {
	all, err := readSources(os.DirFS("../.."))
	require.NoError(t, err)
	mends, complaints := all.mends()
	byScript, wrong := mendsOfScripts(t, os.DirFS("../../cmd/roam-mcp/testdata/script"))
	byTest := mendsOfTests(t, "../clients/doctor/mends_test.go")
	complaints = append(complaints, wrong...)
	runs := map[string]int{}
	for _, mend := range mends {
		_, excused := notRun[mend]
		switch {
		case excused && (byScript[mend] || byTest[mend]):
			complaints = append(complaints, fmt.Sprintf("%q is run, and has no place in notRun", mend))
		case byScript[mend]:
			runs["scripts"]++
		case byTest[mend]:
			runs["tests of doctor"]++
		case excused:
			runs["nothing"]++
		default:
			complaints = append(complaints, fmt.Sprintf("no test runs the mend %q: have a script of cmd/roam-mcp say \"finds\" of it, or give the reason in notRun", mend))
		}
	}
	for mend := range notRun {
		if !slices.Contains(mends, mend) {
			complaints = append(complaints, fmt.Sprintf("notRun has %q, which is nowhere", mend))
		}
	}
	for _, claimed := range []map[string]bool{byScript, byTest} {
		for mend := range claimed {
			if !slices.Contains(mends, mend) {
				complaints = append(complaints, fmt.Sprintf("a test runs %q, which is nowhere", mend))
			}
		}
	}
	slices.Sort(complaints)
	for _, complaint := range complaints {
		t.Error(complaint)
	}
	t.Logf("%d mends: %d are run by scripts, %d by tests of doctor, %d by nothing, with the reason", len(mends), runs["scripts"], runs["tests of doctor"], runs["nothing"])
}

// mends lists the mends that doctor prints: each sentence of its own hints and of those
// that it passes on, as "package.function: sentence", and each fix, as
// "package.function: fix LABEL". One that a function has more than once is numbered. It
// complains of hints of which nobody has said where they come from.
func (all *sources) mends() (mends, complaints []string) {
	passed := map[string]bool{} // of passedOn and elsewhere, what there is
	times := map[string]int{}
	for _, s := range all.files {
		folder := path.Base(path.Dir(s.name))
		if !slices.Contains([]string{"internal/clients/doctor", "internal/clients", "configstore", "internal/journal/history", "internal/localapi"}, path.Dir(s.name)) {
			continue
		}
		for _, declared := range s.tree.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := folder + "." + f.Name.Name
			if slices.Contains(elsewhere, name) {
				passed[name] = true
				continue
			}
			for _, said := range all.mendsOf(s, f) {
				mend := name + ": " + said
				if foreign := strings.HasPrefix(said, "hint "); foreign {
					passed[mend] = true
					if !slices.Contains(passedOn, mend) {
						complaints = append(complaints, fmt.Sprintf("%s passes a hint on: say in passedOn that its package is looked at", mend))
					}
					continue
				}
				if times[mend]++; times[mend] > 1 {
					mend += fmt.Sprintf(" (%d)", times[mend])
				}
				mends = append(mends, mend)
			}
		}
	}
	for _, name := range slices.Concat(passedOn, elsewhere) {
		if !passed[name] {
			complaints = append(complaints, "there is no "+name)
		}
	}
	return mends, complaints
}

// mendsOf lists the mends of a function in their order, and as "hint EXPRESSION" the hints
// of others that one of doctor's passes on.
func (all *sources) mendsOf(s source, f *ast.FuncDecl) []string {
	type mend struct {
		at   token.Pos
		said string
	}
	var found []mend
	read := reader{sources: all, source: s, variables: map[string]ast.Expr{}}
	inDoctor := path.Dir(s.name) == "internal/clients/doctor"
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if all.says(s, n) {
				text, _ := read.text(n.Args[0])
				found = append(found, mend{n.Lparen, text})
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && inDoctor && key.Name == "Label" {
				found = append(found, mend{n.Pos(), "fix " + types.ExprString(n.Value)})
			}
		case *ast.SelectorExpr:
			if inDoctor && n.Sel.Name == "Hint" && !s.isProblem(n, "Hint") {
				found = append(found, mend{n.Pos(), "hint " + types.ExprString(n)})
			}
		}
		return true
	})
	slices.SortStableFunc(found, func(a, b mend) int { return int(a.at - b.at) })
	said := make([]string, len(found))
	for i, each := range found {
		said[i] = each.said
	}
	return said
}

// mendsOfScripts returns the mends of which scripts say "finds", and complains of one whose
// end no script looks for.
func mendsOfScripts(t *testing.T, folder fs.FS) (mends map[string]bool, complaints []string) {
	t.Helper()
	mends = map[string]bool{}
	names, err := fs.Glob(folder, "*.txtar")
	require.NoError(t, err)
	quoted := regexp.MustCompile(`^finds '((?:[^']|'')*)'`)
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		require.NoError(t, err)
		open, before := "", "" // what was found and is not gone yet, and the command of the line before
		left := func() {
			if open != "" {
				complaints = append(complaints, fmt.Sprintf("%s does not look whether what %q mends is gone", name, open))
			}
		}
		for line := range strings.Lines(string(text)) {
			command, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if found := quoted.FindStringSubmatch(line); found != nil {
				if before != "finds" { // else it is another sentence about the same
					left()
				}
				open = strings.ReplaceAll(found[1], "''", "'")
				mends[open] = true
			}
			if command == "gone" {
				open = ""
			}
			before = command
		}
		left()
	}
	return mends, complaints
}

// mendsOfTests returns the mends that a file of tests names.
func mendsOfTests(t *testing.T, file string) map[string]bool {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	mends := map[string]bool{}
	named := regexp.MustCompile(`^[a-z]+\.\w+: `)
	ast.Inspect(tree, func(n ast.Node) bool {
		if text, ok := literal(n); ok && named.MatchString(text) {
			mends[text] = true
		}
		return true
	})
	return mends
}
