package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// TestMarks compares the marks of docs/dev/LOCAL_API.md with the checks of
// tools/probe: what is only assumed names the check that asks it, and each
// check stands beside what it asks.
func TestMarks(t *testing.T) {
	text, ids := readMarks(t)
	for _, complaint := range checkMarks(text, ids) {
		t.Error(complaint)
	}
}

func readMarks(t *testing.T) (page string, ids []string) {
	t.Helper()
	text, err := fs.ReadFile(os.DirFS("../.."), "docs/dev/LOCAL_API.md")
	require.NoError(t, err)
	for _, belief := range Beliefs() {
		ids = append(ids, belief.ID)
	}
	return string(text), ids
}

var (
	code       = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	mark       = regexp.MustCompile(`\*\(([^()]*)\)\*`)
	markOfID   = regexp.MustCompile(`^(?:assumed|documented): ([a-z0-9-]+(?:, [a-z0-9-]+)*)$`)
	unmarked   = regexp.MustCompile(`(?i)\bassumed\b`)
	unprobable = "assumed, can't be probed"
)

// checkMarks returns a sentence for each mark of a page that is none or names a check
// that does not exist, and for each of ids that no mark names. What stands in backticks
// is an example.
func checkMarks(page string, ids []string) []string {
	page = code.ReplaceAllStringFunc(page, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	var complaints []string
	complain := func(at int, format string, args ...any) {
		complaints = append(complaints, fmt.Sprintf("docs/dev/LOCAL_API.md:%d: ", 1+strings.Count(page[:at], "\n"))+fmt.Sprintf(format, args...))
	}
	missing := map[string]bool{}
	for _, id := range ids {
		missing[id] = true
	}
	for _, span := range mark.FindAllStringSubmatchIndex(page, -1) {
		says := page[span[2]:span[3]]
		named := markOfID.FindStringSubmatch(says)
		if named == nil {
			if says != unprobable {
				complain(span[0], "*(%s)* is no mark: write *(assumed: ID)*, *(documented: ID)* or *(%s)*", says, unprobable)
			}
			continue
		}
		for id := range strings.SplitSeq(named[1], ", ") {
			if !slices.Contains(ids, id) {
				complain(span[0], "tools/probe has no check %q", id)
			}
			delete(missing, id)
		}
	}
	bare := mark.ReplaceAllStringFunc(page, func(s string) string { return strings.Repeat(" ", len(s)) })
	for _, span := range unmarked.FindAllStringIndex(bare, -1) {
		complain(span[0], "what is assumed is said by a mark")
	}
	for _, id := range slices.Sorted(maps.Keys(missing)) {
		complaints = append(complaints, fmt.Sprintf("docs/dev/LOCAL_API.md marks nothing with the check %q of tools/probe", id))
	}
	return complaints
}

// TestEachMarkIsNeeded spoils each mark of the page in turn, and takes away those of
// each check.
func TestEachMarkIsNeeded(t *testing.T) {
	page, ids := readMarks(t)
	for _, span := range mark.FindAllStringSubmatchIndex(page, -1) {
		says := page[span[2]:span[3]]
		if page[span[0]-1] == '`' { // an example
			continue
		}
		for _, instead := range []string{"*(assumed)*", "*(" + says + "s)*"} {
			if len(checkMarks(page[:span[0]]+instead+page[span[1]:], ids)) == 0 {
				t.Errorf("with %q in the place of *(%s)* nothing is said", instead, says)
			}
		}
	}
	for _, id := range ids {
		without := mark.ReplaceAllStringFunc(page, func(s string) string {
			if regexp.MustCompile(`[ ,(]` + id + `[,)]`).MatchString(s) {
				return ""
			}
			return s
		})
		if len(checkMarks(without, ids)) == 0 {
			t.Errorf("without the marks of %s nothing is said", id)
		}
	}
}
