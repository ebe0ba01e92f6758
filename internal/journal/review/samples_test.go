package review_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
)

// plan is a page with a block that has a block below it.
func plan() []fact.Fact {
	return []fact.Fact{page("plan-page", "Plan Q4", "milestones"), block("milestones", "plan-page", "Milestones", 0)}
}

func ship(day string) fact.Fact {
	return block("ship", "milestones", "Ship the beta by [["+day+"]]", 0)
}

func and(facts []fact.Fact, more ...fact.Fact) fact.State { return state(append(facts, more...)...) }

func asIs(s fact.State) *fact.State { return &s }

// tree is a block with so many below it, five to a level.
func tree(n int) (facts []fact.Fact, uids []string) {
	facts = append(facts, block("old", "plan-page", "Old list", 3))
	for i := range n {
		parent := "old"
		if i >= 5 {
			parent = fmt.Sprintf("item-%02d", i-5)
		}
		facts = append(facts, block(fmt.Sprintf("item-%02d", i), parent, fmt.Sprintf("Item %d", i), i%5))
	}
	for _, f := range facts {
		uids = append(uids, f.UID)
	}
	return facts, uids
}

func samples() []sample {
	folded, center := false, func(f *fact.Fact) { f.Align = "center" }
	oldTree, oldUIDs := tree(11)
	large, largeUIDs := tree(60)
	first, second := ship("December 1st, 2026"), ship("December 8th, 2026")
	heading := func(n int) func(*fact.Fact) { return func(f *fact.Fact) { f.Heading = n } }
	return []sample{
		{
			name: "a text and a heading as they were left", tool: "update_blocks", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship"),
			before: and(plan(), with(first, heading(3))), after: and(plan(), with(second, heading(2))), now: asIs(and(plan(), with(second, heading(2)))),
			edit: func(r *history.Record) { r.Call.Args = []byte(`{"reason":"tidy up \u001b[31mthe plan"}`) },
		},
		{
			name: "a text changed since", tool: "update_block", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship"),
			before: and(plan(), first), after: and(plan(), second), now: asIs(and(plan(), ship("January 1st, 2027"))),
		},
		{
			name: "a text whose block is gone", tool: "update_block", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship"),
			before: state(first), after: state(second), now: asIs(state(gone("ship")...)),
			edit: func(r *history.Record) { r.Pages = map[string]string{"plan-page": "Plan Q4"} },
		},
		{
			name: "a text while Roam is away", tool: "update_block", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship"),
			before: state(first), after: state(second),
		},
		{
			name: "a text of several lines", tool: "update_block", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship"),
			before: and(plan(), first), after: and(plan(), block("ship", "milestones", "one\n```two```\n"+strings.Repeat("many\n", 40), 0)),
		},
		{
			name: "a text with what a terminal obeys", tool: "upd\x1b[2Jate", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship"),
			before: and(plan(), first), after: and(plan(), block("ship", "milestones", "\x1b]0;mine\a\u202egnp.exe \xff", 0)),
			edit: func(r *history.Record) { r.Call.Agent, r.Call.Session = "clau\u200bde\r\n", 7 },
		},
		{
			name: "how a block is shown", tool: "update_block", class: fact.ClassLook, touches: touches(fact.RoleTarget, "ship"),
			before: and(plan(), with(first, func(f *fact.Fact) { f.Heading = 1 })),
			after: and(plan(), with(with(first, center), func(f *fact.Fact) {
				f.Open, f.ChildrenView, f.BlockView, f.Props = &folded, "numbered", "side", json.RawMessage(`{":a":1}`)
			})), now: asIs(and(plan(), first)),
		},
		{
			name: "a block moved to another page", tool: "move_block", class: fact.ClassPlace,
			touches: slices.Concat(touches(fact.RoleTarget, "ship"), touches(fact.RolePlace, "milestones", "ideas")),
			before:  and(plan(), first, page("ideas", "Ideas")),
			after:   and(plan(), with(first, func(f *fact.Fact) { f.Page, f.Parent = "ideas", "ideas" }), page("ideas", "Ideas", "ship")),
			now:     asIs(and(plan(), first, page("ideas", "Ideas"))),
		},
		{
			name: "a block moved among its neighbours", tool: "move_block", class: fact.ClassPlace, touches: touches(fact.RoleTarget, "ship"),
			before: and(plan(), with(first, func(f *fact.Fact) { f.Left = "budget" }), block("budget", "milestones", "Budget", 0)),
			after:  and(plan(), with(first, func(f *fact.Fact) { f.Right = "budget" }), block("budget", "milestones", "Budget", 1)),
		},
		{
			name: "blocks made", tool: "create_block", class: fact.ClassMake,
			touches: slices.Concat(touches(fact.RoleMade, "ship", "below"), touches(fact.RolePlace, "milestones"), []fact.Touch{{UID: "new-page", Role: fact.RoleImplied}}),
			after:   and(plan(), first, block("below", "ship", "and below it [[New]]", 0), page("new-page", "New")),
			now:     asIs(and(plan(), first, block("below", "ship", "and above it", 0), page("new-page", "New"))),
		},
		{
			name: "a page made with blocks", tool: "create_page", class: fact.ClassMake, touches: touches(fact.RoleMade, "plan-page", "milestones"),
			after: state(plan()...), now: asIs(state(plan()...)),
		},
		{
			name: "a page made without blocks", tool: "create_page", class: fact.ClassMake, touches: touches(fact.RoleMade, "ideas"),
			after: state(page("ideas", "Ideas")), now: asIs(state(page("ideas", "Ideas 2"))),
		},
		{
			name: "blocks made and not read yet", tool: "create_block", class: fact.ClassMake, touches: touches(fact.RoleMade, "ship", "below"),
			edit: func(r *history.Record) { r.Changes[0].Request = []byte(`[{"location":{"parent-uid":"x"}}]`) },
		},
		{
			name: "a tree deleted", tool: "delete_block", class: fact.ClassGone,
			touches: slices.Concat(touches(fact.RoleGone, oldUIDs...), touches(fact.RoleReferrer, "ref-1", "ref-2")),
			before:  and(append(plan(), oldTree...), block("ref-1", "milestones", "see ((old))", 1), block("ref-2", "milestones", "and ((old))", 2)),
			after:   and(append(plan(), gone(oldUIDs...)...), block("ref-1", "milestones", "see Old list", 1), block("ref-2", "milestones", "and Old list", 2)),
			now:     asIs(and(append(plan(), gone(oldUIDs...)...), block("ref-1", "milestones", "see Old list", 1), block("ref-2", "milestones", "rewritten", 2))),
			edit:    func(r *history.Record) { r.Changes[0].Lacks = []string{"2 reactions"} },
		},
		{
			name: "a tree deleted that is large", tool: "delete_block", class: fact.ClassGone, touches: touches(fact.RoleGone, largeUIDs...),
			before: and(plan(), large...), after: state(gone(largeUIDs...)...), now: asIs(state(large...)),
		},
		{
			name: "only one block of a tree deleted", tool: "delete_block", class: fact.ClassGone, touches: touches(fact.RoleGone, oldUIDs...), only: "item-01",
			before: and(plan(), oldTree...), after: state(gone(oldUIDs...)...),
		},
		{
			name: "a page renamed with its references", tool: "update_page", class: fact.ClassRename,
			touches: slices.Concat(touches(fact.RoleTarget, "ideas"), touches(fact.RoleReferrer, "ship")),
			before:  and(plan(), page("ideas", "Ideas"), block("ship", "milestones", "see [[Ideas]] #Ideas", 0)),
			after:   and(plan(), page("ideas", "Ideas 2026"), block("ship", "milestones", "see [[Ideas 2026]] #[[Ideas 2026]]", 0)),
			now:     asIs(and(plan(), page("ideas", "Ideas 2026"), block("ship", "milestones", "see [[Ideas 2026]] #[[Ideas 2026]]", 0))),
		},
		{
			name: "a page merged into another", tool: "merge_pages", class: fact.ClassMerge,
			touches: slices.Concat(touches(fact.RoleGone, "ideas"), touches(fact.RoleTarget, "plan-page", "idea")),
			before:  and(plan(), page("ideas", "Ideas", "idea"), fact.Fact{UID: "idea", Text: "An idea", Page: "ideas", Parent: "ideas"}),
			after:   and(plan(), append(gone("ideas"), block("idea", "plan-page", "An idea", 1))...),
		},
		{
			name: "a shortcut put in", tool: "add_shortcut", class: fact.ClassShortcut, touches: touches(fact.RoleTarget, "plan-page"),
			before: fact.State{Things: map[string]fact.Fact{}, Shortcuts: []string{"a", "b"}},
			after:  fact.State{Things: map[string]fact.Fact{"plan-page": plan()[0]}, Shortcuts: []string{"a", "plan-page", "b"}},
		},
		{
			name: "a call whose reply was lost", tool: "update_block", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship"),
			before: and(plan(), first), after: and(plan(), second),
			edit: func(r *history.Record) { r.Call.Evidence = "the block has the new text" },
		},
		{
			name: "a call that nobody has settled", tool: "update_block", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship"),
			before: and(plan(), first),
			edit: func(r *history.Record) {
				r.Call.State, r.Call.Abandoned, r.Changes[0].State = history.CallOpen, true, history.StateOpen
			},
		},
		{
			name: "a call that was refused", tool: "update_block", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship"),
			before: and(plan(), first),
			edit: func(r *history.Record) {
				r.Call.State, r.Call.Code, r.Changes[0].State = history.CallFailed, "READ_ONLY", history.StateRefused
			},
		},
		{
			name: "a call without texts", tool: "update_block", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship", "other"),
			edit: func(r *history.Record) { r.Call.TextsGone = true },
		},
		{
			name: "two changes of a call together", tool: "update_page", class: fact.ClassText, touches: touches(fact.RoleTarget, "ship"),
			before: and(plan(), first), after: and(plan(), second),
			edit: func(r *history.Record) {
				r.Changes = append(r.Changes, sample{class: fact.ClassGone, touches: touches(fact.RoleGone, "ship"), before: and(plan(), second), after: state(gone("ship")...)}.record().Changes...)
				r.Changes = append(r.Changes, sample{class: fact.ClassMake, touches: touches(fact.RoleMade, "next"), after: state(block("next", "milestones", "Next", 1))}.record().Changes...)
				r.Changes[1].Seq, r.Changes[2].Seq = 2, 3
			},
		},
	}
}
