package evaluation

import (
	"errors"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// The tasks of undone begin with a page that has these blocks.
const (
	tideTask = "{{[[TODO]]}} Find out when we can cross the sand on the first morning"
	bedsTask = "{{[[TODO]]}} Beds at Coldwell for the second night, [[Tove Lindqvist]]"
	bedsDone = "{{[[DONE]]}} Beds at Coldwell for the second night, [[Tove Lindqvist]]"
)

// undone are tasks in which the user wants back what the agent has changed, or to know what a change
// would do. What the pages were is compared by Judge.
func undone() []Task {
	return []Task{
		{
			Name: "undo-wrong-task", Graph: Demo, Touches: []string{"Ellery Coast Path"},
			Prompt: "On the page Ellery Coast Path, mark the task about crossing the sand as done. Wait, that was the wrong one: take it back, and mark the one about the beds at Coldwell instead.",
			Check:  all(isText("walk-tide", tideTask), isText("walk-beds", bedsDone)),
		},
		{
			Name: "undo-deletion", Graph: Demo,
			Prompt: `Delete the page "Feeding Bosun"; no need to ask. Oh no, I still need it: take back what you did to it.`,
			Check:  all(wrote, isUnder("feed-befo", "feed-page")),
		},
		{
			Name: "undo-merge", Graph: Demo,
			Prompt: `Merge the page "Feeding Bosun" into the page "Sourdough starter", I am sure. No, I was too fast: undo the merge.`,
			Check:  all(wrote, isUnder("feed-befo", "feed-page")),
		},
		{
			Name: "undo-section", Graph: Demo,
			Prompt: `Delete the section "Decisions" on the page Oven Fund, with all below it; I know what refers to it. Then put it back as it was: I mixed up two pages.`,
			Check:  all(wrote, isUnder("oven-deci", "oven-page")),
		},
		{
			Name: "undo-first-of-two", Graph: Demo, Touches: []string{"Oven Fund"},
			Prompt: `On the page Oven Fund, make the heading "Decisions" one level smaller, and then show the tasks as a numbered list. The heading was better before: take that back, and keep the list.`,
			Check: all(isBlock("oven-deci", "should be a heading of level 2", func(e *End, block graphdb.EID) bool {
				return outline.ReadBlock(e.Graph, block).Heading == 2
			}), isBlock("oven-task", "should have numbered children", func(e *End, block graphdb.EID) bool {
				return outline.ReadBlock(e.Graph, block).ChildrenViewType == "numbered"
			})),
		},
		{
			Name: "undo-conversation", Graph: Demo,
			Prompt: `Make a page "Spare keys" that says who has them: Tove. Add a block "Keys are with Tove" to the page Ellery Coast Path, and mark its task about the beds at Coldwell as done. Forget all of that: take back everything that you changed in this conversation.`,
			Check:  all(wrote, isText("walk-beds", bedsTask)),
		},
		{
			Name: "undo-keeps-mine", Graph: Demo, Touches: []string{"Ellery Coast Path"},
			Prompt: `On the page Ellery Coast Path, mark the tasks about crossing the sand and about the beds at Coldwell as done. Then take that back, but leave alone what I may have written there meanwhile, and tell me what that is. At the end add a block "Looked at twice" to the page.`,
			Person: func(p *Person) { p.Writes("walk-tide", "Low water is at nine") }, After: "update_blocks",
			Check: all(says("Low water is at nine"), isText("walk-tide", "Low water is at nine"), isText("walk-beds", bedsTask), hasSomewhere("Ellery Coast Path", "^Looked at twice$")),
		},
		{
			Name: "look-deletion", Graph: Demo,
			Prompt: `I think of deleting the page "Tove Lindqvist". Don't do it yet: how many blocks would go with it, and how many texts elsewhere would change?`,
			Check:  says("(3|three) blocks", "(3|three) texts"),
		},
		{
			Name: "look-section", Graph: Demo,
			Prompt: `What would I lose if the section "Decisions" on the page Oven Fund were deleted? Just tell me how many blocks, and how many texts would be rewritten; leave it where it is.`,
			Check:  says("(3|three) blocks", "(0|no|none|zero)"),
		},
		{
			Name: "look-rename", Graph: Demo,
			Prompt: `If I renamed the page "Country loaf" to "Harbour loaf", how many texts would change? Only tell me.`,
			Check:  says("(2|two) texts"),
		},
	}
}

// wrote refuses a graph that was never changed.
func wrote(e *End) error {
	if !e.Wrote() {
		return errors.New("nothing was changed, and so nothing taken back")
	}
	return nil
}
