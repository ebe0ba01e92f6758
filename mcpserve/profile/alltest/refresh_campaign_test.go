//go:build campaign

package alltest

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
)

var (
	refreshSeed  = flag.Uint64("refresh-seed", 1, "another seed, other edits")
	refreshEdits = flag.Int("refresh-edits", 2000, "how many edits of each graph")
)

// TestTwoThousandAnswersAreThoseOfAServerWhichReadsTheGraphAnew asks after each of 2,000
// edits by another client. Of a large graph, which takes long to read, every 20th answer
// is compared.
func TestTwoThousandAnswersAreThoseOfAServerWhichReadsTheGraphAnew(t *testing.T) {
	series := refreshings()
	large := largeExport()
	series["of a large graph"] = refreshing{export: large, every: 20}
	series["of a large graph, moves leave no time"] = refreshing{export: large, every: 20, switches: []string{"no-move-stamp"}}
	series["of a large graph, Roam is opened anew"] = refreshing{export: large, every: 20, restart: true}
	for name, s := range series {
		for _, profile := range []string{"graph", "notes"} {
			t.Run(profile+" "+name, func(t *testing.T) { s.run(t, profile, *refreshEdits, *refreshSeed) })
		}
	}
}

// largeExport is a graph of 12,000 blocks, too large to be read as a whole by each
// refresh.
func largeExport() string {
	type block struct {
		UID      string  `json:"uid"`
		String   string  `json:"string,omitempty"`
		Title    string  `json:"title,omitempty"`
		Children []block `json:"children,omitempty"`
	}
	var pages []block
	for i := range 600 {
		page := block{UID: fmt.Sprintf("page%05d", i), Title: fmt.Sprintf("Page %d", i)}
		for j := range 20 {
			text := fmt.Sprintf("the engine of %d in [[Page %d]]", j, (i*7+j*13)%600)
			if j == 0 {
				text = "#rocket " + strings.Repeat("word ", 5)
			}
			page.Children = append(page.Children, block{UID: fmt.Sprintf("b%03dx%04d", i, j), String: text})
		}
		pages = append(pages, page)
	}
	return string(must(json.Marshal(pages)))
}
