package transport

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"roam-mcp/internal/rawjson"
)

// Methods that a transport knows. All others are the library's business.
const (
	MethodInitialize = "initialize"
	MethodCancelled  = "notifications/cancelled"
	MethodListen     = "subscriptions/listen"
)

// UnansweredID is why a request is refused whose id another one has.
const UnansweredID = "A request with this id is not answered yet."

// IsCall reports whether requests of a method may take long, so that they are
// counted and can be cancelled. All others are answered at once, or are streams.
func IsCall(method string) bool {
	switch method {
	case "tools/call", "resources/read", "completion/complete":
		return true
	}
	return false
}

// maxDepth is how deep the values of a message may be nested: as deep as the
// library can decode.
const maxDepth = 1000

// CheckJSON returns nil for a message that is valid JSON, and else the JSON-RPC
// response that refuses it, with the id of a request that is only nested too
// deeply.
func CheckJSON(message []byte) (refusal []byte) {
	switch {
	case depth(message) > maxDepth:
		return ErrorResponse(AnswerableID(message), jsonrpc.CodeInvalidRequest, "The message is nested too deeply.")
	case !rawjson.Valid(message):
		return ErrorResponse(nil, jsonrpc.CodeParseError, "The message is not valid JSON.")
	}
	return nil
}

// depth returns how deep the values of a JSON text are nested.
func depth(text []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// AnswerableID returns the id of a message that is otherwise wrong; nil where it
// can't be that of an answer.
func AnswerableID(message []byte) json.RawMessage {
	if id := rawjson.Parse(message).Get(keyID); isSealable(id) && rawjson.Valid(id) {
		return id
	}
	return nil
}

// WithPlainError returns the error of a response as a client may read it: with a
// code of JSON-RPC, which the library leaves at 0 at times, and without the Go
// types that its decoder names.
func WithPlainError(err error) *jsonrpc.Error {
	plain := jsonrpc.Error{Message: err.Error()}
	var coded *jsonrpc.Error
	if errors.As(err, &coded) {
		plain.Code, plain.Data = coded.Code, coded.Data
	}
	switch {
	case plain.Code == 0:
		plain.Code = jsonrpc.CodeInvalidRequest
	case strings.HasPrefix(plain.Message, "duplicate in-flight request ID"):
		plain.Message = UnansweredID
	case strings.HasSuffix(plain.Message, `" unsupported`):
		_, method, _ := strings.Cut(plain.Message, ": ")
		plain.Code, plain.Message = jsonrpc.CodeMethodNotFound, "There is no method "+strings.TrimSuffix(method, " unsupported")+"."
	case strings.HasPrefix(plain.Message, "malformed payload: "):
		plain.Message = "The message is not a JSON-RPC 2.0 message."
	case plain.Code == jsonrpc.CodeInvalidParams && strings.Contains(plain.Message, "unmarshaling "):
		plain.Message = "The params are not those of this method: an object whose fields have the types that MCP gives them."
	}
	return &plain
}
