package transport

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"roam-mcp/internal/rawjson"
)

func TestSeal(t *testing.T) {
	for name, tc := range map[string]struct{ message, refused string }{
		"takes a number":                              {`{"id":-1.50e3,"method":"ping"}`, ""},
		"takes a string":                              {`{"id":"\u0041","method":"ping"}`, ""},
		"takes a notification without an id":          {`{"method":"notifications/initialized"}`, ""},
		"takes a notification whose id is null":       {`{"id":null,"method":"notifications/initialized"}`, ""},
		"takes a response of the library's own id":    {`{"id":7,"result":{}}`, ""},
		"refuses a response to a fraction":            {`{"id":7.5,"result":{}}`, "This answers no request."},
		"refuses a response to a string":              {`{"id":"7","result":{}}`, "This answers no request."},
		"refuses null":                                {`{"id":null,"method":"ping"}`, "The id of a request is a text or a number."},
		"refuses a list":                              {`{"id":[1],"method":"ping"}`, "The id of a request is a text or a number."},
		"refuses an object":                           {`{"id":{},"method":"ping"}`, "The id of a request is a text or a number."},
		"refuses true":                                {`{"id":true,"method":"ping"}`, "The id of a request is a text or a number."},
		"refuses what is no UTF-8":                    {"{\"id\":\"\xff\",\"method\":\"ping\"}", "The id of a request is a text or a number."},
		"refuses two ids":                             {`{"id":1,"method":"ping","id":2}`, "The message has a member twice."},
		"refuses two ids of which one is in disguise": {`{"id":1,"method":"ping","\u0069d":2}`, "The message has a member twice."},
	} {
		t.Run(name, func(t *testing.T) {
			if _, refused := Seal(rawjson.Parse([]byte(tc.message))); refused != tc.refused {
				t.Errorf("refused: %q", refused)
			}
		})
	}
}

// sealed returns what the library makes of the id, or of another value, of a message
// that was sealed.
func sealed(t *testing.T, message string, path ...string) string {
	t.Helper()
	object, refused := Seal(rawjson.Parse([]byte(message)))
	if refused != "" {
		t.Fatal(refused)
	}
	for _, key := range path[:len(path)-1] {
		object = rawjson.Parse(object.Get(key))
	}
	text, isText := object.Text(path[len(path)-1])
	if !isText {
		t.Fatalf("%v is no string in %s", path, object.JSON())
	}
	return text
}

func TestUnseal(t *testing.T) {
	token := sealed(t, `{"id":1,"method":"tools/call","params":{"_meta":{"progressToken":1.0}}}`, "params", "_meta", "progressToken")
	id := sealed(t, `{"id":1e3,"method":"subscriptions/listen"}`, "id")
	for name, tc := range map[string]struct{ message, want string }{
		"gives an id back": {
			`{"jsonrpc":"2.0","id":"` + id + `","result":{}}`, `{"jsonrpc":"2.0","id":1e3,"result":{}}`},
		"gives an id in an event back": {
			"event: message\ndata: " + `{"jsonrpc":"2.0","id":"` + id + `","result":{}}` + "\n\n", "event: message\ndata: " + `{"jsonrpc":"2.0","id":1e3,"result":{}}` + "\n\n"},
		"gives a progress token back": {
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"` + token + `","progress":1}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.0,"progress":1}}`},
		"gives the id of a subscription back": {
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"` + id + `"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1e3}}}`},
		"gives it back at the end of the subscription": {
			`{"jsonrpc":"2.0","id":"` + id + `","result":{"_meta":{"io.modelcontextprotocol/subscriptionId":"` + id + `"}}}`,
			`{"jsonrpc":"2.0","id":1e3,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":1e3}}}`},
		"leaves what a result has in this form": {
			`{"jsonrpc":"2.0","id":"` + id + `","result":{"structuredContent":{"progressToken":"` + token + `"}}}`,
			`{"jsonrpc":"2.0","id":1e3,"result":{"structuredContent":{"progressToken":"` + token + `"}}}`},
		"leaves what it has not sealed": {
			`{"jsonrpc":"2.0","id":"` + sealPrefix + `e30","result":{}}`, `{"jsonrpc":"2.0","id":"` + sealPrefix + `e30","result":{}}`},
		"leaves a request of the server's": {
			`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(Unseal([]byte(tc.message))); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
	t.Run("cancels the request whose id has the same bytes", func(t *testing.T) {
		cancels := func(id string) string {
			return sealed(t, `{"method":"notifications/cancelled","params":{"requestId":`+id+`}}`, "params", "requestId")
		}
		if cancels("1e3") != id || cancels("1000") == id {
			t.Errorf("the request %s is cancelled by %s and %s", id, cancels("1e3"), cancels("1000"))
		}
	})
}

// FuzzSeal looks whether an id comes back as it came, through the library.
func FuzzSeal(f *testing.F) {
	for _, id := range []string{`1`, `1.5`, `-0`, `1E400`, `12345678901234567890`, `""`, `"\u0041<\u2028"`, `"\ud800"`, `null`, `[]`, `true`, ` 7 `} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if !json.Valid([]byte(id)) {
			return
		}
		id = strings.Trim(id, " \t\r\n")
		object, refused := Seal(rawjson.Parse([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)))
		isID := utf8.ValidString(id) && strings.ContainsAny(id[:1], `"-0123456789`)
		if (refused == "") != isID {
			t.Fatalf("%q is refused: %q", id, refused)
		}
		if !isID {
			return
		}
		message, err := jsonrpc.DecodeMessage(object.JSON())
		if err != nil {
			t.Fatal(err)
		}
		answer, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: message.(*jsonrpc.Request).ID, Result: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(Unseal(answer)); got != `{"jsonrpc":"2.0","id":`+id+`,"result":{}}` {
			t.Errorf("%s is answered with %s", id, got)
		}
	})
}
