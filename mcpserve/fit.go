package mcpserve

import (
	"encoding/json"
	"fmt"
	"strings"

	"roam-mcp/internal/rawjson"
)

// SmallestReply is the least that Options.MaxReply can be.
const SmallestReply = 4 << 10

const (
	defaultMaxReply = 64 << 10

	maxRestUIDs = 100 // uids that a cut reply names

	askForLess = "Ask for less at once."

	// restOfOne is said where the very block that was asked for does not fit.
	restOfOne = "Its own text is too long for a reply: the user can read it in Roam, or serve with a larger --max-reply. get_block with each of uids, if any, reads what is below it."
)

// truncated says how much of a reply is missing, and which call gets the rest.
type truncated struct {
	BlocksShown  int      `json:"blocksShown,omitempty"`
	BlocksLeft   int      `json:"blocksLeft,omitempty"`
	ResultsShown int      `json:"resultsShown,omitempty"`
	ResultsLeft  int      `json:"resultsLeft,omitempty"`
	BytesLeft    int      `json:"bytesLeft"`
	Rest         string   `json:"rest"`
	UIDs         []string `json:"uids,omitempty"`
	UIDsLeft     int      `json:"uidsLeft,omitempty"`
}

// fit cuts a reply that is longer than max bytes: fewer results, or markdown up
// to the end of a block. What it returns is a whole JSON object, of max bytes
// at most.
func (s *Server) fit(reply json.RawMessage, c *call, max int) (json.RawMessage, error) {
	if len(reply) <= max {
		return reply, nil
	}
	object := rawjson.Parse(reply)
	// A preview of backlinks is the first thing to go: it has its own tool.
	if refs := object.Get("linkedReferences"); refs != nil && object.Get("markdown") != nil {
		preview := rawjson.Parse(refs).Without("results")
		preview = preview.With("note", "Left out, since the reply is large: get_backlinks lists them.")
		object = object.With("linkedReferences", preview.JSON())
		if shorter := object.JSON(); len(shorter) <= max {
			return shorter, nil
		}
	}
	if raw := object.Get("base64"); raw != nil { // half a file is none
		note := truncated{BytesLeft: len(raw), Rest: restOfFile}
		return s.fit(object.Without("base64").With("truncated", note).JSON(), c, max)
	}
	if c.tool.name == setupTool {
		return c.fitSetup(object, max)
	}
	for _, key := range []string{"results", "comments", "uids", "suggestions", "sidebar", "multiSelected", "graphs", "result"} {
		if list := rawjson.Elements(object.Get(key)); len(list) > 0 {
			return s.fitList(object, key, list, c, max)
		}
	}
	if raw := object.Get("markdown"); raw != nil {
		return s.fitMarkdown(object, raw, c, max)
	}
	if raw := object.Get("guidelines"); raw != nil {
		// What an agent can do without goes before the rules do.
		object = object.Without("moreParameters")
		if shorter := object.JSON(); len(shorter) <= max {
			return shorter, nil
		}
		return c.fitText(object, "guidelines", "get_page with title \"roam/agent guidelines\" reads them block by block.", max)
	}
	if c.tool.name == "file_get" {
		return c.fitText(object, "text", restOfFile, max)
	}
	return nil, c.tooLarge(len(reply), max)
}

func (c *call) tooLarge(size, max int) *failure {
	hint := askForLess
	for _, name := range []string{"limit", "maxDepth"} {
		if c.tool.lists(name) {
			hint = "Ask for less at once, with a smaller " + name + "."
		}
	}
	return &failure{
		Code:    CodeReplyTooLarge,
		Message: fmt.Sprintf("The reply has %d bytes; at most %d are sent.", size, max),
		Hint:    hint,
	}
}

// overhead is what the object takes without the value of a key, the note that
// says what is missing included.
func overhead(object rawjson.Object, key string, note truncated) int {
	bare := object.With(key, json.RawMessage(`""`))
	return len(bare.With("truncated", note).JSON())
}

// fitWrite is the reply of a write that can't be cut: it must not read as if
// the write had failed.
func (c *call) fitWrite(reply json.RawMessage) json.RawMessage {
	return c.labelled(rawjson.With("success", true).
		With("truncated", truncated{BytesLeft: len(reply), Rest: c.restOfList(0)}).JSON())
}

