package architecture

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// TestCitations checks that the papers that comments cite are in docs, in a folder of it, or
// in the root, and have the sections and headings that are cited.
func TestCitations(t *testing.T) {
	root := os.DirFS("../..")
	papers, err := papersOf(root)
	require.NoError(t, err)
	checked := 0
	err = walkGo(root, func(name string, source []byte) error {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			cited := citationsIn(group.Text())
			checked += len(cited)
			for _, complaint := range papers.check(cited) {
				t.Errorf("%s: %s", files.Position(group.Pos()), complaint)
			}
		}
		return nil
	})
	require.NoError(t, err)
	t.Logf("%d citations", checked)
}

// papers maps the name of a paper to its headings: "1.3.1" for a numbered one, and
// the whole of it without the number. Papers of one name in several folders count as
// one, but for those of the profiles, which are cited with their folder.
type papers map[string][]string

// profiles is the folder of the papers on profiles.
const profiles = "docs/profiles/"

func papersOf(root fs.FS) (papers, error) {
	found := papers{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/dev/*.md", profiles + "*.md", "internal/architecture/*.md"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return nil, err
			}
			cited := path.Base(name)
			if strings.HasPrefix(name, profiles) {
				cited = strings.TrimPrefix(name, "docs/")
			}
			found[cited] = append(found[cited], headingsOf(string(text))...)
		}
	}
	return found, nil
}

func headingsOf(text string) []string {
	var headings []string
	for _, match := range regexp.MustCompile(`(?m)^#+ +(?:(\d+(?:\.\d+)*)\.? +)?(.+)$`).FindAllStringSubmatch(text, -1) {
		headings = append(headings, match[2])
		if match[1] != "" {
			headings = append(headings, match[1])
		}
	}
	return headings
}

// citation is one place in a paper, or the paper as a whole where at is empty.
type citation struct{ paper, at string }

var (
	paperName = regexp.MustCompile(`\b(?:profiles/)?[A-Za-z_]+\.md\b`)
	// place is what may follow the name of a paper: a number, or a heading in
	// quotes. More places may follow.
	place = regexp.MustCompile(`^(?:,? (?:and |to )?(?:sections? )?(\d+(?:\.\d+)*)|,? (?:and )?"([^"]+)")`)
)

// citationsIn returns what a comment cites, line breaks or not.
func citationsIn(comment string) []citation {
	comment = strings.Join(strings.Fields(comment), " ")
	var cited []citation
	for _, span := range paperName.FindAllStringIndex(comment, -1) {
		name, rest := comment[span[0]:span[1]], comment[span[1]:]
		cited = append(cited, citation{paper: name})
		for match := place.FindStringSubmatch(rest); match != nil; match = place.FindStringSubmatch(rest) {
			cited = append(cited, citation{name, match[1] + match[2]})
			rest = rest[len(match[0]):]
		}
	}
	return cited
}

// check returns a sentence for each citation of what is not there.
func (p papers) check(cited []citation) []string {
	var complaints []string
	for _, c := range cited {
		headings, exists := p[c.paper]
		// Names in small letters are examples: of files in a folder of markdown.
		stem := strings.TrimSuffix(c.paper, ".md")
		if !exists && strings.ToUpper(stem) != stem && !strings.Contains(stem, "/") {
			continue
		}
		switch {
		case !exists && c.at == "":
			complaints = append(complaints, fmt.Sprintf("there is no docs/%s", c.paper))
		case exists && c.at != "" && !slices.Contains(headings, c.at):
			complaints = append(complaints, fmt.Sprintf("%s has no section or heading %q", c.paper, c.at))
		}
	}
	return complaints
}
