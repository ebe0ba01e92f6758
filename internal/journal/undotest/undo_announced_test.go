package undotest

import (
	"slices"
	"testing"
)

// TestADryRunAnnouncesTheStepsAndPagesOfTheUndo plans an undo, and compares it with what is done then.
func TestADryRunAnnouncesTheStepsAndPagesOfTheUndo(t *testing.T) {
	for name, steps := range map[string][]step{
		"pages, and those that their texts made": {
			{"create_page", fields{"title": "One", "markdown": "- see [[Two]]\n- and #Three"}}, {"create_page", fields{"title": "a [[One]]"}},
		},
		"a page that another change needs": {
			{"create_block", fields{"parentUid": "beta00001", "markdown": "- [[New]]"}}, {"update_block", fields{"uid": "refs00001", "string": "[[New]] and [[Newer]]"}},
		},
		"deletions and texts": {
			{"update_block", fields{"uid": "look00001", "string": "other [[New]]"}}, {"delete_block", fields{"uid": "look00001"}}, {"delete_page", fields{"uid": "aalpha001"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newDryRunWorld(t, "roam")
			for _, each := range steps {
				w.advance()
				if result := w.call(each.name, each.args); result.IsError {
					t.Fatal(result.Content[0])
				}
			}
			w.closeServers()
			planned := w.planUndo(w.recorded())
			made := w.undo(w.recorded(), "undo")
			slices.Sort(planned.Pages)
			slices.Sort(made.Pages)
			if planned.Steps != made.Steps || planned.Changes != made.Changes || !slices.Equal(planned.Pages, made.Pages) {
				t.Errorf("%d steps of %d changes are announced with the pages %q, and %d of %d are made with %q",
					planned.Steps, planned.Changes, planned.Pages, made.Steps, made.Changes, made.Pages)
			}
		})
	}
}
