package surface

import (
	"encoding/json"
	"math"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/internal/roammarkdown"
	"roam-mcp/problem"
)

// CutMarkdown keeps the blocks of Roam's markdown from the start that fit, whole.
type CutMarkdown struct {
	Field string
	Rest  problem.Hint
	// Longer is said where the very block that was asked for does not fit, since
	// to read it again brings no more of it.
	Longer problem.Hint
}

func (c CutMarkdown) shorten(object rawjson.Object, f Frame) (rawjson.Object, error) {
	raw := object.Get(c.Field)
	var markdown string
	if raw == nil || json.Unmarshal(raw, &markdown) != nil {
		return object, nil
	}
	blocks := roammarkdown.Blocks(markdown)
	rest, longer := f.World.Say(c.Rest), f.World.Say(c.Longer)
	// Room for the largest note there can be: the uids are what varies.
	largest := Truncated{BlocksShown: len(blocks), BlocksLeft: len(blocks), BytesLeft: len(markdown), Rest: rest + longer, UIDs: restUIDs(blocks), UIDsLeft: len(blocks)}
	room := f.Max - overhead(object, c.Field, largest)
	if room < 0 {
		largest.UIDs = nil
		room = f.Max - overhead(object, c.Field, largest)
	}
	withUIDs := largest.UIDs != nil
	kept := 0
	var text strings.Builder
	for ; kept < len(blocks); kept++ {
		size := len(rawjson.Encode(blocks[kept].Source)) - 2
		if size > room {
			break
		}
		text.WriteString(blocks[kept].Source)
		room -= size
	}
	left := blocks[kept:]
	note := Truncated{BlocksShown: countBlocks(blocks[:kept]), BlocksLeft: countBlocks(left), BytesLeft: len(markdown) - text.Len(), Rest: rest}
	if kept == 0 && len(left) > 0 && longer != "" {
		note.Rest, left = longer, left[1:]
	}
	if withUIDs {
		frontier := restFrontier(left)
		note.UIDs = frontier[:min(len(frontier), maxRestUIDs)]
		note.UIDsLeft = len(frontier) - len(note.UIDs)
	}
	return object.With(c.Field, text.String()).With("truncated", note), nil
}

func countBlocks(blocks []roammarkdown.Block) int {
	n := 0
	for _, b := range blocks {
		if !b.Header {
			n++
		}
	}
	return n
}

// restFrontier returns the uids with which the missing blocks can be read: those
// whose parents are shown. The blocks below them come along.
func restFrontier(left []roammarkdown.Block) []string {
	uids := []string{}
	for i, depth := 0, math.MaxInt; i < len(left); i++ {
		if left[i].Depth <= depth {
			depth = left[i].Depth
			if left[i].UID != "" {
				uids = append(uids, left[i].UID)
			}
		}
	}
	return uids
}

// restUIDs is as long as any list of uids that a cut of these blocks can need.
func restUIDs(blocks []roammarkdown.Block) []string {
	var uids []string
	for _, b := range blocks {
		if b.UID != "" && len(uids) < maxRestUIDs {
			uids = append(uids, b.UID)
		}
	}
	return uids
}
