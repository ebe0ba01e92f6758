package fact

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
)

// FuzzParse reads what is in the journal.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"things":{"a":{"text":"x","open":false,"props":{":a":1},"children":["b"],"later":1}},"shortcuts":["p"]}`))
	f.Add([]byte(`{"things":{"a":{"Text":"x","text":"y"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		state, err := Parse(text)
		if err != nil {
			return
		}
		once := state.JSON()
		again, err := Parse(once)
		if err != nil || !bytes.Equal(again.JSON(), once) {
			t.Fatalf("%s was read, written as %s, and then: %v, %s", text, once, err, again.JSON())
		}
		if diff := Diff(state, again); len(diff) != 0 {
			t.Fatalf("%s differs from itself: %v", text, diff)
		}
	})
}

// FuzzAnswers reads Roam's answers.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`[{":db/id":1,"f-uid":"a","f-title":"t","f-children":[{"f-uid":"b","f-order":1,"f-string":"x"},{":db/id":2}],"f-_refs":{"f-uid":"r","f-string":"[[t]]"}},null]`))
	f.Add([]byte(`[[{"f-uid":"a","emojis":[1],"f-props":{"x":1},"f-_children":[{"f-uid":"p","f-children":[{"f-uid":"a"}]}]}]]`))
	f.Add([]byte(`[[1,2,"u"],["u",3]]`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		ask := func(context.Context, string, ...any) (json.RawMessage, error) { return answer, nil }
		check := func(s State, err error) {
			if err == nil {
				if _, err := Parse(s.JSON()); err != nil {
					t.Fatalf("%s is read as %s: %v", answer, s.JSON(), err)
				}
			}
		}
		uids := []string{"a"}
		check(Things(t.Context(), ask, uids))
		check(Shortcuts(t.Context(), ask))
		s, _, err := Trees(t.Context(), ask, uids)
		check(s, err)
		s, _, err = Pages(t.Context(), ask, uids)
		check(s, err)
		s, _, err = Merging(t.Context(), ask, "a", "t")
		check(s, err)
		s, _, _, err = Made(t.Context(), ask, uids, nil, 0, 9)
		check(s, err)
		s, _, err = Again(t.Context(), ask, State{Things: map[string]Fact{"a": {UID: "a"}}}, 0, 9)
		check(s, err)
	})
}