// fitList keeps as many whole elements from the start as fit.
func (s *Server) fitList(object rawjson.Object, key string, list []json.RawMessage, c *call, max int) (json.RawMessage, error) {
	total := 0
	for _, each := range list {
		total += len(each) + 1
	}
	// Roam's words on this page are true of all of it only: how many there are on
	// it, and where the next one starts.
	object = object.Without("shown", "nextOffset", "note")
	note := truncated{ResultsShown: len(list), ResultsLeft: len(list), BytesLeft: total, Rest: c.restOfList(len(list)), UIDs: c.restOfUnpaged(list)}
	room := max - overhead(object, key, note)
	kept, used := 0, 0
	for kept < len(list) && used+len(list[kept])+1 <= room {
		used += len(list[kept]) + 1
		kept++
	}
	if kept == 0 {
		return s.fitFirst(object, key, list, c, max)
	}
	note = truncated{ResultsShown: kept, ResultsLeft: len(list) - kept, BytesLeft: total - used, Rest: c.restOfList(kept), UIDs: c.restOfUnpaged(list[kept:])}
	object = object.With(key, rawjson.Array(list[:kept]))
	return object.With("truncated", note).JSON(), nil
}

// fitFirst cuts the markdown of the first result, which is too long by itself.
func (s *Server) fitFirst(object rawjson.Object, key string, list []json.RawMessage, c *call, max int) (json.RawMessage, error) {
	first := rawjson.Parse(list[0])
	markdown := first.Get("markdown")
	total := 0
	for _, each := range list {
		total += len(each) + 1
	}
	if markdown == nil {
		return nil, c.tooLarge(total, max)
	}
	outer := truncated{ResultsShown: 1, ResultsLeft: len(list) - 1, BytesLeft: total, Rest: c.restOfList(1)}
	shorter, err := s.fitMarkdown(first, markdown, c, max-overhead(object, key, outer)-8)
	if err != nil {
		return nil, err
	}
	outer.BytesLeft = total - len(shorter)
	object = object.With(key, rawjson.Array([]json.RawMessage{shorter}))
	return object.With("truncated", outer).JSON(), nil
}

// fitMarkdown keeps the blocks from the start that fit, whole.
func (s *Server) fitMarkdown(object rawjson.Object, raw json.RawMessage, c *call, max int) (json.RawMessage, error) {
	var markdown string
	if json.Unmarshal(raw, &markdown) != nil {
		return nil, c.tooLarge(len(raw), max)
	}
	blocks := s.tags.blocks(markdown)
	// Room for the largest note there can be: the uids are what varies.
	largest := truncated{BlocksShown: len(blocks), BlocksLeft: len(blocks), BytesLeft: len(markdown), Rest: c.restOfBlocks() + restOfOne, UIDs: restUIDs(blocks), UIDsLeft: len(blocks)}
	room := max - overhead(object, "markdown", largest)
	if room < 0 {
		largest.UIDs = nil
		room = max - overhead(object, "markdown", largest)
	}
	withUIDs := largest.UIDs != nil
	kept, used := 0, 0
	var text strings.Builder
	for kept < len(blocks) {
		size := len(rawjson.Encode(blocks[kept].source)) - 2
		if used+size > room {
			break
		}
		text.WriteString(blocks[kept].source)
		used += size
		kept++
	}
	left := blocks[kept:]
	note := truncated{BlocksShown: countBlocks(blocks[:kept]), BlocksLeft: countBlocks(left), BytesLeft: len(markdown) - text.Len(), Rest: c.restOfBlocks()}
	if kept == 0 && len(left) > 0 && c.readsOne() {
		note.Rest, left = restOfOne, left[1:]
	}
	if withUIDs {
		frontier := restFrontier(left)
		note.UIDs = frontier[:min(len(frontier), maxRestUIDs)]
		note.UIDsLeft = len(frontier) - len(note.UIDs)
	}
	object = object.With("markdown", text.String())
	out := object.With("truncated", note).JSON()
	if len(out) > max {
		return nil, c.tooLarge(len(out), max)
	}
	return out, nil
}

