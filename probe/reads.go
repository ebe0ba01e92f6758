package probe

import (
	"context"
	"encoding/json"
	"net/http/httptrace"
	"strings"
	"time"

	"roam-mcp/internal/rawjson"
	"roam-mcp/problem"
)

// pulled asks for a block by a pattern and returns the map that comes.
func (a *asking) pulled(ctx context.Context, pattern, uid string) (map[string]json.RawMessage, error) {
	result, err := a.inquireAs(ctx, "data.q", `[:find (pull ?b `+pattern+`) :where [?b :block/uid `+quote(uid)+`]]`)
	if err != nil {
		return nil, err
	}
	var rows [][]map[string]json.RawMessage
	if json.Unmarshal(result, &rows) != nil || len(rows) != 1 || len(rows[0]) != 1 {
		return nil, errUnclear
	}
	return rows[0][0], nil
}

// inquireAs asks a query with this action, or with q where Roam has only that.
func (a *asking) inquireAs(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	result, err := a.read(ctx, action, args...)
	if lacks(err) {
		return a.read(ctx, "q", args...)
	}
	return result, err
}

func queryKeys(ctx context.Context, a *asking) (string, error) {
	found, err := a.pulled(ctx, `[:block/uid :node/title]`, a.page)
	if err != nil {
		return "", err
	}
	for key, form := range map[string]string{"title": "bare", ":node/title": "colon", "node/title": "qualified"} {
		if _, there := found[key]; there {
			return form, nil
		}
	}
	return "", errUnclear
}

func asNames(ctx context.Context, a *asking) (string, error) {
	found, err := a.pulled(ctx, `[[:block/uid :as "name"]]`, a.page)
	if err != nil {
		return "", err
	}
	if _, there := found["name"]; there {
		return "honoured", nil
	}
	return "ignored", nil
}

func pullOptions(ctx context.Context, a *asking) (string, error) {
	parent, _, err := a.siblings(ctx, "one")
	if err != nil {
		return "", err
	}
	_, err = a.pulled(ctx, `[:block/uid {[:block/children :limit nil] [:block/uid]}]`, parent)
	if refused(err) {
		return "refused", nil
	}
	return "understood", err
}

// manyBlocks is more than the 1,000 at which a pull cuts a list.
const manyBlocks = 1001

func limitNil(ctx context.Context, a *asking) (string, error) {
	parent, err := a.home(ctx)
	if err != nil {
		return "", err
	}
	_, err = a.write(ctx, "data.block.fromMarkdown", object{
		"location": object{"parent-uid": parent, "order": "last"}, "markdown-string": strings.Repeat("- "+a.text("one")+"\n", manyBlocks)})
	if err != nil {
		return "", err
	}
	rows, err := a.rows(ctx, `[:find (count ?b) :where [?p :block/uid `+quote(parent)+`] [?p :block/children ?b]]`)
	if err != nil || len(rows) != 1 || len(rows[0]) != 1 || number(rows[0][0]) != manyBlocks {
		return "", errUnclear
	}
	found, err := a.pulled(ctx, `[[:block/children :limit nil]]`, parent)
	if err != nil {
		return "", err
	}
	most := 0
	for _, value := range found {
		most = max(most, rawjson.CountElements(value))
	}
	if most < manyBlocks {
		return "cut", nil
	}
	return "all", nil
}

func collectionInput(ctx context.Context, a *asking) (string, error) {
	parent, err := a.home(ctx)
	if err != nil {
		return "", err
	}
	_, err = a.inquire(ctx, `[:find ?u :in $ [?u ...] :where [?b :block/uid ?u]]`, []string{a.page, parent})
	if refused(err) {
		return "refused", nil
	}
	return "understood", err
}

func pullMissing(ctx context.Context, a *asking) (string, error) {
	missing, err := a.uid()
	if err != nil {
		return "", err
	}
	result, err := a.read(ctx, "data.pull_many", `[:block/uid]`, [][]string{{":block/uid", a.page}, {":block/uid", missing}})
	if refused(err) {
		return "error", nil
	}
	if err != nil {
		return "", err
	}
	items := rawjson.Elements(result)
	switch {
	case len(items) == 1:
		return "left-out", nil
	case len(items) == 2 && string(items[1]) == "null":
		return "null", nil
	}
	return "", errUnclear
}

