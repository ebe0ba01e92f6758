package notes_test

import (
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
)

// A list shows the start of a long content, which does not count as shown: the note is to be
// read before its content is replaced.
func TestAListShowsTheStartOfALongContent(t *testing.T) {
	w, c := connect(t, profiletest.Options{})
	long := strings.Repeat("word ", 300)
	c.Expect(t, profiletest.Call{Tool: "create_note", Arguments: `{"title":"Long","content":"` + long + `"}`})
	other := w.Connect(profiletest.Ways()[0])
	for _, call := range [][2]string{{"search_notes", `{"query":"word word"}`}, {"get_notes", `{"search":"word word"}`}} {
		r := other.Call(call[0], call[1])
		var list []shown
		if r.Decode(t, &list); len(list) != 1 || list[0].Content != long[:1000]+"... [truncated]" {
			t.Fatalf("%s: %s", call[0], r)
		}
		if want := "Long notes are cut, to 1,000 characters, 20 items and 2 images; get_note shows one whole."; len(r.Texts) != 2 || r.Texts[1] != want {
			t.Errorf("%s: the second text is %q", call[0], r.Texts[1:])
		}
	}
	other.Expect(t, profiletest.Call{Tool: "update_note", Arguments: `{"id":"Long","content":"short"}`, RPC: -32600, Data: `{"code":"READ_FIRST","...":"..."}`})
}

// Images that a list had no room for do not count as shown, and stay.
func TestAListShowsFewImagesAndKeepsTheOthers(t *testing.T) {
	w, c := connect(t, profiletest.Options{})
	c.Expect(t, profiletest.Call{Tool: "create_note", Arguments: `{"title":"Pictures","content":"x","images":["https://a.b/1.png","https://a.b/2.png","https://a.b/3.png"]}`})
	other := w.Connect(profiletest.Ways()[0])
	other.Expect(t,
		profiletest.Call{Tool: "search_notes", Arguments: `{"query":"Pictures"}`, Want: `[{"images":["https://a.b/1.png","https://a.b/2.png"],"...":"..."}]`, Note: "2 images"},
		profiletest.Call{Tool: "update_note", Arguments: `{"id":"Pictures","images":["https://a.b/2.png"]}`, Want: `{"images":["https://a.b/2.png","https://a.b/3.png"],"...":"..."}`},
	)
}
