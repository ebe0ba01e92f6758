package architecture

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// TestPapersOfDevelopers checks that the files that the papers for developers name are
// there, and that the campaigns are tests.
func TestPapersOfDevelopers(t *testing.T) {
	root := os.DirFS("../..")
	for _, paper := range []string{"CONTRIBUTING.md", "docs/dev/ARCHITECTURE.md", "docs/dev/TOOLS.md"} {
		text, err := fs.ReadFile(root, paper)
		require.NoError(t, err)
		for _, name := range filesNamed(string(text)) {
			if _, err := fs.Stat(root, name); err != nil {
				t.Errorf("%s names %s, which is not there", paper, name)
			}
		}
	}
	text, err := fs.ReadFile(root, "docs/dev/CAMPAIGNS.md")
	require.NoError(t, err)
	for _, complaint := range checkCampaigns(root, string(text)) {
		t.Error(complaint)
	}
}

// filesNamed returns the files in folders of this module that a paper names. Names with
// capitals, as in tui/NAME_screen.go, are none: they stand for any.
func filesNamed(text string) []string {
	var names []string
	for _, match := range regexp.MustCompile("`([a-z./_-]+/[a-z_]+\\.go)`").FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

// checkCampaigns returns a sentence for each row of the table of campaigns that names no
// test. Rows without a package are of that above.
func checkCampaigns(root fs.FS, text string) []string {
	var complaints []string
	folder := ""
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) < 4 {
			continue
		}
		run, quoted := unquoted(cells[2])
		if !quoted || run == "-run" {
			continue
		}
		if name, quoted := unquoted(cells[1]); quoted {
			folder = name
		}
		var tests strings.Builder
		files, err := fs.Glob(root, path.Join(folder, "*_test.go"))
		for _, file := range files {
			source, failed := fs.ReadFile(root, file)
			if failed != nil {
				err = failed
			}
			tests.Write(source)
		}
		for _, each := range strings.Split(run, "\x00") {
			stem, ends := strings.CutSuffix(strings.TrimPrefix(each, "Test"), "$")
			pattern := `func Test\w*` + regexp.QuoteMeta(stem)
			if ends {
				pattern += `\(`
			}
			if err != nil || !regexp.MustCompile(pattern).MatchString(tests.String()) {
				complaints = append(complaints, fmt.Sprintf("no test in %q is run by %s (%v)", folder, each, err))
			}
		}
	}
	return complaints
}
