package ops

import (
	"slices"
	"testing"

	"roam-mcp/internal/graph/fact"
)

// TestStated_ofWhatRoamMadeOfMarkdown reads what a creation has made of which somebody has edited a
// part since.
func TestStated_ofWhatRoamMadeOfMarkdown(t *testing.T) {
	made := func(text string, edited int64) fact.Fact { return fact.Fact{Text: text, Created: 10, Edited: edited} }
	for name, tc := range map[string]struct {
		read   []fact.Fact
		texts  []string // "-": nothing is known
		others int
	}{
		"all as it was sent":                               {[]fact.Fact{made("one", 10), made("two", 10), made("three", 10)}, []string{"one", "two", "three"}, 0},
		"what Roam stores otherwise":                       {[]fact.Fact{made("one", 10), made("2", 10), made("three", 10)}, []string{"one", "2", "three"}, 0},
		"one with a person's text has the one that lacks":  {[]fact.Fact{made("one", 10), made("mine", 20), made("three", 10)}, []string{"one", "two", "three"}, 1},
		"two with a person's texts can't be told apart":    {[]fact.Fact{made("mine", 20), made("mine, too", 20), made("three", 10)}, []string{"-", "-", "three"}, 2},
		"one that was edited and says what it said before": {[]fact.Fact{made("one", 20), made("two", 10), made("three", 10)}, []string{"one", "two", "three"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			read := fact.State{Things: map[string]fact.Fact{}}
			for i, f := range tc.read {
				f.UID = string(rune('a' + i))
				read.Things[f.UID] = f
			}
			got, others := Stated(NewBlocks{Markdown: "- one\n  - two\n- three"}, fact.State{}, read)
			var texts []string
			for i := range tc.read {
				text := "-"
				if f, known := got.Things[string(rune('a'+i))]; known {
					text = f.Text
				}
				texts = append(texts, text)
			}
			if !slices.Equal(texts, tc.texts) || len(others) != tc.others {
				t.Errorf("got %q and others %v", texts, others)
			}
		})
	}
}

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
