package surface

import (
	"encoding/json"
	"math"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// The parameter with the cursor of a reader, and the field of a reply that has it.
const (
	ParamAfter = "after"
	FieldNext  = "next"
)

// FieldBlocks is the field of a reply that says of a page or block of which not all is shown
// how many blocks are (shown), and how many there are (total).
const FieldBlocks = "blocks"

// BlocksShown is what FieldBlocks says.
func BlocksShown(shown, total int) rawjson.Object {
	return rawjson.With("shown", shown).With("total", total)
}

// CutMarkdown keeps the blocks of Roam's markdown from the start that fit, whole.
// With Parts, the reply's FieldBlocks says how much that is, and next is the cursor with which the same call, in its
// parameter after, goes on behind them; without, the reply names the uids of the
// blocks that are missing.
type CutMarkdown struct {
	Field string
	Parts bool
	Rest  problem.Hint
}

func (c CutMarkdown) shorten(object rawjson.Object, f Frame) (rawjson.Object, error) {
	markdown, ok := object.Text(c.Field)
	if !ok {
		return object, nil
	}
	if c.Parts {
		return c.part(object, markdown, f), nil
	}
	return c.start(object, markdown, f), nil
}

// totalOf returns how many blocks a page or block has, where the reply says it.
func totalOf(object rawjson.Object) (int, bool) {
	var blocks struct {
		Total *int `json:"total"`
	}
	if json.Unmarshal(object.Get(FieldBlocks), &blocks) != nil || blocks.Total == nil {
		return 0, false
	}
	return *blocks.Total, true
}

// longTitle is how many characters a title keeps where it would take half of a
// reply.
const longTitle = 200

// cost is what a block takes of a reply, in tokens, encoded as JSON.
func cost(source string) int {
	var encoded [512]byte // of most blocks, so that counting allocates nothing
	return textsafe.CountTokens(rawjson.AppendString(encoded[:0], source))
}

// part returns the reply with the blocks that fit, and the cursor behind them. Of a
// block that does not fit alone, it has the start of the text.
func (c CutMarkdown) part(object rawjson.Object, markdown string, f Frame) rawjson.Object {
	room := f.Max - overhead(object.With(FieldNext, strings.Repeat("x", 24)), c.Field, Truncated{BlocksShown: len(markdown), BlocksLeft: len(markdown), BytesLeft: len(markdown)})
	at := outline.ParseCursor(f.Args.Text(ParamAfter))
	shown, number, next := 0, at.Passed(), ""
	left := markdown
	text, encoded := append(make([]byte, 0, len(object.Get(c.Field))), '"'), []byte(nil)
	encode := func(source string) (size int) { // for text
		encoded = rawjson.AppendString(encoded[:0], source)
		return textsafe.CountTokens(encoded)
	}
	for b := range outline.EachRendered(markdown) {
		size, length := encode(b.Source), len(b.Source)
		if b.Header && size > room/2 {
			b.Source, _ = b.Shortened(longTitle)
			size = encode(b.Source)
		}
		if size > room && shown > 0 {
			break
		}
		number++
		left = left[length:]
		if size > room && !b.Header && !b.Repeated {
			source, characters := shortened(b, room)
			encode(source)
			text = append(text, encoded[1:len(encoded)-1]...)
			next = outline.CursorBehind(b, number, at.Shown(b)+characters)
			shown++
			break
		}
		room -= size
		text = append(text, encoded[1:len(encoded)-1]...)
		if !b.Header && !b.Repeated {
			shown++
			next = outline.CursorBehind(b, number, 0)
		}
	}
	total := shown + outline.CountRendered(left)
	if n, known := totalOf(object); known {
		total = n
	}
	return object.With(c.Field, append(text, '"')).With(FieldBlocks, BlocksShown(shown, total)).With(FieldNext, next)
}

// shortened returns the start of a block's text that fits into room tokens, and how
// many characters that is.
func shortened(b outline.RenderedBlock, room int) (source string, characters int) {
	low, high := 1, b.TextLength()
	for low < high {
		middle := (low + high + 1) / 2
		if text, _ := b.Shortened(middle); cost(text) <= room {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return b.Shortened(low)
}

// start returns the reply with the blocks that fit, and the uids of those that do
// not.
func (c CutMarkdown) start(object rawjson.Object, markdown string, f Frame) rawjson.Object {
	blocks := outline.RenderedBlocks(markdown)
	rest := f.World.Say(c.Rest)
	// Room for the largest note there can be: the uids are what varies.
	largest := Truncated{BlocksShown: len(blocks), BlocksLeft: len(blocks), BytesLeft: len(markdown), Rest: rest, UIDs: restUIDs(blocks), UIDsLeft: len(blocks)}
	room := f.Max - overhead(object, c.Field, largest)
	if room < 0 {
		largest.UIDs = nil
		room = f.Max - overhead(object, c.Field, largest)
	}
	withUIDs := largest.UIDs != nil
	kept := 0
	var text strings.Builder
	for ; kept < len(blocks); kept++ {
		if room -= cost(blocks[kept].Source); room < 0 {
			break
		}
		text.WriteString(blocks[kept].Source)
	}
	left := blocks[kept:]
	note := Truncated{BlocksShown: countBlocks(blocks[:kept]), BlocksLeft: countBlocks(left), BytesLeft: len(markdown) - text.Len(), Rest: rest}
	if withUIDs {
		frontier := restFrontier(left)
		note.UIDs = frontier[:min(len(frontier), maxRestUIDs)]
		note.UIDsLeft = len(frontier) - len(note.UIDs)
	}
	return object.With(c.Field, text.String()).With("truncated", note)
}

func countBlocks(blocks []outline.RenderedBlock) int {
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
func restFrontier(left []outline.RenderedBlock) []string {
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
func restUIDs(blocks []outline.RenderedBlock) []string {
	var uids []string
	for _, b := range blocks {
		if b.UID != "" && len(uids) < maxRestUIDs {
			uids = append(uids, b.UID)
		}
	}
	return uids
}
