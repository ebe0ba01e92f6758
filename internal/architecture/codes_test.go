package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// TestCodes compares the codes that models can see with the table of docs/dev/TOOLS.md:
// each stands there, or among Roam's own (LOCAL_API.md 6.2), and none stands there that
// the program does not have.
func TestCodes(t *testing.T) {
	root := os.DirFS("../..")
	all, err := readSources(root)
	require.NoError(t, err)
	ours, err := codesOf(root, "docs/dev/TOOLS.md", "Errors of our own")
	require.NoError(t, err)
	roams, err := codesOf(root, "docs/dev/LOCAL_API.md", "6.2 Codes")
	require.NoError(t, err)
	unseen := []string{ // problems of the file and notices of the journal, which people are told of
		"CONFIG_MODE_OPEN", "GRAPH_SHADOWED",
		"HISTORY_DAMAGED", "HISTORY_DELETED", "HISTORY_RESTORED", "HISTORY_WITHOUT_WAL", "HISTORY_MODES", "HISTORY_FORGOTTEN", "HISTORY_TAKEN_OVER", "HISTORY_TEXTS_UNSAID",
	}
	for _, complaint := range all.checkCodes(ours, roams, unseen) {
		t.Error(complaint)
	}
	if len(ours) < 30 || len(roams) < 15 {
		t.Errorf("%d codes in the table, %d of Roam: where are the others?", len(ours), len(roams))
	}
}

// seen matches the packages whose codes models can see.
var seen = regexp.MustCompile(`^(configstore|internal/(localapi|ops(/.+)?|journal/(history|recording|versions))|mcpserve(/(surface|profile/.+))?)$`)

// checkCodes returns a sentence for each code that is missing in the table of ours, or
// in the sources.
func (all *sources) checkCodes(ours, roams, unseen []string) []string {
	var complaints []string
	declared := map[string]bool{}
	for _, s := range all.files {
		for code, at := range s.codes() {
			declared[code] = true
			if seen.MatchString(path.Dir(s.name)) && !slices.Contains(slices.Concat(ours, roams, unseen), code) {
				complaints = append(complaints, fmt.Sprintf("%s: models see %s, and the table of docs/dev/TOOLS.md, \"Errors of our own\", has no row for it", all.set.Position(at), code))
			}
		}
	}
	for _, code := range slices.Concat(ours, unseen) {
		if !declared[code] {
			complaints = append(complaints, "the program has no code "+code)
		}
	}
	slices.Sort(complaints)
	return complaints
}

// codes returns the constants of type problem.Code that a file declares.
func (s source) codes() map[string]token.Pos {
	found := map[string]token.Pos{}
	for _, declaration := range s.tree.Decls {
		d, ok := declaration.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, spec := range d.Specs {
			value := spec.(*ast.ValueSpec) // as all of a const declaration are
			if value.Type == nil || !s.isProblem(value.Type, "Code") {
				continue
			}
			for _, each := range value.Values {
				if code, ok := literal(each); ok {
					found[code] = each.Pos()
				}
			}
		}
	}
	return found
}

// codesOf returns the codes in the first column of the table below a heading.
func codesOf(root fs.FS, name, heading string) ([]string, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return nil, err
	}
	_, section, _ := strings.Cut(string(text), "# "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n#")
	codes := map[string]bool{}
	for line := range strings.Lines(section) {
		if row, ok := strings.CutPrefix(line, "| "); ok {
			cell, _, _ := strings.Cut(row, "|")
			for _, match := range regexp.MustCompile("`([A-Z_]+)`").FindAllStringSubmatch(cell, -1) {
				codes[match[1]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(codes)), nil
}
