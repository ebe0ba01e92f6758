package faultroam

import (
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/localapi"
)

// answer answers a call as the faults have it, or reports that its connection is to be cut.
func (r *Roam) answer(api http.Handler, x *call, f faults) (answer *reply, cut bool) {
	switch {
	case f["too-large"] != "" && x.action != "":
		return page(http.StatusRequestEntityTooLarge, "PayloadTooLargeError: request entity too large"), false
	case f.names("missing", x.route):
		return page(http.StatusNotFound, "Cannot "+x.http.Method+" "+x.http.URL.Path), false
	case f.names("missing", x.action), f["no-batch"] != "" && isBatch(x.action):
		return saying(http.StatusNotFound, object{"error": object{"code": localapi.CodeUnknownAction, "message": "Unknown action: " + x.action}}), false
	}
	if text, throws := f.text("fail", x.action); throws {
		return throwing(text), false
	}
	if !Writes(x.action) {
		f.changeRead(x)
		return x.send(api), false
	}
	if f["ignored"] == "all" || f.names("ignored", x.action) {
		return x.pretend(), false
	}
	if after, err := time.ParseDuration(f["late"]); err == nil {
		r.postpone(after, func() { r.write(api, x, f) })
		return nil, true
	}
	answer = r.write(api, x, f)
	if text, throws := f.text("fail-done", x.action); throws && answer.status == http.StatusOK {
		return throwing(text), false
	}
	return answer, false
}

func isBatch(action string) bool {
	return slices.Contains([]string{"data.block.updateBlocks", "data.block.deleteBlocks", "batchActions"}, action)
}

// postpone does a write later, unless the Roam is closed before.
func (r *Roam) postpone(after time.Duration, write func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running.Go(func() {
		select {
		case <-time.After(after):
			write()
		case <-r.stopped:
		}
	})
}

var notThere = regexp.MustCompile(`doesn't exist|does not exist|not found`)

// write does a write as the faults have it.
func (r *Roam) write(api http.Handler, x *call, f faults) *reply {
	how := f["uids"]
	before := map[string]bool{}
	if how != "" {
		if before = uidsOf(api, x); how == "refused" && r.revives(x) {
			return throwing("the uid can't be given to a block")
		}
	}
	x.eachStep(func(kind string, step object) (keep bool) {
		block, _ := step["block"].(object)
		f.changeBlock(kind, block)
		if uid, _ := block["uid"].(string); kind == "create-block" && uid != "" && (r.isGone(uid) || how == "all-other") {
			delete(block, "uid")
			return how != "silent"
		}
		if location, is := step["location"].(object); is && kind == "move-block" && f["misplaced"] != "" {
			misplace(location)
		}
		return true
	})
	if text, is := x.argument()["markdown-string"].(string); is && f["commonmark"] != "" {
		x.argument()["markdown-string"] = asCommonMark(text)
	}
	if how == "silent" && x.isEmpty() {
		return x.pretend()
	}
	answer := x.send(api)
	if how != "" {
		r.noteGone(before, uidsOf(api, x))
	}
	if f["silent"] != "" && answer.status == http.StatusInternalServerError && notThere.Match(answer.body.Bytes()) {
		return x.pretend()
	}
	return answer
}

// eachStep calls do with each step of a write, as batchActions names them, and drops those
// that it does not keep.
func (x *call) eachStep(do func(kind string, step object) (keep bool)) {
	argument := x.argument()
	kinds := map[string]string{
		"data.block.create": "create-block", "data.block.update": "update-block", "updateBlock": "update-block",
		"data.block.move": "move-block", "moveBlock": "move-block",
	}
	switch kind := kinds[x.action]; {
	case kind != "":
		if !do(kind, argument) {
			clear(argument)
		}
	case x.action == "data.block.updateBlocks":
		updates, _ := argument["updates"].([]any)
		for _, update := range updates {
			do("update-block", object{"block": update})
		}
	case x.action == "batchActions":
		steps, _ := argument["actions"].([]any)
		argument["actions"] = slices.DeleteFunc(steps, func(step any) bool {
			fields, _ := step.(object)
			kind, _ := fields["action"].(string)
			return !do(kind, fields)
		})
	}
}

// isEmpty reports whether nothing is left of a write.
func (x *call) isEmpty() bool {
	steps, isBatch := x.argument()["actions"].([]any)
	return len(x.argument()) == 0 || isBatch && len(steps) == 0
}

// changeBlock changes what a block is to be.
func (f faults) changeBlock(kind string, block object) {
	if f["plain"] != "" {
		delete(block, "props")
		if kind == "create-block" {
			for _, look := range []string{"heading", "open", "text-align", "children-view-type", "block-view-type"} {
				delete(block, look)
			}
		}
	}
	if text, is := block["string"].(string); is && f["trimmed"] != "" {
		block["string"] = strings.Trim(text, " \u00a0")
	}
}

// misplace changes where a block is moved to.
func misplace(location object) {
	switch order := location["order"].(type) {
	case json.Number:
		if n, err := order.Int64(); err == nil && n > 0 {
			location["order"] = n - 1
		} else {
			location["order"] = 1
		}
	default:
		location["order"] = 0
	}
}

// forms returns markdown that CommonMark has and Roam keeps as text, with what is left of it.
func forms() [][2]string {
	return [][2]string{
		{`<!--[\s\S]*?-->`, ""},
		{`</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>\n]*)?/?>`, ""},
		{`(?m)^([ \t]*(?:[-*+][ \t]+)?)> ?`, "$1"},
		{`(?m)[ \t]+$`, ""},
		{`(?m)^[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$`, ""},
	}
}

func asCommonMark(text string) string {
	for _, form := range forms() {
		text = regexp.MustCompile(form[0]).ReplaceAllString(text, form[1])
	}
	return html.UnescapeString(text)
}

// uidsOf returns the uids of all pages and blocks of the graph of a call.
func uidsOf(api http.Handler, x *call) map[string]bool {
	var answer struct {
		Result []string `json:"result"`
	}
	_ = json.Unmarshal(x.asking("q", `[:find [?u ...] :where [?e :block/uid ?u]]`).send(api).body.Bytes(), &answer) // a token that may not read has none
	uids := map[string]bool{}
	for _, uid := range answer.Result {
		uids[uid] = true
	}
	return uids
}

func (r *Roam) noteGone(before, after map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for uid := range before {
		if !after[uid] {
			r.gone[uid] = true
		}
	}
}

func (r *Roam) isGone(uid string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone[uid]
}

// revives reports whether a write gives a new block a uid that is gone.
func (r *Roam) revives(x *call) (found bool) {
	x.eachStep(func(kind string, step object) bool {
		block, _ := step["block"].(object)
		uid, _ := block["uid"].(string)
		found = found || kind == "create-block" && r.isGone(uid)
		return true
	})
	return found
}
