package ops

import (
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestSetProperty(t *testing.T) {
	b := newBox(t)
	for name, tc := range map[string]struct {
		page, property, value, want string
		writes                      string // the actions
	}{
		"makes the line the first child":            {"- text\n  - below", "Tags", "#a", "Tags:: #a\ntext\n  below\n", "create"},
		"makes it behind reserved lines":            {"- Tags:: #a\n- Status:: open\n- text", "Color", "blue", "Tags:: #a\nColor:: blue\nStatus:: open\ntext\n", "create"},
		"makes it on an empty page":                 {"", "Archived", "true", "Archived:: true\n", "create"},
		"makes it beside hidden blocks":             {"- hidden #.rm-hide\n- text", "Tags", "#a", "hidden #.rm-hide\nTags:: #a\ntext\n", "create"},
		"changes the line where it is":              {"- text\n- tags:: #a\n- more", "Tags", "#b", "text\ntags:: #b\nmore\n", "updateBlocks"},
		"changes a line that has nothing in common": {"- Color:: blue\n- text", "Color", "red", "Color:: red\ntext\n", "updateBlocks"},
		"leaves one line":                           {"- Tags:: #a\n- text\n- Tags:: #b", "Tags", "#c", "Tags:: #c\ntext\n", "updateBlocks deleteBlocks"},
		"removes the line":                          {"- Tags:: #a\n- text", "Tags", "", "text\n", "deleteBlocks"},
		"removes it, but not what is hidden below":  {"- Tags:: #a\n  - why #.rm-private\n- text", "Tags", "", "why #.rm-private\ntext\n", "move deleteBlocks"},
		"does nothing where there is nothing to do": {"- Tags:: #a\n- text", "Tags", "#a", "Tags:: #a\ntext\n", ""},
		"does nothing without a line to remove":     {"- text", "Tags", "", "text\n", ""},
		"leaves a hidden line alone":                {"- Tags:: #.rm-hide\n- text", "Tags", "", "Tags:: #.rm-hide\ntext\n", ""},
		"knows a line by its whole name":            {"- Tags of mine:: #a", "Tags", "#b", "Tags:: #b\nTags of mine:: #a\n", "create"},
	} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			uid := b.page(name, tc.page)
			fresh := read(t, b.graph(), uid)
			calls := b.counted(func() {
				require.NoError(t, b.graph().SetProperty(t.Context(), fresh, tc.property, tc.value, "Tags", "Color"))
			})
			var writes []string
			for _, action := range calls {
				if write, ok := strings.CutPrefix(action, "data.block."); ok {
					writes = append(writes, write)
				}
			}
			after := read(t, b.graph(), uid)
			if got := lines(after); got != tc.want || strings.Join(writes, " ") != tc.writes {
				t.Errorf("%v makes\n%s\nwant %s\n%s", writes, got, tc.writes, tc.want)
			}
			if fresh.Children != nil && byText(fresh)["text"] != byText(after)["text"] {
				t.Errorf("text has another uid")
			}
		})
	}
}
