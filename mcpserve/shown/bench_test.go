package shown_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
)

// contentOf returns about so many bytes of paragraphs, of which one has a number in it.
func contentOf(size, number int) string {
	var lines []string
	for length := 0; length < size; {
		line := fmt.Sprintf("This is line %d of the note, and it has some words", len(lines))
		if len(lines) == 3 {
			line = fmt.Sprintf("This is line 3, which is another one for the %d. time", number)
		}
		lines, length = append(lines, line), length+len(line)+2
	}
	return strings.Join(lines, "\n\n")
}

// BenchmarkUpdate changes one line of a note that was sent as a whole before.
func BenchmarkUpdate(b *testing.B) {
	for _, p := range []struct{ profile, create, name, update, id string }{
		{"wiki", "create_note", "path", "update_note", "path"},
		{"graph", "create_node", "title", "update_node", "id"},
	} {
		for _, size := range []int{1 << 10, 64 << 10} {
			b.Run(fmt.Sprintf("%s/%dKB", p.profile, size>>10), func(b *testing.B) {
				w, c := profiletest.Connect(b, profiletest.Options{Profile: p.profile, History: true})
				arguments := map[string]string{p.name: "Bench", "title": "Bench", "content": contentOf(size, 0)}
				send := func(tool string, arguments map[string]string) {
					data, _ := json.Marshal(arguments)
					if r := c.Call(tool, string(data)); r.IsError {
						b.Fatal(r)
					}
				}
				send(p.create, arguments)
				w.ResetCalls()
				b.ResetTimer()
				for i := range b.N {
					send(p.update, map[string]string{p.id: "Bench", "content": contentOf(size, i+1)})
				}
				b.StopTimer()
				b.ReportMetric(float64(w.Calls().Total())/float64(b.N), "requests/op")
			})
		}
	}
}
