package mcpserve

import (
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// decode reads a message that is valid JSON. An ordinary request, as nearly all
// that comes is, is only cut apart: the library takes two buffers of 32 KiB to
// decode it. All else is left to the library.
func decode(line []byte) (jsonrpc.Message, error) {
	if request, ok := ordinaryRequest(line); ok {
		return request, nil
	}
	return jsonrpc.DecodeMessage(line)
}

// ordinaryRequest reads a request of the four usual members, each there once,
// whose id and method are written without escapes. Its params are part of line.
func ordinaryRequest(line []byte) (*jsonrpc.Request, bool) {
	var version, id, method, params json.RawMessage
	places := map[string]*json.RawMessage{"jsonrpc": &version, "id": &id, "method": &method, "params": &params}
	object := members(line)
	for _, m := range object {
		place := places[m.key]
		if place == nil || *place != nil {
			return nil, false
		}
		*place = m.value
	}
	name, named := plainText(method)
	if len(object) != 4 || string(version) != `"2.0"` || !named || params[0] != '{' {
		return nil, false
	}
	var raw any
	if text, isText := plainText(id); isText {
		raw = text
	} else if number, err := strconv.ParseUint(string(id), 10, 32); err == nil {
		raw = float64(number) // as the library has them
	} else {
		return nil, false
	}
	made, err := jsonrpc.MakeID(raw)
	return &jsonrpc.Request{ID: made, Method: name, Params: params}, err == nil
}

// plainText reads a JSON string of ASCII without escapes.
func plainText(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	raw = raw[1 : len(raw)-1]
	for _, c := range raw {
		if c < ' ' || c > '~' || c == '\\' {
			return "", false
		}
	}
	return string(raw), true
}
