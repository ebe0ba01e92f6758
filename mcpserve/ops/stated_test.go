package ops

import (
	"slices"
	"testing"

	"roam-mcp/history/fact"
)

func TestStated(t *testing.T) {
	text, folded, center := "agent's", false, "center"
	update := BlockUpdate{UID: "b", String: &text, Open: &folded, TextAlign: &center}
	of := func(f fact.Fact) fact.State { f.UID = "b"; return fact.State{Things: map[string]fact.Fact{"b": f}} }
	before := of(fact.Fact{Text: "old"})
	for name, tc := range map[string]struct {
		write  Write
		read   fact.Fact
		text   string
		others []string
	}{
		"what was read is what was sent":                  {update, fact.Fact{Text: "agent's", Open: &folded, Align: "center"}, "agent's", nil},
		"a person's later text is not the agent's":        {update, fact.Fact{Text: "person's", Open: &folded, Align: "center"}, "agent's", []string{"b"}},
		"a person's look is not the agent's":              {update, fact.Fact{Text: "agent's", Open: &folded, Align: "right"}, "agent's", []string{"b"}},
		"a part of a batch that was not done is not told": {BlockUpdates{update}, fact.Fact{Text: "old"}, "old", nil},
		"what is gone stays gone":                         {update, fact.Fact{Gone: true}, "", nil},
		"a new block has the text that it was made with":  {NewBlock{UID: "c"}, fact.Fact{Text: "other"}, "other", nil},
	} {
		t.Run(name, func(t *testing.T) {
			read := of(tc.read)
			got, others := Stated(tc.write, before, read)
			if got.Things["b"].Text != tc.text || !slices.Equal(others, tc.others) {
				t.Errorf("got %+v, %v", got.Things["b"], others)
			}
			if read.Things["b"].Text != tc.read.Text {
				t.Error("what was read is changed")
			}
		})
	}
}
