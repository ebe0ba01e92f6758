package linkoracle

import (
	"regexp"
	"slices"
	"strconv"
	"testing"

	"roam-mcp/internal/testutil/helpgraph"
)

var datom = regexp.MustCompile(`\[(\d+) (:block/refs|:block/string|:node/title|:block/uid) ("(?:[^"\\]|\\.)*"|\d+) `)

// The dump of the help graph has what Roam itself has recognized.
func TestTheScannerReadsWhatRoamDoes(t *testing.T) {
	texts, names, refs := map[string]string{}, map[string]string{}, map[string][]string{}
	for _, m := range datom.FindAllStringSubmatch(helpgraph.Read(t, "help.edn"), -1) {
		value := m[3]
		if m[2] != ":block/refs" {
			var err error
			if value, err = strconv.Unquote(m[3]); err != nil {
				t.Fatalf("%s: %v", m[3], err)
			}
		}
		switch m[2] {
		case ":block/refs":
			refs[m[1]] = append(refs[m[1]], value)
		case ":block/string":
			texts[m[1]] = value
		case ":node/title":
			names[m[1]] = value
		case ":block/uid":
			if names[m[1]] == "" {
				names[m[1]] = value
			}
		}
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	different := 0
	for entity, text := range texts {
		var want, got []string
		for _, ref := range refs[entity] {
			want = append(want, names[ref])
		}
		for _, m := range mentionsOf(text) {
			if known[m.name] { // the dump has parts of the graph only
				got = append(got, m.name)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if want, got = slices.Compact(want), slices.Compact(got); !slices.Equal(want, got) {
			different++
			t.Logf("%q\n Roam: %q\n here: %q", text, want, got)
		}
	}
	// 29 blocks have references in the dump that their texts have no more or not yet:
	// most have no :block/refs at all, or one to a page whose title is gone.
	if len(texts) != 5717 || different != 29 {
		t.Errorf("%d of %d texts are read otherwise", different, len(texts))
	}
}