func missingPage(ctx context.Context, a *asking) (string, error) {
	if err := a.made.add(nil, []string{a.title("missing")}); err != nil {
		return "", err
	}
	result, err := a.read(ctx, "data.ai.getPage", object{"title": a.title("missing")})
	switch {
	case refused(err):
		return "error", nil
	case err != nil:
		return "", err
	case len(result) == 0 || string(result) == "null":
		return "null", nil
	}
	return "empty", nil
}

// overlap sends a read as soon as a write was sent, three times: the two are on connections
// of their own, so that once may be chance.
func overlap(ctx context.Context, a *asking) (string, error) {
	const tries, behind = 3, 5 * time.Millisecond
	_, uids, err := a.siblings(ctx, "one")
	if err != nil {
		return "", err
	}
	late := 0
	for _, word := range []string{"two", "three", "four"}[:tries] {
		sent, done := make(chan struct{}, 1), make(chan error, 1)
		traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent <- struct{}{} }})
		go func() {
			_, err := a.write(traced, "data.block.update", object{"block": object{"uid": uids[0], "string": a.text(word)}})
			done <- err
		}()
		select {
		case <-sent:
		case err := <-done: // also where nobody tells when it was sent
			done <- err
		}
		time.Sleep(behind)
		text, readErr := a.textOf(ctx, uids[0])
		read := a.latest()
		if err := <-done; err != nil {
			return "", err
		}
		if readErr != nil {
			return "", readErr
		}
		if text != a.text(word) {
			late++
			a.decisive = &read
		}
	}
	if late == tries {
		return "read-first", nil
	}
	return "in-order", nil
}

func tagForm(ctx context.Context, a *asking) (string, error) {
	parent, err := a.home(ctx)
	if err != nil {
		return "", err
	}
	result, err := a.read(ctx, "data.ai.getBlock", object{"uid": parent})
	if err != nil {
		return "", err
	}
	var found struct {
		Markdown string `json:"markdown"`
	}
	if json.Unmarshal(result, &found) != nil || found.Markdown == "" {
		return "", errUnclear
	}
	if strings.Contains(found.Markdown, `<roam uid="`+parent+`"`) {
		return "roam-tag", nil
	}
	return "none", nil
}

func timeoutText(ctx context.Context, a *asking) (string, error) {
	_, err := a.inquire(ctx, `[:find (count ?a) (count ?b) (count ?c) :timeout 1 :where [?a :block/uid ?x] [?b :block/uid ?y] [?c :block/uid ?z] [(not= ?x ?y)] [(not= ?y ?z)]]`)
	if err == nil {
		return "", errUnclear // there is too little in the graph
	}
	e, ok := problem.AsCall(err)
	if !ok || !refused(err) {
		return "", err
	}
	if strings.Contains(strings.ToLower(e.Call.Text), "took too long") {
		return "too-long", nil
	}
	return "other", nil
}

func encryptedForm(ctx context.Context, a *asking) (string, error) {
	result, err := a.read(ctx, "graph.isEncrypted")
	switch {
	case lacks(err):
		return "missing", nil
	case refused(err):
		return "error", nil
	case err != nil:
		return "", err
	}
	switch text := string(result); text {
	case "true", "false":
		yes := text == "true"
		a.encrypted = &yes
		return "boolean", nil
	case "", "null":
		return "null", nil
	}
	return "text", nil
}

func asyncForms(ctx context.Context, a *asking) (string, error) {
	var parts []string
	for _, action := range []string{"q", "data.q", "data.fast.q", "data.backend.q", "data.async.q", "data.pull_many"} {
		args := []any{`[:find ?u :where [?b :block/uid ` + quote(a.page) + `] [?b :block/uid ?u]]`}
		if action == "data.pull_many" {
			args = []any{`[:block/uid]`, [][]string{{":block/uid", a.page}}}
		}
		_, err := a.read(ctx, action, args...)
		switch {
		case lacks(err):
			a.deviates(&parts, action)
		case err != nil && !refused(err):
			return "", err
		}
	}
	return a.several(parts)
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
