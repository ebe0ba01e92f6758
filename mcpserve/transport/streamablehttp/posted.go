package streamablehttp

import (
	"bytes"
	"encoding/json"

	"roam-mcp/internal/budget"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/transport"
)

// Members of _meta in every message of the stateless era.
const (
	metaVersion = "io.modelcontextprotocol/protocolVersion"
	metaClient  = "io.modelcontextprotocol/clientInfo"
)

// posted is what has to be known of the body of a POST before the library gets
// it: one message, or a batch, which the library takes from clients of 2025-03-26
// and before.
type posted struct {
	messages int
	calls    int           // those among them that may take long
	share    *budget.Share // of the memory

	// Of a single message:
	method string
	id     json.RawMessage
	params json.RawMessage
}

// readPosted reads a body that is valid JSON.
func readPosted(body []byte) posted {
	batch := rawjson.Elements(body)
	if batch == nil {
		batch = []json.RawMessage{body}
	}
	p := posted{messages: len(batch)}
	for _, message := range batch {
		members := rawjson.Parse(message)
		method, _ := members.Text("method")
		if transport.IsCall(method) {
			p.calls++
		}
		if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
			p.method, p.id, p.params = method, transport.AnswerableID(message), members.Get("params")
		}
	}
	return p
}

func (p posted) meta() rawjson.Object { return rawjson.Parse(rawjson.Parse(p.params).Get("_meta")) }

// isStateless reports whether the message says itself that it is of the stateless
// era.
func (p posted) isStateless() bool { return p.meta().Get(metaVersion) != nil }

// client names who sent a message of the stateless era, as it calls itself.
func (p posted) client() string {
	name, _ := rawjson.Parse(p.meta().Get(metaClient)).Text("name")
	return "client " + name
}
