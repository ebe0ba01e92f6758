package probe

import (
	"context"
	"encoding/json"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"roam-mcp/internal/rawjson"
	"roam-mcp/problem"
)

// pulled asks for a block by a pattern and returns the map that comes; taken is false where
// Roam refuses the pattern.
func (a *asking) pulled(ctx context.Context, pattern, uid string) (found map[string]json.RawMessage, taken bool) {
	result, taken := a.look(ctx, "data.q", `[:find (pull ?b `+pattern+`) :where [?b :block/uid `+quote(uid)+`]]`)
	var rows [][]map[string]json.RawMessage
	if taken && (json.Unmarshal(result, &rows) != nil || len(rows) != 1 || len(rows[0]) != 1) {
		a.failed(errUnclear)
	}
	if !taken || a.err != nil {
		return nil, taken
	}
	return rows[0][0], true
}

func queryKeys(ctx context.Context, a *asking) string {
	if a.query != "data.q" && a.query != "q" { // whose keys are others
		a.failed(errUnclear)
	}
	found, _ := a.pulled(ctx, `[:block/uid :node/title]`, a.page)
	for key, form := range map[string]string{"title": "bare", ":node/title": "colon", "node/title": "qualified"} {
		if found[key] != nil {
			return form
		}
	}
	a.failed(errUnclear)
	return ""
}

func asNames(ctx context.Context, a *asking) string {
	if found, _ := a.pulled(ctx, `[[:block/uid :as "name"]]`, a.page); found["name"] != nil {
		return "honoured"
	}
	return "ignored"
}

func pullOptions(ctx context.Context, a *asking) string {
	parent, _ := a.siblings(ctx, "one")
	if _, taken := a.pulled(ctx, `[:block/uid {[:block/children :limit nil] [:block/uid]}]`, parent); !taken {
		return "refused"
	}
	return "understood"
}

// manyBlocks is more than the 1,000 at which a pull cuts a list.
const manyBlocks = 1001

func limitNil(ctx context.Context, a *asking) string {
	parent := a.home(ctx)
	a.do(ctx, "data.block.fromMarkdown", object{"location": at(parent, "last"), "markdown-string": strings.Repeat("- "+a.say("one")+"\n", manyBlocks)})
	if len(a.kids(ctx, parent)) != manyBlocks {
		a.failed(errUnclear)
	}
	found, taken := a.pulled(ctx, `[[:block/children :limit nil]]`, parent)
	for _, value := range found {
		if rawjson.CountElements(value) == manyBlocks {
			return "all"
		}
	}
	if !taken {
		a.failed(errUnclear)
	}
	return "cut"
}

func collectionInput(ctx context.Context, a *asking) string {
	if _, taken := a.look(ctx, a.query, `[:find ?u :in $ [?u ...] :where [?b :block/uid ?u]]`, []string{a.page, a.fresh()}); !taken {
		return "refused"
	}
	return "understood"
}

func pullMissing(ctx context.Context, a *asking) string {
	result, taken := a.look(ctx, "data.pull_many", `[:block/uid]`, [][]string{{":block/uid", a.page}, {":block/uid", a.fresh()}})
	items := rawjson.Elements(result)
	switch {
	case !taken:
		return "error"
	case len(items) == 1:
		return "left-out"
	case len(items) != 2 || string(items[1]) != "null":
		a.failed(errUnclear)
	}
	return "null"
}

func missingPage(ctx context.Context, a *asking) string {
	a.failed(a.made.add(nil, []string{a.title("missing")}))
	result, taken := a.look(ctx, "data.ai.getPage", object{"title": a.title("missing")})
	switch {
	case !taken:
		return "error"
	case len(result) == 0 || string(result) == "null":
		return "null"
	}
	return "empty"
}

