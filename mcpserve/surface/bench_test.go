package surface

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
)

// BenchmarkFit cuts a page of 66 KB to the first part of it.
func BenchmarkFit(b *testing.B) {
	var page strings.Builder
	page.WriteString("# Page <roam uid=\"page-0001\"/>\n\n")
	for i := 0; page.Len() < 66<<10; i++ {
		fmt.Fprintf(&page, "- A block of [[some]] length, with \"quotes\" in it <roam uid=\"u%08d\" refs=\"2\"/>\n", i)
	}
	reply := rawjson.With("uid", "page-0001").With("markdown", page.String()).JSON()
	frame := Frame{Tool: &Tool{Cuts: []Cut{CutMarkdown{Field: "markdown", Parts: true}}}, Max: 16_000}
	b.SetBytes(int64(len(reply)))
	for b.Loop() {
		if _, err := Fit(reply, frame); err != nil {
			b.Fatal(err)
		}
	}
}
