package notes_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// A note that is longer than a reply is read part by part: what the second text says goes
// on where the first ends, and all parts together are the content.
func TestALongNoteIsReadToItsEnd(t *testing.T) {
	for name, tc := range map[string]struct{ blocks, max, most int }{
		"many characters":                        {longBlocks, 0, 40},
		"20,000 characters in the least replies": {80, mcpserve.SmallestReply, 30},
	} {
		t.Run(name, func(t *testing.T) {
			children := make([]map[string]any, tc.blocks)
			for i := range children {
				children[i] = map[string]any{"string": fmt.Sprintf("Line %04d", i) + strings.Repeat(" of wörds and more", 13) + " 漢字.", "uid": fmt.Sprintf("line%05d", i)}
			}
			graph, _ := json.Marshal([]any{map[string]any{"title": "Long", "uid": "long00001", "children": children}})
			_, c := connect(t, profiletest.Options{Export: string(graph), Server: func(o *mcpserve.Options) { o.MaxReply = tc.max }})
			var read strings.Builder
			calls, offset := 0, 0
			for offset >= 0 {
				r := c.Call("get_note", fmt.Sprintf(`{"id":"long00001","offset":%d}`, offset))
				var got shown
				r.Decode(t, &got)
				part := strings.TrimSuffix(got.Content, "... [truncated]")
				read.WriteString(part)
				if calls++; len(r.Texts) == 1 {
					break
				}
				offset += utf8.RuneCountInString(part)
				if want := fmt.Sprintf(" of the content; call get_note with offset %d.", offset); !strings.Contains(r.Texts[1], want) || !strings.HasSuffix(part, "\n") || calls > tc.most {
					t.Fatalf("call %d says %q after %q", calls, r.Texts[1], part[max(0, len(part)-100):])
				}
			}
			want := make([]string, len(children))
			for i, each := range children {
				want[i] = each["string"].(string)
			}
			if read.String() != strings.Join(want, "\n\n") {
				t.Errorf("%d calls read %d bytes", calls, read.Len())
			}
			t.Logf("%d calls read %d characters", calls, utf8.RuneCountInString(read.String()))
		})
	}
}

// What was written is shown as it is read, with where it goes on.
func TestALongNoteThatIsWrittenSaysWhereItGoesOn(t *testing.T) {
	_, c := connect(t, profiletest.Options{Server: func(o *mcpserve.Options) { o.MaxReply = mcpserve.SmallestReply }})
	content, _ := json.Marshal(strings.Repeat("A line of words.\n\n", 2_000))
	r := c.Call("create_note", `{"title":"Long","content":`+string(content)+`}`)
	if len(r.Texts) != 2 || !strings.Contains(r.Texts[1], "of 35,998 of the content; call get_note with offset ") {
		t.Errorf("it says %q", r.Texts[1:])
	}
}
