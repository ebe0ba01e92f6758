package architecture

import (
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// openings are the functions that open a file by its path, or change the one that a link
// leads to.
func openings() []string {
	return []string{
		"os.Open", "os.OpenFile", "os.Create", "os.ReadFile", "os.WriteFile", "os.CreateTemp", "os.MkdirTemp", "os.OpenRoot", "os.DirFS", "os.CopyFS", "os.Truncate",
		"syscall.Open", "flock.New", "sqlite.OpenConn",
	}
}

// openingsElsewhere are those outside of internal/files, by file, with the reason.
func openingsElsewhere() map[string]string {
	return map[string]string{
		"internal/clients/doctor/state.go os.CreateTemp":          "makes a file with a name that nobody knows, never through a link",
		"internal/sandbox/mdfolder/write.go os.MkdirTemp":         "makes a folder with a name that nobody knows",
		"internal/sandbox/mdfolder/write.go os.WriteFile":         "writes into the folder that it has just made",
		"internal/journal/history/maintenance.go sqlite.OpenConn": "of files that checkFiles has seen",
		"internal/journal/history/open.go sqlite.OpenConn":        "of files that checkFiles sees before and after",
		"internal/journal/history/reader.go sqlite.OpenConn":      "of files that checkFiles sees before and after",
		"internal/localapi/listener_linux.go os.Open":             "reads a folder of /proc",
		"internal/localapi/listener_linux.go os.ReadFile":         "reads a file of /proc",
		"internal/ops/local.go os.OpenRoot":                       "opens the folder that --files-from names",
		"internal/sandbox/library.go os.DirFS":                    "reads the folder that --import names",
		"internal/sandbox/store/database.go sqlite.OpenConn":      "of files that checkOwn sees before and after",
	}
}

// TestFilesAreOpenedInOnePlace finds files that are opened around internal/files, which
// follows no link to what is our own and waits for nothing.
func TestFilesAreOpenedInOnePlace(t *testing.T) {
	all, err := readSources(os.DirFS("../.."))
	require.NoError(t, err)
	allowed, met := openingsElsewhere(), map[string]bool{}
	for _, s := range all.files {
		if strings.HasPrefix(s.name, "internal/files/") || strings.HasPrefix(s.name, "tools/") {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, ok := selector.X.(*ast.Ident)
			if !ok || !slices.Contains(openings(), from.Name+"."+selector.Sel.Name) {
				return true
			}
			opening := s.name + " " + from.Name + "." + selector.Sel.Name
			met[opening] = true
			if allowed[opening] == "" {
				t.Errorf("%s: use internal/files, or give a reason in openingsElsewhere", opening)
			}
			return true
		})
	}
	for opening := range allowed {
		if !met[opening] {
			t.Errorf("%s: openingsElsewhere has a reason for what is not there", opening)
		}
	}
}
