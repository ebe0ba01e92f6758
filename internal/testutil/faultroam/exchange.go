package faultroam

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/rawjson"
)

// object is a JSON object.
type object = map[string]any

// call is a request to the API.
type call struct {
	http   *http.Request
	body   object // empty where the request has none
	route  string // such as "graphs/open"; empty for an action
	action string
}

func read(request *http.Request) (*call, error) {
	data, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	x := &call{http: request, body: decode(data)}
	if path := strings.TrimPrefix(request.URL.Path, "/api/"); strings.HasPrefix(path, "graphs/") {
		x.route = path
	} else {
		x.action, _ = x.body["action"].(string)
	}
	return x, nil
}

// decode returns a JSON object, with its numbers as they stand; empty for anything else.
func decode(data []byte) object {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	decoded := object{}
	if decoder.Decode(&decoded) != nil {
		return object{}
	}
	return decoded
}

// argument returns an argument that is an object; empty where it is none.
func (x *call) argument() object {
	args, _ := x.body["args"].([]any)
	if len(args) == 0 {
		return object{}
	}
	argument, _ := args[0].(object)
	return argument
}

// send has a handler answer the call. The end of the client's connection does not end it.
func (x *call) send(api http.Handler) *reply {
	request := x.http.Clone(context.WithoutCancel(x.http.Context()))
	data := []byte{}
	if len(x.body) > 0 {
		data = rawjson.Encode(x.body)
	}
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	r := &reply{header: http.Header{}, status: http.StatusOK}
	api.ServeHTTP(r, request)
	return r
}

// asking returns a call of a client's own, on the same graph and with the same token.
func (x *call) asking(action string, args ...any) *call {
	return &call{http: x.http, action: action, body: object{"action": action, "args": args}}
}

// Writes reports whether an action changes a graph.
func Writes(action string) bool {
	switch action {
	case "file.upload", "file.delete", "data.ai.callExtensionTool", "batchActions", "undo", "redo", "updateBlock", "moveBlock", "deleteBlock", "updatePage", "deletePage":
		return true
	case "data.block.pull", "data.page.get":
		return false
	}
	return strings.HasPrefix(action, "data.block.") || strings.HasPrefix(action, "data.page.")
}

// reply is a reply that is held back.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

var _ http.ResponseWriter = (*reply)(nil)

func (r *reply) Header() http.Header { return r.header }

func (r *reply) WriteHeader(status int) { r.status = status }

func (r *reply) Write(p []byte) (int, error) { return r.body.Write(p) }

func (r *reply) send(w http.ResponseWriter) {
	for name, values := range r.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(r.body.Len()))
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body.Bytes()) // an error means that the client is gone
}

func (r *reply) set(body []byte) {
	r.body.Reset()
	r.body.Write(body)
}

// saying returns a reply of Roam's with these fields.
func saying(status int, fields object) *reply {
	fields["success"], fields["apiVersion"] = status == http.StatusOK, localapi.APIVersion
	r := &reply{header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, status: status}
	r.set(rawjson.Encode(fields))
	return r
}

// throwing returns the reply of a handler that throws.
func throwing(text string) *reply {
	return saying(http.StatusInternalServerError, object{"error": object{"message": text}})
}

// page returns an HTML page like a web server's own error.
func page(status int, text string) *reply {
	r := &reply{header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, status: status}
	r.set([]byte("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>Error</title>\n</head>\n<body>\n<pre>" + text + "</pre>\n</body>\n</html>\n"))
	return r
}
