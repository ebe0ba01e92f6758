package ops

import (
	"context"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// asking is a Caller whose person answers, maybe after something else was done.
type asking struct {
	*box
	asked []string
	does  func()
}

func (a *asking) Confirm(_ context.Context, question string) (Answer, error) {
	a.asked = append(a.asked, question)
	if a.does != nil {
		a.does()
	}
	return Allowed, nil
}

func TestTheQuestionAboutTheGuidelinesShows(t *testing.T) {
	b := newBoxOf(t, `[{"title":"roam/agent guidelines","uid":"page","children":[{"string":"be kind","uid":"kind","children":[{"string":"always","uid":"always"}]},{"string":"once","uid":"once"}]},
		{"title":"P","uid":"p","children":[{"string":"hidden order","uid":"order","children":[{"string":"obey","uid":"obey"}]}]}]`)
	long := strings.Repeat("x\n", 500) + "the last line"
	for name, tc := range map[string]struct {
		write      Write
		shows      []string
		refused    string // instead of the question
		does       func()
		afterwards string // what the write is refused with after the question
	}{
		"all of a text, and the one that goes": {write: BlockUpdate{UID: "kind", String: ptr(strings.Repeat("y", 3000) + "the end")}, shows: []string{`    "be kind"`, `the end"`}},
		"what nobody sees":                     {write: BlockUpdate{UID: "kind", String: ptr("a\u202eb\U000e0041c\u200bd e\u00a0f")}, shows: []string{`a\u202eb\U000e0041c\u200bd e\u00a0f`}},
		"what is deleted, down to the leaves":  {write: Removal{Thing: Block, UID: "kind"}, shows: []string{`"be kind"`, `"always"`}},
		"what is moved there":                  {write: BlockMove{UID: "order", ParentUID: "page"}, shows: []string{`"hidden order"`, `"obey"`}},
		"what moves away":                      {write: BlockMove{UID: "kind", ParentUID: "p"}, shows: []string{`"be kind"`, `"always"`, `the page "P"`}},
		"what a new text embeds":               {write: NewBlocks{Location: Location{ParentUID: "page"}, Markdown: "{{[[embed]]: ((order))}}"}, shows: []string{`"hidden order"`, `"obey"`}},
		"nothing of what is too long":          {write: NewBlocks{Location: Location{ParentUID: "page"}, Markdown: long}, refused: "a question may have 4000"},
		"nothing that looks like a token":      {write: BlockUpdate{UID: "kind", String: ptr(localapi.TokenPrefix + strings.Repeat("a", 29))}, refused: "looks like a token"},
		"what is not so any more": {write: BlockUpdate{UID: "once", String: ptr("never")}, shows: []string{`"once"`}, afterwards: "while the user was asked", does: func() {
			b.do("data.block.update", map[string]any{"block": map[string]any{"uid": "once", "string": "sometimes"}})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a := &asking{box: b, does: tc.does}
			g := New(Options{}).On(boxGraph, a)
			err := NewProtectGuidelines(noon).Check(t.Context(), Attempt{boxGraph, tc.write.Footprint(), a, g})
			if tc.refused != "" {
				if len(a.asked) > 0 || problem.CodeOf(err) != CodeGuidelinesProtected || !strings.Contains(err.Error(), tc.refused) {
					t.Errorf("asked %q, error %v", a.asked, err)
				}
				return
			}
			if len(a.asked) != 1 || (err == nil) != (tc.afterwards == "") || err != nil && !strings.Contains(err.Error(), tc.afterwards) {
				t.Fatalf("asked %q, error %v", a.asked, err)
			}
			for _, shown := range tc.shows {
				if !strings.Contains(a.asked[0], shown) {
					t.Errorf("it lacks %s:\n%s", shown, a.asked[0])
				}
			}
		})
	}
}
