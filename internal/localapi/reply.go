package localapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// envelope is the outer object of every reply.
type envelope struct {
	Success    *bool           `json:"success"`
	Result     json.RawMessage `json:"result"`
	Error      json.RawMessage `json:"error"`
	APIVersion string          `json:"apiVersion"`

	// The token routes put their fields beside success (LOCAL_API.md 1.3.3).
	Token              string          `json:"token"`
	GraphName          string          `json:"graphName"`
	GraphType          string          `json:"graphType"`
	GrantedAccessLevel string          `json:"grantedAccessLevel"`
	GrantedScopes      map[string]bool `json:"grantedScopes"`
}

// read is json.Unmarshal, but that Result is a part of body: decoding a large
// result with the rest takes twice as long.
func (e *envelope) read(body []byte) error {
	if !rawjson.Valid(body) {
		return errors.New("the reply is not valid JSON")
	}
	fields := rawjson.Parse(body)
	err := json.Unmarshal(fields.Without("result").JSON(), e)
	for _, field := range fields {
		if field.Key == "result" {
			e.Result = field.Value
		}
	}
	return err
}

// decode turns a reply into its envelope, or into a *problem.Error. Beside an error
// the envelope has Success where the reply had it, as all of Roam's failures do.
func decode(action string, answer reply, expected string) (envelope, error) {
	ok := answer.status >= 200 && answer.status < 300
	body := bytes.TrimSpace(answer.body)
	if answer.status == http.StatusRequestEntityTooLarge && !rawjson.IsObject(body) {
		return envelope{}, failure(action, answer.status, envelope{}, expected)
	}
	if len(body) == 0 {
		return envelope{}, emptyReply(action, answer.status)
	}
	var out envelope
	switch {
	case ok && body[0] == '[': // the lists of graphs may come without an envelope
		if !rawjson.Valid(body) {
			return envelope{}, unreadable(action, answer)
		}
		return envelope{Result: body}, nil
	case body[0] == '{':
		if err := out.read(body); err != nil {
			return envelope{}, unreadable(action, answer)
		}
	case !ok && body[0] == '"' && rawjson.Valid(body):
		out.Error = body
	case !ok && looksLikeText(answer.contentType, body):
		out.Error, _ = json.Marshal(string(clip(body, 500)))
	default:
		return envelope{}, unreadable(action, answer)
	}
	if ok && out.Success != nil && *out.Success {
		return out, nil
	}
	if ok && out.Success == nil && len(out.Error) == 0 {
		return envelope{}, unreadable(action, answer)
	}
	return envelope{Success: out.Success}, failure(action, answer.status, out, expected)
}

// failure makes the error of a reply that says it failed. The error is an
// object or a bare string, and may lack a code (LOCAL_API.md 1.3.1, 6.3).
func failure(action string, status int, answer envelope, expected string) *problem.Error {
	var object struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(answer.Error, &object) != nil {
		var text string
		if json.Unmarshal(answer.Error, &text) == nil {
			object.Message = text
		} else if len(answer.Error) > 0 && string(answer.Error) != "null" {
			object.Message = string(clip(answer.Error, 500))
		}
	}
	text := clean(object.Message)
	code := problem.Code(object.Code)
	// The code must be one word to be shown to anybody; what is not is text.
	codeSent := isCode(object.Code)
	if !codeSent {
		code = classify(status, text)
	} else if code == CodeInternal {
		if finer := classify(status, text); finer != CodeInternal && status >= 500 {
			code = finer
		}
	}
	if (code == CodeNotFound || code == CodeInternal) && missingGraph.MatchString(text) {
		code = CodeGraphNotFound
	}
	out := &problem.Error{Code: code, Call: &problem.Call{
		Action: action, Status: status, Text: text, APIVersion: clean(answer.APIVersion), Sent: true, CodeSent: codeSent,
	}}
	out.Message, out.Hint = describe(out, expected)
	return out
}

// missingGraph matches a text whose subject is a graph that is not there, and not
// one about a page or a block in a graph.
var missingGraph = lazyregexp.New(`(?i)^(?:error: )?(?:(?:no such|there is no|unknown) graph\b|` +
	`(?:the |this )?graph(?: \S+)?(?: \((?:hosted|offline)\))? (?:(?:is |was |could )?not (?:be )?found|does not exist|doesn't exist|no longer exists))`)

func isCode(s string) bool {
	if s == "" || len(s) > 64 || strings.HasPrefix(s, TokenPrefix) {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}

// classify finds the code of an error that Roam sent without one, from the
// status and the text (LOCAL_API.md 1.6, 6.3).
func classify(status int, text string) problem.Code {
	lower := strings.ToLower(text)
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(lower, part) {
				return true
			}
		}
		return false
	}
	switch status {
	case http.StatusUnauthorized:
		switch {
		case has("missing", "authorization header"):
			return CodeMissingToken
		case has("invalid token format", "requires a local api token"):
			return CodeInvalidTokenFormat
		case has("offline", "hosted", "other type"):
			return CodeWrongGraphType
		case has("not recognized", "not valid for this graph", "invalid or expired", "not found", "revoked"):
			return CodeTokenNotFound
		}
		return CodeUnauthorized
	case http.StatusForbidden:
		switch {
		case has("local api is disabled", "enabled in settings", "local api") && has("disabled", "enable"):
			return CodeDisabled
		case has("scope"):
			return CodeInsufficientScope
		}
		return CodeAccessDenied
	case http.StatusNotFound:
		if has("action", "function") {
			return CodeUnknownAction
		}
		return CodeNotFound
	case http.StatusRequestTimeout:
		return CodeTimeout
	case http.StatusConflict:
		return CodeRequestInProgress
	case http.StatusRequestEntityTooLarge:
		return CodeRequestTooLarge
	case http.StatusTooManyRequests:
		return CodeRateLimited
	}
	return classifyServerText(status, has)
}

