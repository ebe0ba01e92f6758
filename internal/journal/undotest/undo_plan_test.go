package undotest

import (
	"slices"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/undo"
)

// TestABlockThatEqualsWhatWasLeftIsNotChangedSince plans for a block that a change made, and that was
// edited before it was read what the change had left, such as by the next change.
func TestABlockThatEqualsWhatWasLeftIsNotChangedSince(t *testing.T) {
	for name, tc := range map[string]struct {
		texts map[string]bool // of the request
		now   string
		goes  bool
	}{
		"the request says its text":         {map[string]bool{"made": true}, "made", true},
		"nobody knows what text it had":     {nil, "made", false},
		"the request says another text":     {map[string]bool{"other": true}, "made", false},
		"it has another text than was left": {map[string]bool{"made": true}, "mine", false},
	} {
		t.Run(name, func(t *testing.T) {
			state := func(text string) fact.State {
				return fact.State{Things: map[string]fact.Fact{"made00001": {UID: "made00001", Text: text, Parent: "page00001", Created: 1, Edited: 5}}}
			}
			change := undo.Change{
				Number: "1.1", Class: fact.ClassMake, After: state("made"), Touches: []fact.Touch{{UID: "made00001", Role: fact.RoleMade}},
				Kept: true, Known: true, Late: true, Texts: tc.texts,
			}
			steps := undo.Plan(undo.Now{State: state(tc.now)}, change, undo.NewRun([]undo.Change{change}))
			if goes := slices.Equal(steps.Away, []string{"made00001"}); goes != tc.goes || goes == (len(steps.Left) > 0) {
				t.Errorf("it plans %+v", steps)
			}
		})
	}
}
