package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"roam-mcp/internal/rawjson"
)

const writeTimeout = time.Minute // for a client to take in what is written

// deadlineWriter sets a deadline for each write, so that a client that stops
// reading holds nothing for long while a stream may last for hours. What it
// writes has its errors made plain, and is filled in; where the library has a plain
// text for what it refuses, that becomes a JSON-RPC error.
type deadlineWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	fill    func([]byte) []byte // applied to what is sent
	before  func()              // called before anything is sent; nil: nothing is
	answers json.RawMessage     // the id of the request that is answered; nil: it has none
	refused int                 // the status of a refusal whose text is to come; 0: there is none
}

func newDeadlineWriter(w http.ResponseWriter, fill func([]byte) []byte) *deadlineWriter {
	p := &deadlineWriter{ResponseWriter: w, control: http.NewResponseController(w), fill: fill}
	p.renew()
	return p
}

func (p *deadlineWriter) renew() {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // every connection of net/http has deadlines
	if p.before != nil {
		p.before()
	}
}

// WriteHeader implements http.ResponseWriter.
func (p *deadlineWriter) WriteHeader(status int) {
	p.renew()
	if status >= 400 && strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.refused = status
		return
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (p *deadlineWriter) Write(data []byte) (int, error) {
	p.renew()
	if p.refused != 0 {
		status, response := refusal(p.refused, p.answers, strings.TrimSpace(string(data)))
		p.refused = 0
		p.Header().Set("Content-Type", "application/json")
		p.ResponseWriter.WriteHeader(status)
		if _, err := p.ResponseWriter.Write(response); err != nil {
			return 0, err
		}
		return len(data), nil
	}
	if _, err := p.ResponseWriter.Write(p.fill(withPlainError(data))); err != nil {
		return 0, err
	}
	return len(data), nil
}

// refusal returns the JSON-RPC error for what the library refuses with a status and
// a text. What is wrong with the request itself, and not with how it came, is
// answered as any other request, with 200.
func refusal(status int, id json.RawMessage, text string) (int, []byte) {
	failed := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: text}
	if status >= http.StatusInternalServerError {
		failed.Code = jsonrpc.CodeInternalError
	}
	plain := WithPlainError(failed)
	if id != nil && (plain.Code == jsonrpc.CodeMethodNotFound || strings.HasPrefix(text, "invalid request: ")) {
		status = http.StatusOK
	}
	return status, ErrorResponse(id, plain.Code, plain.Message)
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (p *deadlineWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// withPlainError returns what the library writes, a message or an event that holds
// one, with WithPlainError applied to the error in it; as it is where
// there is none.
func withPlainError(data []byte) []byte {
	from, to := bytes.IndexByte(data, '{'), bytes.LastIndexByte(data, '}')+1
	if from < 0 || to <= from || !bytes.Contains(data, []byte(`"error":{"code":`)) {
		return data
	}
	message := rawjson.Parse(data[from:to])
	var failed jsonrpc.Error
	if json.Unmarshal(message.Get("error"), &failed) != nil {
		return data
	}
	plain := message.With("error", WithPlainError(&failed)).JSON()
	return append(append(bytes.Clone(data[:from]), plain...), data[to:]...)
}
