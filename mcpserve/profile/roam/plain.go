package roam

import (
	"fmt"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// plainly returns a page or block with plain text in place of its markdown, as much as the
// reply has room for; total is how many blocks there are.
func plainly(c surface.Call, thing rawjson.Object, total int) rawjson.Object {
	const around = 400 // tokens of the reply besides its text
	markdown, _ := thing.Text("markdown")
	room := c.MaxReply() - around
	at := outline.ParseCursor(unlessBlank(c, surface.ParamAfter))
	var text strings.Builder
	shown, number, next := 0, at.Passed(), ""
	whole := true
	for b := range outline.EachRendered(markdown) {
		if number++; b.Header || b.Repeated {
			if b.Header && !b.Repeated {
				thing = thing.With("title", outline.Words(b.Title()))
			}
			continue
		}
		line := b.PlainLine()
		if room -= textsafe.CountTokens(rawjson.Encode(line)); room < 0 {
			whole = false
			if shown > 0 {
				break
			}
			line = line[:max(0, strings.LastIndexByte(line[:min(len(line), 2*c.MaxReply())], ' '))] + " …\n"
		}
		text.WriteString(line)
		next = outline.CursorBehind(b, number, 0)
		if shown++; !whole {
			break
		}
	}
	after := unlessBlank(c, surface.ParamAfter) != ""
	if left := total - shown; left > 0 && !after {
		fmt.Fprintf(&text, "… %d more blocks\n", left)
	}
	thing = thing.Without("markdown", "linkedReferences", fieldComments).With("text", text.String())
	if shown < total {
		thing = thing.With(surface.FieldBlocks, surface.BlocksShown(shown, total))
	}
	if !whole {
		thing = thing.With(surface.FieldNext, next)
	}
	return thing
}
