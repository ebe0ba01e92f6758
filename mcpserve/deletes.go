package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
)

// deletable is a kind of thing that can be deleted.
type deletable struct {
	noun       string
	action     string
	readAction string
	readTool   string
	goneWith   string // how it may have gone without a delete of its own
}

func aBlock() deletable {
	return deletable{"block", "data.block.delete", "data.ai.getBlock", "get_block", "with a block above it"}
}

func aPage() deletable {
	return deletable{"page", "data.page.delete", "data.ai.getPage", "get_page", "merged into another page"}
}

// hit is what a delete affects, as a read before it shows: hidden blocks are not
// counted.
type hit struct {
	known       bool // the thing could be read
	descendants []string
	references  int // blocks that link to it or to what is below it
}

func (h hit) counts() rawjson.Object {
	if !h.known {
		return nil
	}
	return rawjson.With("descendants", len(h.descendants)).With("references", h.references)
}

// affected reads what a delete would hit.
func (c *call) affected(ctx context.Context, what deletable, uid string) (hit, error) {
	result, err := c.roam(ctx, what.readAction, map[string]any{"uid": uid})
	if err != nil {
		return hit{}, err
	}
	var h hit
	for i, b := range c.server.readBlocks(result) {
		h.known = true
		h.references += b.refs
		if i > 0 {
			h.descendants = append(h.descendants, b.uid)
		}
	}
	return h, nil
}

// remove deletes one thing and tells what that hit.
func (c *call) remove(ctx context.Context, what deletable, uid string) (json.RawMessage, error) {
	h, err := c.affected(ctx, what, uid)
	if err != nil {
		return nil, err
	}
	result, err := c.removeOnce(ctx, what, uid, h)
	if err != nil {
		return nil, err
	}
	return success(result, h.counts()), nil
}

// removeOnce sends the delete and reads Roam's report on it.
func (c *call) removeOnce(ctx context.Context, what deletable, uid string, h hit) (json.RawMessage, error) {
	key := map[string]any{what.noun: map[string]any{"uid": uid}}
	result, err := c.write(ctx, what.action, []any{key}, c.lookForDelete(what, uid, h.known))
	if err != nil {
		return nil, err
	}
	if f := notDeleted(what, uid, result); f != nil {
		return nil, f
	}
	return result, nil
}

// notDeleted reads Roam's report on a delete (LOCAL_API.md 3.6). Old builds
// send none, and are believed.
func notDeleted(what deletable, uid string, report json.RawMessage) *failure {
	object := rawjson.Parse(report)
	if string(object.Get("deleted")) != "false" {
		return nil
	}
	f := &failure{Code: localapi.CodeNotFound, Action: what.action, UID: uid}
	reason, gone := reasonOf(object)
	if gone {
		f.Message = fmt.Sprintf("There is no %s %s, so nothing was deleted.", what.noun, quote(uid))
		f.Hint = fmt.Sprintf("It may be gone already, by an earlier call or %s. Do not try again; where it should exist, find it with search.", what.goneWith)
		return f.retryable(false)
	}
	f.Message = fmt.Sprintf("Roam did not delete the %s %s; it gives as reason %s.", what.noun, quote(uid), reason)
	f.Hint = "Do not assume that it is gone: read it again."
	f.SuggestedNextTool = what.readTool
	return f.retryable(false)
}

// reasonOf reads why something was not deleted, fit for a sentence. gone: there
// is no such thing, or no reason is given.
func reasonOf(report rawjson.Object) (reason string, gone bool) {
	raw := report.Get("reason")
	if raw == nil || string(raw) == "null" {
		return "", true
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return "something that is not a text", false
	}
	return quote(text), text == "" || text == "not-found"
}
