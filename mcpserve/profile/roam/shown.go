package roam

import (
	"encoding/json"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// textsIn returns the texts of the blocks that a reply shows whole, by uid, as Roam stores
// them.
func textsIn(reply string) map[string]string {
	texts := map[string]string{}
	rawjson.Each([]byte(reply), func(value json.RawMessage) {
		var markdown string
		if json.Unmarshal(value, &markdown) != nil || !strings.Contains(markdown, "<roam") {
			return
		}
		for block := range outline.EachRendered(markdown) {
			if block.UID == "" || block.Repeated || block.Header {
				continue
			}
			if text, err := ops.StoredText(block.Source); err == nil {
				texts[block.UID] = textsafe.Unescape(strings.TrimRight(outline.PlainText(text), "\n"))
			}
		}
	})
	return texts
}

// withShown returns an update with the text that the block was shown with, where it is to
// get another one as a whole.
func withShown(c surface.Call, update ops.BlockUpdate) ops.BlockUpdate {
	if update.String != nil {
		if text, ok := c.Shown().Text(update.UID, textsIn); ok {
			update.Shown = &text
		}
	}
	return update
}

// keep remembers the texts that blocks have been given.
func keep(memory shown.Graph, updates ...ops.BlockUpdate) {
	for _, u := range updates {
		if u.String != nil {
			memory.KeepText(u.UID, *u.String)
		}
	}
}
