package sandbox

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// switched returns the API behind a layer that delays and refuses calls, and gives replies
// the form of another version, as the switches say.
func (s *Server) switched(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if delay := s.switches.duration(latency); delay > 0 {
			timer := time.NewTimer(delay)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-r.Context().Done():
				return
			}
		}
		old := s.switches.isOn(build)
		switch {
		case s.switches.isOn(disabled):
			// In the form of old builds: a string, and no code (LOCAL_API.md 1.6).
			writeReply(w, http.StatusForbidden, jsonType, []byte(`{"success":false,"error":"Local API is disabled. It can be enabled in Settings."}`))
		case old && r.URL.Path == "/api/graphs/tokens/info":
			writeReply(w, http.StatusNotFound, "text/html; charset=utf-8", []byte("<!DOCTYPE html><pre>Cannot "+r.Method+" "+r.URL.Path+"</pre>\n"))
		case old || s.switches.isOn(apiVersion):
			s.answerAsOf(s.switches.version(), old, api, w, r)
		default:
			api.ServeHTTP(w, r)
		}
	})
}

// answerAsOf answers a request as another version of the API does.
func (s *Server) answerAsOf(version string, old bool, api http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuseWith(w, refuse(http.StatusRequestEntityTooLarge, codeTooLarge, "The request is too large."))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var called struct {
		Action string `json:"action"`
	}
	_ = json.Unmarshal(body, &called) // a request without an action has a route
	held := &heldReply{header: w.Header(), status: http.StatusOK}
	api.ServeHTTP(held, r)
	var reply map[string]json.RawMessage
	if json.Unmarshal(held.body.Bytes(), &reply) != nil {
		writeReply(w, held.status, w.Header().Get("Content-Type"), held.body.Bytes())
		return
	}
	if old {
		oldError(reply)
		if result, there := reply["result"]; there {
			reply["result"] = oldResult(called.Action, result)
		}
	}
	reply["apiVersion"] = rawjson.Encode(version)
	writeReply(w, held.status, jsonType, rawjson.Encode(reply))
}

const jsonType = "application/json; charset=utf-8"

func writeReply(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client is gone
}

// heldReply holds a reply back. Its header is that of the real ResponseWriter.
type heldReply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

var _ http.ResponseWriter = (*heldReply)(nil)

func (r *heldReply) Header() http.Header { return r.header }

func (r *heldReply) WriteHeader(status int) { r.status = status }

func (r *heldReply) Write(p []byte) (int, error) { return r.body.Write(p) }

// oldLacks reports whether the first version of the API lacks an action.
func oldLacks(action string) bool {
	return slices.Contains([]string{
		"data.ai.suggestLinks", "data.ai.semanticSearch", "data.ai.roamQuery", "data.ai.getComments", "data.ai.callExtensionTool",
		"data.block.addComment", "data.block.updateBlocks", "data.block.deleteBlocks", "batchActions",
	}, action)
}

// oldError takes the code from an error of a token.
func oldError(reply map[string]json.RawMessage) {
	var failure struct {
		Code    problem.Code `json:"code"`
		Message string       `json:"message"`
	}
	if json.Unmarshal(reply["error"], &failure) != nil {
		return
	}
	switch failure.Code {
	case localapi.CodeMissingToken, localapi.CodeInvalidTokenFormat, localapi.CodeWrongGraphType, localapi.CodeTokenNotFound, localapi.CodeTokenFileCorrupted:
		reply["error"] = rawjson.Encode(map[string]string{"message": failure.Message})
	}
}

// oldResult gives a result the form that it had in the first version of the API
// (LOCAL_API.md 2).
func oldResult(action string, result json.RawMessage) json.RawMessage {
	switch action {
	case "data.block.delete", "data.page.delete":
		return json.RawMessage("null")
	case "data.ai.getGraphGuidelines":
		return fieldOf(result, "guidelines")
	case "data.ai.searchTemplates":
		result = fieldOf(result, "results")
	case "data.ai.getPage", "data.ai.getBlock":
		result = without(result, "linkedReferences", "uid", "queriedAt")
	}
	if strings.HasPrefix(action, "data.ai.") {
		return inOldMarkdown(result)
	}
	return result
}

func fieldOf(object json.RawMessage, name string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) == nil && len(fields[name]) > 0 {
		return fields[name]
	}
	return json.RawMessage("null")
}

func without(object json.RawMessage, names ...string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields == nil {
		return object
	}
	for _, name := range names {
		delete(fields, name)
	}
	return rawjson.Encode(fields)
}

// inOldMarkdown rewrites all markdown in a result, and joins paths to one string.
func inOldMarkdown(result json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(result))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return result
	}
	return rawjson.Encode(oldValue(value))
}

func oldValue(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = oldValue(v[i])
		}
	case map[string]any:
		for name, inner := range v {
			text, isText := inner.(string)
			steps, isList := inner.([]any)
			switch {
			case name == "markdown" && isText:
				v[name] = oldMarkdown(text)
			case name == "path" && isList:
				v[name] = joined(steps)
			default:
				v[name] = oldValue(inner)
			}
		}
	}
	return value
}

func joined(steps []any) string {
	var texts []string
	for _, step := range steps {
		if text, ok := step.(string); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " > ")
}

var (
	previewed   = lazyregexp.New(`\(\(([^()\s]+)\)\)<ref>(.*?)</ref>`)
	italic      = lazyregexp.New(`__([^_\n]+)__`)
	headingLine = lazyregexp.New(`(?m)^( *- )(.*) (<roam [^\n]*?) heading="([1-3])"([^\n]*/>)$`)
)

// oldMarkdown turns annotated markdown into the format before July 2026: headings as "### ",
// *italics*, and references as [text](((uid))) (LOCAL_API.md 9.6).
func oldMarkdown(markdown string) string {
	markdown = previewed.ReplaceAllString(markdown, "[$2]((($1)))")
	markdown = italic.ReplaceAllString(markdown, "*$1*")
	return headingLine.ReplaceAllStringFunc(markdown, func(line string) string {
		part := headingLine.FindStringSubmatch(line)
		return part[1] + strings.Repeat("#", int(part[4][0]-'0')) + " " + part[2] + " " + part[3] + part[5]
	})
}
