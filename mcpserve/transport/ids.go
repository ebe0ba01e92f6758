package transport

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/rawjson"
)

// The library decodes ids and progress tokens: it cuts fractions off, rounds what
// is large, and writes strings in another way. So it is given a string that holds
// the bytes that came, and Unseal puts these in the place of the string in what
// it writes. Two ids are the same where their bytes are.

// sealPrefix begins each string that holds an id or a progress token.
const sealPrefix = "roam-mcp-id:"

// longestSubscribed bounds in bytes the result of a subscription, in which its id stands
// again.
const longestSubscribed = 8 << 10

// Members of messages that hold ids.
const (
	keyID           = "id"
	keyMethod       = "method"
	keyParams       = "params"
	keyMeta         = "_meta"
	keyRequestID    = "requestId"
	keyToken        = "progressToken"
	keySubscription = "io.modelcontextprotocol/subscriptionId"
)

// Seal returns a message whose id, progress token and id of a request that is to be
// cancelled are sealed, or says why the message is refused, in an answer without an
// id. Ids of responses are the library's own, and stay.
func Seal(message rawjson.Object) (sealed rawjson.Object, refused string) {
	seen := map[string]bool{}
	for _, m := range message {
		if seen[m.Key] {
			return nil, "The message has a member twice."
		}
		seen[m.Key] = true
	}
	id := message.Get(keyID)
	if !seen[keyMethod] {
		if _, err := strconv.ParseInt(string(id), 10, 64); err != nil && id != nil {
			return nil, "This answers no request."
		}
		return message, ""
	}
	method, _ := message.Text(keyMethod)
	switch {
	case isSealable(id):
		message = message.With(keyID, seal(id))
	case id != nil && (string(id) != "null" || !strings.HasPrefix(method, "notifications/")): // careless clients send null there
		return nil, "The id of a request is a text or a number."
	}
	return sealParams(message, method), ""
}

// sealParams seals what params refer to a request with.
func sealParams(message rawjson.Object, method string) rawjson.Object {
	params := message.Get(keyParams)
	if method == MethodCancelled {
		if of := rawjson.Parse(params); isSealable(of.Get(keyRequestID)) {
			return message.With(keyParams, of.With(keyRequestID, seal(of.Get(keyRequestID))))
		}
		return message
	}
	if !bytes.Contains(params, []byte(`"`+keyToken+`"`)) {
		return message
	}
	of := rawjson.Parse(params)
	if meta := rawjson.Parse(of.Get(keyMeta)); isSealable(meta.Get(keyToken)) {
		return message.With(keyParams, of.With(keyMeta, meta.With(keyToken, seal(meta.Get(keyToken)))))
	}
	return message
}

// isSealable reports whether a value is a string or a number, as an id has to be.
func isSealable(value json.RawMessage) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == '-' || '0' <= value[0] && value[0] <= '9') && utf8.Valid(value)
}

func seal(value json.RawMessage) string {
	return sealPrefix + base64.RawURLEncoding.EncodeToString(value)
}

// Unseal returns a message that the library has encoded, or an event that holds one,
// with the ids and progress tokens as they came; the message itself where it has none.
func Unseal(message []byte) []byte {
	const start = `{"jsonrpc":"2.0","`
	at := bytes.Index(message[:min(len(message), 200)], []byte(start))
	if at < 0 {
		return message
	}
	at += len(start)
	if isNotification := bytes.HasPrefix(message[at:], []byte(keyMethod+`":"notifications/`)); isNotification {
		for _, key := range []string{keyToken, keySubscription} {
			if found := bytes.Index(message, []byte(`"`+key+`":"`+sealPrefix)); found >= 0 {
				message = unsealAt(message, found+len(key)+3)
			}
		}
		return message
	}
	if !bytes.HasPrefix(message[at:], []byte(keyID+`":"`+sealPrefix)) {
		return message
	}
	message = unsealAt(message, at+len(keyID)+2)
	const result = `,"result":{"_meta":{"` + keySubscription + `":`
	if from := bytes.Index(message, []byte(result)); from >= 0 && len(message) < longestSubscribed {
		message = unsealAt(message, from+len(result))
	}
	return message
}

// unsealAt returns a message with the value that the string at an index holds in its
// place; the message itself where no sealed string is there.
func unsealAt(message []byte, at int) []byte {
	sealed, found := bytes.CutPrefix(message[at:], []byte(`"`+sealPrefix))
	length := bytes.IndexByte(sealed, '"')
	if !found || length < 0 {
		return message
	}
	value, err := base64.RawURLEncoding.DecodeString(string(sealed[:length]))
	if err != nil || !isSealable(value) || !json.Valid(value) {
		return message
	}
	return slices.Concat(message[:at], value, sealed[length+1:])
}
