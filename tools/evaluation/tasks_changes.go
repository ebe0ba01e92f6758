package evaluation

import (
	"errors"
	"fmt"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// changes alter what is in the demo graph.
func changes() []Task {
	return []Task{
		{
			Name: "finish-several", Graph: Demo, Touches: []string{"Ellery Coast Path"},
			Prompt: "Mark every open task on the page Ellery Coast Path as done; they are.",
			Check: all(hasNot("Ellery Coast Path", `\[\[TODO\]\]`), isText("walk-tide", "{{[[DONE]]}} Find out when we can cross the sand on the first morning"),
				has("Ellery Coast Path", "^To do$", "^\\{\\{\\[\\[DONE\\]\\]\\}\\} New soles for the brown boots, before February$"), isText("walk-beds", "{{[[DONE]]}} Beds at Coldwell for the second night, [[Tove Lindqvist]]")),
		},
		{
			Name: "heading-level", Graph: Demo, Touches: []string{"Oven Fund"},
			Prompt: `Make the heading "Decisions" on the page Oven Fund one level smaller.`,
			Check: all(isText("oven-deci", "Decisions"), isBlock("oven-deci", "should be a heading of level 3", func(e *End, block graphdb.EID) bool {
				return outline.ReadBlock(e.Graph, block).Heading == 3
			})),
		},
		{
			Name: "number-children", Graph: Demo, Touches: []string{"Oven Fund"},
			Prompt: "Show the tasks on the page Oven Fund as a numbered list.",
			Check: all(hasNot("Oven Fund", `^\d+[.)]`), isBlock("oven-task", "should have numbered children", func(e *End, block graphdb.EID) bool {
				return outline.ReadBlock(e.Graph, block).ChildrenViewType == "numbered"
			})),
		},
		{
			Name: "link-mention", Graph: Demo, Touches: []string{"November 11th, 2026"},
			Prompt: "In my note of 11 November 2026 Amara is mentioned without a link to her page. Link her first name there to it.",
			Check: all(isBlock("nv11-amar", "should be about the spelt still", func(e *End, _ graphdb.EID) bool {
				return matches(`again about the spelt: \(\(amar-spel\)\)`, e.text("nv11-amar"))
			}), linksTo("nv11-amar", "amar-page")),
		},
		{
			Name: "move-section", Graph: Demo, Touches: []string{"Oven Fund"},
			Prompt: `On the page Oven Fund, move the section "Decisions" in front of the section "Tasks".`,
			Check:  all(ordered("Oven Fund", nil, "^Numbers$", "^Decisions$", "^Tasks$"), isUnder("oven-deci", "oven-page")),
		},
		{
			Name: "open-tasks-first", Graph: Demo, Touches: []string{"Oven Fund"},
			Prompt: "On the page Oven Fund, put the open tasks in front of those that are done; else keep their order.",
			Check:  ordered("Oven Fund", []string{"^Tasks$"}, "Book the electrician", "Measure the boathouse door", "thank-you loaf", "three offers", "Letter to all"),
		},
		{
			Name: "move-to-page", Graph: Demo, Touches: []string{"Amara Obi", "Seeded rye"},
			Prompt: "Move the block about the spelt loaf from Amara's page to the top of the page Seeded rye.",
			Check:  all(isUnder("amar-spel", "ryes-page"), ordered("Seeded rye", nil, "spelt loaf", "^Friday's bread")),
		},
		{
			Name: "delete-done", Graph: Demo, Touches: []string{"Oven Fund"},
			Prompt: "Delete the tasks that are done from the page Oven Fund. I know that nothing refers to them; no need to ask.",
			Check:  all(isGone("oven-offe"), isGone("oven-memb"), isUnder("oven-elec", "oven-task"), isUnder("oven-door", "oven-task")),
		},
		{
			Name: "delete-page", Graph: Demo, Touches: []string{"Feeding Bosun"},
			Prompt: `Delete the page "Feeding Bosun". Nothing links to it, and I do not need it any more; no need to ask.`,
			Check:  all(isGone("feed-page"), isGone("feed-befo")),
		},
		{
			Name: "merge-pages", Graph: Demo, Touches: []string{"Feeding Bosun", "Sourdough starter"},
			Prompt: `Merge the page "Feeding Bosun" into the page "Sourdough starter". Yes, I am sure.`,
			Check: all(hasSomewhere("Sourdough starter", "Never more than a week in the cold"), hasSomewhere("Sourdough starter", "hungry, not ill"), func(e *End) error {
				if outline.PageByTitle(e.Graph, "Feeding Bosun") != 0 {
					return errors.New("there is still a page Feeding Bosun")
				}
				return nil
			}),
		},
		{
			Name: "drop-shortcut", Graph: Demo, Pages: withShortcuts,
			Prompt: "Take the page Accounts out of my shortcuts in the sidebar, and keep the page.",
			Check:  all(shortcuts("Suppliers"), has("Accounts", "Ruth has them")),
		},
		{
			Name: "correct-number", Graph: Demo, Touches: []string{"Winter Bread Club"},
			Prompt: "In the table of the Winter Bread Club it is 7 members that take one of each, not 6. Correct that number and nothing else.",
			Check:  all(isText("tbl-r3-c2", "7"), isUnder("tbl-r3-c2", "tbl-r3-c1"), isText("tbl-r3-c3", "£28")),
		},
	}
}

// twoGraphs are tasks where both sample graphs are connected.
func twoGraphs() []Task {
	return []Task{
		{
			Name: "which-graph", Graph: Both, Prompt: "In which of my graphs have I written about quinces, and on which page?",
			Check: says("notebook", "Garden|November 14"),
		},
		{
			Name: "write-in-one", Graph: Both, Touches: []string{"Margin"},
			Prompt: `In my notebook: leave the remark "The swims need a plan for January" where agents may write, the way I want it there.`,
			Check: func(e *End) error {
				margin := outline.ReadTree(e.Notebook, outline.PageByTitle(e.Notebook, "Margin"))
				date := e.Today.Format("2006-01-02")
				if remarks, found := below(margin, []string{"^" + date}); !found || anywhere(remarks, "The swims need a plan for January") == nil {
					return fmt.Errorf("the page Margin has no such remark under %s:\n%s", date, show(margin))
				}
				return unchanged(e.Start, e.Graph, nil)
			},
		},
		{
			Name: "rules-of-both", Graph: Both, Prompt: "May agents make new pages in my two graphs? Look at the rules of each.",
			Check: says("demo", "notebook", `\bno\b|\bnot\b`, "search|before"),
		},
	}
}