// classifyServerText tells apart what Roam answers with a plain 500.
func classifyServerText(status int, has func(...string) bool) problem.Code {
	if status < 500 {
		return CodeValidation
	}
	switch {
	case has("already exists", "already taken"):
		return CodeAlreadyExists
	case has("took too long"):
		return CodeQueryTimeout
	case has("promise error"):
		return CodeWindowClosed
	case has("rate limit", "too many requests", "too many calls", "too many writes"):
		return CodeRateLimited
	case has("token") && has("corrupt"):
		return CodeTokenFileCorrupted
	case has("not found", "doesn't exist", "does not exist", "no such"):
		return CodeNotFound
	}
	return CodeInternal
}

func emptyReply(action string, status int) *problem.Error {
	code := CodeInvalidReply
	if status >= 300 {
		code = classify(status, "")
	}
	return &problem.Error{
		Code: code, Call: &problem.Call{Action: action, Status: status, Sent: true},
		Message: "The reply has status " + strconv.Itoa(status) + " and nothing else.",
		Hint:    checkListener(),
	}
}

// unreadable is a reply that is no JSON, or only half of it.
func unreadable(action string, answer reply) *problem.Error {
	kind := answer.contentType
	if kind == "" {
		kind = "no content type"
	}
	return &problem.Error{
		Code:    CodeInvalidReply,
		Call:    &problem.Call{Action: action, Status: answer.status, Text: clean(string(clip(answer.body, 200))), Sent: true},
		Message: fmt.Sprintf("The reply can't be understood: status %d, %s, it starts with %q.", answer.status, clean(kind), clean(string(clip(answer.body, 80)))),
		Hint:    checkListener(),
	}
}

func checkListener() problem.Hint {
	return problem.Say("Check that it is Roam that listens on this port, and that Roam is up to date.")
}

func connectionError(request call, port int, sent bool, cause error) *problem.Error {
	out := &problem.Error{Code: CodeConnectionFailed, Call: &problem.Call{Action: request.action, Sent: sent}}
	if cause != nil {
		out.Err = errors.New(clean(cause.Error())) // net/http quotes what it can't read
	}
	var other *otherUserError
	var stranger *strangerError
	switch {
	case errors.As(cause, &stranger):
		return stranger.failed(request.action, port)
	case errors.As(cause, &other):
		out.Code = CodeOtherUser
		out.Message = fmt.Sprintf("127.0.0.1:%d belongs to another user of this computer (uid %d), so nothing was sent there.", port, other.uid)
		out.Hint = problem.Say("Run roam-mcp as the user who runs %s. If that is you, start it again: it writes its port into ~/%s.", problem.Roam, PortFileName)
	case port == 0:
		out.Message = "No port file says where Roam listens."
		out.Hint = problem.Say("Start Roam, or the sandbox, and try again.")
	case sent:
		out.Message = fmt.Sprintf("The connection to Roam on 127.0.0.1:%d broke before the reply came.", port)
		out.Hint = problem.Say("Look whether it was done before trying again.")
	default:
		out.Message = fmt.Sprintf("Nothing answers on 127.0.0.1:%d, so Roam is not running, or its Local API is not.", port)
		out.Hint = problem.Say("Start %s and try again.", problem.Roam)
	}
	return out
}

func contextError(ctx context.Context, request call, sent bool) *problem.Error {
	out := &problem.Error{Code: CodeCancelled, Call: &problem.Call{Action: request.action, Sent: sent}, Err: ctx.Err(), Message: "The call was cancelled."}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		out.Code, out.Message = CodeTimeout, "No answer came in time."
	}
	return out
}

func looksLikeText(contentType string, body []byte) bool {
	return body[0] != '<' && body[0] != '[' && !strings.Contains(contentType, "html")
}

func clip(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	return b[:n]
}

// clean makes foreign text fit for one line of a terminal: runs of characters that
// break lines become one space, others that must not be shown are left out, and
// tokens are redacted.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp)
	}), " ")
	s = strings.Map(func(r rune) rune {
		if textsafe.Unshowable(r) {
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(Redact(s))
}

// Redact takes out of a text whatever looks like a token.
func Redact(s string) string {
	for {
		at := strings.Index(s, TokenPrefix)
		if at < 0 {
			return s
		}
		end := at + len(TokenPrefix)
		for end < len(s) && !strings.ContainsRune(" \t\r\n\"',;:)}]", rune(s[end])) {
			end++
		}
		s = s[:at] + redacted + s[end:]
	}
}
