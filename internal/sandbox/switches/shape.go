package switches

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// envelope is a reply with all of its fields, known or not.
type envelope map[string]json.RawMessage

// shape rewrites a reply of the API as the switches ask. What is no JSON object stays
// as it is.
func (s *Set) shape(x requestInfo, body []byte) []byte {
	var reply envelope
	if json.Unmarshal(body, &reply) != nil {
		return body
	}
	if s.On(BareLists) && (x.route == "graphs/open" || x.route == "graphs/available") && len(reply["result"]) > 0 {
		return reply["result"]
	}
	s.shapeError(reply)
	s.shapeResult(x.action, reply)
	if _, stamped := reply["apiVersion"]; stamped {
		if v := s.Value(APIVersion); v != "" {
			reply["apiVersion"] = rawjson.Encode(v)
		}
	}
	if s.On(NoAPIVersion) {
		delete(reply, "apiVersion")
	}
	if x.route == "graphs/tokens/request" && s.Value(Exchange) == ExchangeNoToken {
		delete(reply, "token")
	}
	return rawjson.Encode(reply)
}

func (s *Set) shapeError(reply envelope) {
	var failure struct {
		Code    problem.Code `json:"code"`
		Message string       `json:"message"`
	}
	if len(reply["error"]) == 0 || json.Unmarshal(reply["error"], &failure) != nil {
		return
	}
	switch {
	case s.On(StringErrors):
		reply["error"] = rawjson.Encode(failure.Message)
	case s.On(NoCodes), s.On(NoTokenCodes) && slices.Contains(tokenCodes(), failure.Code):
		reply["error"] = rawjson.Encode(map[string]string{"message": failure.Message})
	}
}

// tokenCodes are the codes of what can be wrong with a token (LOCAL_API.md 1.6).
func tokenCodes() []problem.Code {
	return []problem.Code{
		localapi.CodeMissingToken, localapi.CodeInvalidTokenFormat, localapi.CodeWrongGraphType, localapi.CodeTokenNotFound, localapi.CodeTokenFileCorrupted,
	}
}

// shapeResult gives a result the form of older builds (LOCAL_API.md 2).
func (s *Set) shapeResult(action string, reply envelope) {
	result, there := reply["result"]
	if !there {
		return
	}
	switch action {
	case "data.block.delete", "data.page.delete":
		if s.On(NoDeleteReport) {
			reply["result"] = json.RawMessage("null")
		}
		return
	case "data.ai.getGraphGuidelines":
		if s.On(BareGuidelines) {
			reply["result"] = field(result, "guidelines")
		}
		return
	}
	if !strings.HasPrefix(action, "data.ai.") {
		return
	}
	switch {
	case action == "data.ai.searchTemplates" && s.On(BareTemplates):
		result = field(result, "results")
	case action != "data.ai.getPage" && action != "data.ai.getBlock":
	case s.On(BareDocuments):
		result = without(result, "linkedReferences", "uid", "queriedAt")
	case s.On(NoReferences):
		result = without(result, "linkedReferences")
	}
	if s.On(OldWire) {
		result = rewritten(result, oldField)
	}
	if s.Value(tagForm) == "none" {
		result = rewritten(result, untagged)
	}
	reply["result"] = result
}

func field(object json.RawMessage, name string) json.RawMessage {
	var fields envelope
	if json.Unmarshal(object, &fields) == nil && len(fields[name]) > 0 {
		return fields[name]
	}
	return json.RawMessage("null")
}

func without(object json.RawMessage, names ...string) json.RawMessage {
	var fields envelope
	if json.Unmarshal(object, &fields) != nil || fields == nil {
		return object
	}
	for _, name := range names {
		delete(fields, name)
	}
	return rawjson.Encode(fields)
}

// rewritten changes the fields of all objects in a result.
func rewritten(result json.RawMessage, change func(name string, value any) any) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(result))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return result
	}
	return rawjson.Encode(rewrittenValue(value, change))
}

func rewrittenValue(value any, change func(name string, value any) any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = rewrittenValue(v[i], change)
		}
	case map[string]any:
		for name, inner := range v {
			v[name] = change(name, rewrittenValue(inner, change))
		}
	}
	return value
}

// oldField rewrites markdown, and joins paths to one string.
func oldField(name string, value any) any {
	text, isText := value.(string)
	steps, isList := value.([]any)
	switch {
	case name == "markdown" && isText:
		return OldMarkdown(text)
	case name == "path" && isList:
		return joined(steps)
	}
	return value
}

var roamTags = lazyregexp.New(`(?m) <roam [^\n]*?/>$`)

// untagged leaves the tags out of markdown.
func untagged(name string, value any) any {
	if text, ok := value.(string); ok && name == "markdown" {
		return roamTags.ReplaceAllString(text, "")
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

// OldMarkdown turns annotated markdown into the format before July 2026:
// headings as "### ", *italics*, and references as [text](((uid)))
// (LOCAL_API.md 9.6).
func OldMarkdown(markdown string) string {
	markdown = previewed.ReplaceAllString(markdown, "[$2]((($1)))")
	markdown = italic.ReplaceAllString(markdown, "*$1*")
	return headingLine.ReplaceAllStringFunc(markdown, func(line string) string {
		part := headingLine.FindStringSubmatch(line)
		return part[1] + strings.Repeat("#", int(part[4][0]-'0')) + " " + part[2] + " " + part[3] + part[5]
	})
}
