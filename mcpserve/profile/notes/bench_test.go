package notes

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/graphdb/outline"
)

// tenThousand are pages of five blocks each.
func tenThousand() []*listedNote {
	var all []*listedNote
	for i := range 10_000 {
		var blocks []outline.Block
		for j := range 5 {
			blocks = append(blocks, outline.Block{String: fmt.Sprintf("text number %d of [[Note %d]] %s", i*5+j, i*7%10_000, strings.Repeat("word ", 8))})
		}
		all = append(all, listedOn(pageOf(fmt.Sprintf("Note %05d", i), blocks...))...)
	}
	return all
}

func BenchmarkSearch(b *testing.B) {
	all := tenThousand()
	for name, text := range map[string]string{"found": "number 4567", "all words": "4567 number", "nothing": "nowhere at all"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				containing(all, text)
			}
		})
	}
}

func BenchmarkIndexOfAPage(b *testing.B) {
	page := pageOf("Note", lines("Tags:: #a", "one [[two]]", "three", "four #five", "six")...)
	for b.Loop() {
		listedOn(page)
	}
}
