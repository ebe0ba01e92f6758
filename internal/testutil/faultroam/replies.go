package faultroam

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/rawjson"
)

// form gives a reply another form.
func (f faults) form(x *call, answer *reply) {
	switch body := answer.body.Bytes(); f["reply"] {
	case "html":
		*answer = *page(http.StatusBadGateway, "Bad gateway")
		return
	case "half":
		answer.set(body[:len(body)/2])
		return
	case "empty":
		answer.set(nil)
		return
	}
	fields := decode(answer.body.Bytes())
	if len(fields) == 0 {
		return
	}
	if result, there := fields["result"]; there {
		fields["result"] = f.formResult(x.action, result)
		if fields["result"] == nil && f["batch-form"] == "none" {
			delete(fields, "result")
		}
	}
	if x.action == "graph.isEncrypted" && f["encrypted-form"] == "error" {
		*answer = *throwing("graph.isEncrypted is not a function")
		return
	}
	if f["no-api-version"] != "" {
		delete(fields, "apiVersion")
	}
	answer.set(rawjson.Encode(fields))
}

func (f faults) formResult(action string, result any) any {
	object, _ := result.(object)
	switch action {
	case "data.block.delete", "data.page.delete":
		if f["no-delete-report"] != "" {
			return nil
		}
	case "data.ai.getGraphGuidelines":
		if f["bare-guidelines"] != "" {
			return object["guidelines"]
		}
	case "data.block.updateBlocks", "data.block.deleteBlocks":
		return f.formBatch(object)
	case "graph.isEncrypted":
		switch f["encrypted-form"] {
		case "null":
			return nil
		case "text":
			return map[any]string{true: "true", false: "false"}[result]
		}
	}
	if f["tag-form"] != "" && strings.HasPrefix(action, "data.ai.") {
		return untagged(result)
	}
	return result
}

// formBatch gives the report of a batch another form.
func (f faults) formBatch(report object) any {
	results, _ := report["results"].([]any)
	switch f["batch-form"] {
	case "list":
		return results
	case "count":
		return object{"count": len(results)}
	case "none":
		return nil
	}
	return report
}

var roamTags = regexp.MustCompile(`(?m) <roam [^\n]*?/>$`)

// untagged takes the tags out of all markdown in a value.
func untagged(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = untagged(v[i])
		}
	case object:
		for name, inner := range v {
			if text, is := inner.(string); is && name == "markdown" {
				inner = roamTags.ReplaceAllString(text, "")
			}
			v[name] = untagged(inner)
		}
	}
	return value
}

var (
	asName   = regexp.MustCompile(`:as "[^"]*"`)
	limitNil = regexp.MustCompile(`:limit nil`)
)

// changeRead changes what a query or a pull asks for.
func (f faults) changeRead(x *call) {
	args, _ := x.body["args"].([]any)
	for i, argument := range args {
		text, is := argument.(string)
		if !is {
			continue
		}
		if f["as"] != "" {
			text = asName.ReplaceAllString(text, "")
		}
		if f["limit-nil"] != "" {
			text = limitNil.ReplaceAllString(text, "")
		}
		args[i] = text
	}
}

// pretend returns the usual reply to a write that is done, for one that is not
// (LOCAL_API.md 2.3, 2.4). The uids in it are those of the call, or made up.
func (x *call) pretend() *reply {
	var asked struct {
		Markdown string `json:"markdown-string"`
		Page     struct {
			UID string `json:"uid"`
		} `json:"page"`
		UIDs    []string `json:"uids"`
		Updates []struct {
			UID string `json:"uid"`
		} `json:"updates"`
	}
	_ = json.Unmarshal(rawjson.Encode(x.argument()), &asked) // nobody looks at a call that does nothing
	var result any
	switch x.action {
	case "data.block.fromMarkdown":
		result = object{"uids": madeUp(len(markdown.Importer(asked.Markdown)))}
	case "data.page.fromMarkdown":
		if asked.Page.UID == "" {
			asked.Page.UID = madeUp(1)[0]
		}
		result = object{"uid": asked.Page.UID}
	case "data.block.addComment":
		result = object{"uids": madeUp(1), "parentUid": madeUp(1)[0]}
	case "data.block.updateBlocks", "data.block.deleteBlocks":
		results := []object{}
		for _, update := range asked.Updates {
			results = append(results, object{"uid": update.UID, "ok": true})
		}
		for _, uid := range asked.UIDs {
			results = append(results, object{"uid": uid, "ok": true, "deleted": true})
		}
		result = object{"results": results}
	case "data.block.delete", "data.page.delete", "deleteBlock", "deletePage":
		result = object{"deleted": true}
	case "data.block.update", "data.block.move", "data.page.update", "updateBlock", "moveBlock", "updatePage":
	default:
		return saying(http.StatusOK, object{})
	}
	return saying(http.StatusOK, object{"result": result})
}

func madeUp(count int) []string {
	uids := make([]string, count)
	for i := range uids {
		uids[i], _ = outline.NewUID(rand.Reader) // which never fails
	}
	return uids
}
