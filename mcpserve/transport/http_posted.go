package transport

import (
	"bytes"
	"encoding/json"

	"roam-mcp/internal/netutil"
	"roam-mcp/internal/rawjson"
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
	sealed   []byte // the body as the library gets it
	messages int
	calls    int            // those among them that may take long
	share    *netutil.Share // of the memory

	// Of a single message:
	method string
	id     json.RawMessage
	params json.RawMessage
}

// readPosted reads a body that is valid JSON, or says why it is refused.
func readPosted(body []byte) (p posted, refused string) {
	batch, isBatch := rawjson.Elements(body), bytes.HasPrefix(bytes.TrimSpace(body), []byte("["))
	if !isBatch {
		batch = []json.RawMessage{body}
	}
	p.messages = len(batch)
	sealed := make([]json.RawMessage, len(batch))
	for i, message := range batch {
		if !rawjson.IsObject(message) {
			return p, "A message is a JSON object."
		}
		members := rawjson.Parse(message)
		method, _ := members.Text("method")
		if IsCall(method) {
			p.calls++
		}
		members, refused = Seal(members)
		if refused != "" {
			return p, refused
		}
		if sealed[i] = members.JSON(); !isBatch {
			p.method, p.id, p.params, p.sealed = method, AnswerableID(message), members.Get("params"), sealed[i]
		}
	}
	if isBatch {
		p.sealed = rawjson.Array(sealed)
	}
	return p, ""
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
