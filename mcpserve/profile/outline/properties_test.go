package outline

import (
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/rawjson"
)

func TestProperties(t *testing.T) {
	for name, tc := range map[string]struct {
		lines []string
		want  string
		uids  string
	}{
		"text stays as it is, numbers and booleans too":  {[]string{"Role:: engineer, senior", "Age:: 36", "done:: true"}, `{"Role":"engineer, senior","Age":"36","done":"true"}`, `{"Age":"b","Role":"a","done":"c"}`},
		"two references and nothing else are a list":     {[]string{"Tags:: #project #[[in progress]]", "Alias:: [[A]], [[B [[C]]]]"}, `{"Tags":["project","in progress"],"Alias":["A","B [[C]]"]}`, `{"Alias":"b","Tags":"a"}`},
		"one reference is a text":                        {[]string{"Tags:: #rocket"}, `{"Tags":"#rocket"}`, `{"Tags":"a"}`},
		"references among words are a text":              {[]string{"By:: [[Ada]] and [[Grace]]", "See:: [[Ada]] ((apollo001))"}, `{"By":"[[Ada]] and [[Grace]]","See":"[[Ada]] ((apollo001))"}`, `{"By":"a","See":"b"}`},
		"the first of a key counts, whatever its case":   {[]string{"Role:: one", "role:: two", "no property", "Empty::"}, `{"Role":"one","Empty":""}`, `{"Empty":"d","Role":"a"}`},
		"a block without properties has an empty object": {[]string{"text", "http://a::b"}, `{}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			var n note.Node
			for i, line := range tc.lines {
				n.Children = append(n.Children, note.Node{UID: string(rune('a' + i)), Text: line})
			}
			props, uids := properties(n)
			if got := string(props.JSON()); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if got := string(rawjson.Encode(uids)); got != tc.uids {
				t.Errorf("the lines are %s, want %s", got, tc.uids)
			}
		})
	}
}
