package main

import (
	"context"
	"encoding/json"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// pulled asks for a block by a pattern and returns the map that comes; taken is false where
// Roam refuses the pattern.
func (a *asking) pulled(ctx context.Context, pattern, uid string) (found map[string]json.RawMessage, taken bool) {
	result, taken := a.try(ctx, a.query, `[:find (pull ?b `+pattern+`) :where [?b :block/uid `+quote(uid)+`]]`)
	var rows [][]map[string]json.RawMessage
	if taken && (json.Unmarshal(result, &rows) != nil || len(rows) != 1 || len(rows[0]) != 1) {
		a.fail(errUnclear)
	}
	if !taken || a.err != nil {
		return nil, taken
	}
	return rows[0][0], true
}

func queryKeys(ctx context.Context, a *asking) string {
	if a.query != "data.q" && a.query != "q" { // whose keys are others
		a.fail(errUnclear)
	}
	found, _ := a.pulled(ctx, `[:block/uid :node/title]`, a.page)
	for key, form := range map[string]string{"title": "bare", ":node/title": "colon", "node/title": "qualified"} {
		if found[key] != nil {
			return form
		}
	}
	a.fail(errUnclear)
	return ""
}

func asNames(ctx context.Context, a *asking) string {
	found, _ := a.pulled(ctx, `[[:block/uid :as "name"]]`, a.page)
	return which(found["name"] != nil, "honoured", "ignored")
}

func pullOptions(ctx context.Context, a *asking) string {
	parent, _ := a.siblings(ctx, "one")
	_, taken := a.pulled(ctx, `[:block/uid {[:block/children :limit nil] [:block/uid]}]`, parent)
	return which(taken, "understood", "refused")
}

// manyBlocks is more than the 1,000 at which a pull cuts a list.
const manyBlocks = 1001

func limitNil(ctx context.Context, a *asking) string {
	parent := a.home(ctx)
	a.do(ctx, "data.block.fromMarkdown", object{"location": at(parent, "last"), "markdown-string": strings.Repeat("- "+a.say("one")+"\n", manyBlocks)})
	if len(a.children(ctx, parent)) != manyBlocks {
		a.fail(errUnclear)
	}
	found, taken := a.pulled(ctx, `[[:block/children :limit nil]]`, parent)
	for _, value := range found {
		if rawjson.CountElements(value) == manyBlocks {
			return "all"
		}
	}
	if !taken {
		a.fail(errUnclear)
	}
	return "cut"
}

func collectionInput(ctx context.Context, a *asking) string {
	_, taken := a.try(ctx, a.query, `[:find ?u :in $ [?u ...] :where [?b :block/uid ?u]]`, []string{a.page, a.fresh()})
	return which(taken, "understood", "refused")
}

func pullMissing(ctx context.Context, a *asking) string {
	result, taken := a.try(ctx, "data.pull_many", `[:block/uid]`, [][]string{{":block/uid", a.page}, {":block/uid", a.fresh()}})
	items := rawjson.Elements(result)
	switch {
	case !taken:
		return "error"
	case len(items) == 1:
		return "left-out"
	case len(items) != 2 || string(items[1]) != "null":
		a.fail(errUnclear)
	}
	return "null"
}

func missingPage(ctx context.Context, a *asking) string {
	a.list(nil, []string{a.title("missing")})
	result, taken := a.try(ctx, "data.ai.getPage", object{"title": a.title("missing")})
	switch {
	case !taken:
		return "error"
	case len(result) == 0 || string(result) == "null":
		return "null"
	}
	return "empty"
}

// overlap sends a read while a write is under way, several times: the two are on connections
// of their own, so that a few times may be chance on a busy machine.
func overlap(ctx context.Context, a *asking) string {
	_, uids := a.siblings(ctx, "one")
	for _, word := range []string{"two", "three", "four", "five", "six", "seven", "eight", "nine"} {
		if !a.overtakes(ctx, uids[0], a.say(word)) {
			return "in-order"
		}
	}
	return "read-first"
}

// overtakes updates a block, and reports whether a read that is sent a little later, with the
// write under way, does not show it.
func (a *asking) overtakes(ctx context.Context, uid, text string) bool {
	const later = 25 * time.Millisecond
	begun, done := make(chan struct{}), make(chan error, 1)
	begin := sync.OnceFunc(func() { close(begun) })
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { begin() }})
	go func() {
		_, err := a.send(traced, "data.block.update", part(uid, "string", text))
		done <- err
		begin()
	}()
	<-begun
	time.Sleep(later)
	over := len(done) > 0
	overtaken := a.text(ctx, uid) != text && !over
	if overtaken {
		a.decide()
	}
	a.fail(<-done)
	return overtaken
}

func tagForm(ctx context.Context, a *asking) string {
	parent := a.home(ctx)
	result, _ := a.try(ctx, "data.ai.getBlock", object{"uid": parent})
	var found struct{ Markdown string }
	if json.Unmarshal(result, &found) != nil || found.Markdown == "" {
		a.fail(errUnclear)
	}
	return which(strings.Contains(found.Markdown, `<roam uid="`+parent+`"`), "roam-tag", "none")
}

func timeoutText(ctx context.Context, a *asking) string {
	_, err := a.send(ctx, a.query, `[:find (count ?a) (count ?b) (count ?c) :timeout 1 :where [?a :block/uid ?x] [?b :block/uid ?y] [?c :block/uid ?z] [(not= ?x ?y)] [(not= ?y ?z)]]`)
	e, ok := problem.AsCall(err)
	switch {
	case err == nil: // there is too little in the graph
		a.fail(errUnclear)
	case !ok || !refused(err):
		a.fail(err)
	case strings.Contains(strings.ToLower(e.Call.Text), "took too long"):
		return "too-long"
	}
	return "other"
}

func encryptedForm(ctx context.Context, a *asking) string {
	result, err := a.send(ctx, "graph.isEncrypted")
	switch {
	case lacks(err):
		return "missing"
	case refused(err):
		return "error"
	case err != nil:
		a.fail(err)
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
	for _, action := range a.belief.Otherwise {
		args := []any{`[:find ?u :where [?b :block/uid ` + quote(a.page) + `] [?b :block/uid ?u]]`}
		if action == "data.pull_many" {
			args = []any{`[:block/uid]`, [][]string{{":block/uid", a.page}}}
		}
		if _, err := a.send(ctx, action, args...); lacks(err) {
			a.deviates(action)
		} else if !refused(err) {
			a.fail(err)
		}
	}
	return a.several()
}