// overlap sends a read while a write is under way, several times: the two are on connections
// of their own, so that once may be chance. It gives the write more time each time.
func overlap(ctx context.Context, a *asking) string {
	_, uids := a.siblings(ctx, "one")
	late := 0
	for i, word := range []string{"two", "three", "four", "five", "six"} {
		switch a.during(ctx, uids[0], a.say(word), (10*time.Millisecond)<<i) {
		case tooLate:
			late++
		case inOrder:
			return "in-order"
		}
	}
	if late > 1 {
		return "read-first"
	}
	return "in-order" // all writes were over before
}

// What a read shows of a write that was under way.
const (
	overBefore = iota // the write was answered before the read was sent
	inOrder
	tooLate
)

// during updates a block, reads it some time later, and says what the read shows.
func (a *asking) during(ctx context.Context, uid, text string, later time.Duration) int {
	var once sync.Once
	sent, done := make(chan struct{}), make(chan error, 1)
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { once.Do(func() { close(sent) }) }})
	go func() {
		_, err := a.write(traced, "data.block.update", part(uid, "string", text))
		done <- err
	}()
	timer := time.NewTimer(callLimit)
	defer timer.Stop()
	select {
	case <-sent:
		timer.Reset(later)
	case err := <-done:
		a.failed(err)
		return overBefore
	}
	select {
	case <-timer.C:
	case err := <-done:
		a.failed(err)
		return overBefore
	}
	read := a.text(ctx, uid)
	shows := a.latest()
	a.failed(<-done)
	if read == text {
		return inOrder
	}
	a.decisive = &shows
	return tooLate
}

func tagForm(ctx context.Context, a *asking) string {
	parent := a.home(ctx)
	result, _ := a.look(ctx, "data.ai.getBlock", object{"uid": parent})
	var found struct{ Markdown string }
	if json.Unmarshal(result, &found) != nil || found.Markdown == "" {
		a.failed(errUnclear)
	}
	if strings.Contains(found.Markdown, `<roam uid="`+parent+`"`) {
		return "roam-tag"
	}
	return "none"
}

func timeoutText(ctx context.Context, a *asking) string {
	_, err := a.read(ctx, a.query, `[:find (count ?a) (count ?b) (count ?c) :timeout 1 :where [?a :block/uid ?x] [?b :block/uid ?y] [?c :block/uid ?z] [(not= ?x ?y)] [(not= ?y ?z)]]`)
	e, ok := problem.AsCall(err)
	switch {
	case err == nil: // there is too little in the graph
		a.failed(errUnclear)
	case !ok || !refused(err):
		a.failed(err)
	case strings.Contains(strings.ToLower(e.Call.Text), "took too long"):
		return "too-long"
	}
	return "other"
}

func encryptedForm(ctx context.Context, a *asking) string {
	result, err := a.read(ctx, "graph.isEncrypted")
	switch {
	case lacks(err):
		return "missing"
	case refused(err):
		return "error"
	case err != nil:
		a.failed(err)
	}
	switch string(result) {
	case "true", "false":
		yes := string(result) == "true"
		a.encrypted = &yes
		return "boolean"
	case "", "null":
		return "null"
	}
	return "text"
}

func asyncForms(ctx context.Context, a *asking) string {
	var parts []string
	for _, action := range a.belief.Otherwise {
		args := []any{`[:find ?u :where [?b :block/uid ` + quote(a.page) + `] [?b :block/uid ?u]]`}
		if action == "data.pull_many" {
			args = []any{`[:block/uid]`, [][]string{{":block/uid", a.page}}}
		}
		if _, err := a.read(ctx, action, args...); lacks(err) {
			a.deviates(&parts, action, a.latest())
		} else if !refused(err) {
			a.failed(err)
		}
	}
	return a.belief.Join(parts)
}

// unquoted returns a text of a reply; empty where it is none.
func unquoted(value json.RawMessage) (text string) {
	_ = json.Unmarshal(value, &text) // it stays empty
	return text
}

// number returns a whole number of a reply; -1 where it is none.
func number(value json.RawMessage) int {
	n := -1
	_ = json.Unmarshal(value, &n) // it stays -1
	return n
}