func countBlocks(blocks []block) int {
	n := 0
	for _, b := range blocks {
		if !b.header {
			n++
		}
	}
	return n
}

// restFrontier are the uids with which the missing blocks can be read: those
// whose parents are shown. The blocks below them come along.
func restFrontier(left []block) []string {
	uids := []string{}
	for i, depth := 0, int(^uint(0)>>1); i < len(left); i++ {
		if left[i].depth <= depth {
			depth = left[i].depth
			if left[i].uid != "" {
				uids = append(uids, left[i].uid)
			}
		}
	}
	return uids
}

// restUIDs is as long as any list of uids that a cut of these blocks can need.
func restUIDs(blocks []block) []string {
	var uids []string
	for _, b := range blocks {
		if b.uid != "" && len(uids) < maxRestUIDs {
			uids = append(uids, b.uid)
		}
	}
	return uids
}

// fitText cuts a plain text field at the end of a line, or inside the first one
// where that is too long by itself.
func (c *call) fitText(object rawjson.Object, key, rest string, max int) (json.RawMessage, error) {
	var text string
	if json.Unmarshal(object.Get(key), &text) != nil {
		return nil, c.tooLarge(len(object.JSON()), max)
	}
	room := max - overhead(object, key, truncated{BytesLeft: len(text), Rest: rest})
	var kept strings.Builder
	for line := range strings.Lines(text) {
		size := len(rawjson.Encode(line)) - 2
		if size > room {
			break
		}
		kept.WriteString(line)
		room -= size
	}
	if kept.Len() == 0 {
		for _, r := range text {
			if room -= len(rawjson.Encode(string(r))) - 2; room < 0 {
				break
			}
			kept.WriteRune(r)
		}
	}
	object = object.With(key, kept.String())
	out := object.With("truncated", truncated{BytesLeft: len(text) - kept.Len(), Rest: rest}).JSON()
	if len(out) > max {
		return nil, c.tooLarge(len(out), max)
	}
	return out, nil
}

// restOfList says which call gets the results that were left out.
func (c *call) restOfList(kept int) string {
	switch c.tool.name {
	case "search", "roam_query":
		return fmt.Sprintf("%s again with offset %d.", c.tool.name, c.args.number("offset", 0)+kept)
	case "datalog_query":
		return fmt.Sprintf("datalog_query again with the same query and offset %d.", c.args.number("offset", 0)+kept)
	case "get_comments", "search_templates":
		return "get_block with each of uids reads the rest."
	case "get_backlinks":
		return fmt.Sprintf("get_backlinks again with the same offset and limit %d, and go on from its nextOffset.", kept)
	case "semantic_search":
		return "semantic_search again with a smaller maxDepth shows more results at once."
	case "list_graphs":
		return c.server.forThisWorld("The others can be used as well; the user sees their nicknames with: roam-mcp graphs")
	case "suggest_links":
		return "suggest_links again with the uid of a single block, or a part of the text."
	case "call_extension_tool":
		return "The tool has run; do not run it again for what is missing, unless it only reads and can be asked for less."
	}
	if c.tool.writes() {
		return "All was done; reading the place with get_page or get_block shows the rest."
	}
	return askForLess
}

// restOfUnpaged are the uids with which results can be read that no page brings.
func (c *call) restOfUnpaged(list []json.RawMessage) []string {
	key := ""
	switch c.tool.name {
	case "get_comments":
		key = "parentUid"
	case "search_templates":
		key = "uid"
	default:
		return nil
	}
	var uids []string
	for _, each := range list {
		var uid string
		if json.Unmarshal(rawjson.Parse(each).Get(key), &uid) == nil && uid != "" && len(uids) < maxRestUIDs {
			uids = append(uids, uid)
		}
	}
	return uids
}

// readsOne reports whether the call reads a single block or page: to read that
// again brings no more of it.
func (c *call) readsOne() bool { return c.tool.name == "get_block" || c.tool.name == "get_page" }

// restOfBlocks says which call gets the blocks that were left out.
func (c *call) restOfBlocks() string {
	rest := "get_block with each of uids reads the rest"
	if c.tool.lists("maxDepth") {
		rest += "; a smaller maxDepth shows the outline first"
	}
	return rest + "."
}
