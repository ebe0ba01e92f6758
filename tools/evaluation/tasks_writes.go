package evaluation

import (
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// comparedWrites are the changes among the tasks that the official server was given.
func comparedWrites() []Task {
	todo := `^\{\{\[\[TODO\]\]\}\} `
	return []Task{
		{
			Name: "outlined-page", Compared: true, Graph: Demo, Touches: []string{"Bread festival"},
			Prompt: `Make a page "Bread festival" with an outline: under "Before" a part "Stall" with the to-dos "Borrow the long table" and "Print price cards", and under "On the day" a part "Oven" in which you refer to my block about the oven's cold corner (a real block reference).`,
			Check: all(
				has("Bread festival", "^Before", "^Stall", todo+"Borrow the long table"), has("Bread festival", "^Before", "^Stall", todo+"Print price cards"),
				has("Bread festival", "^On the day", "^Oven", `\(\(oven-cold\)\)`),
			),
		},
		{
			Name: "entries-under-heading", Compared: true, Graph: Demo, Pages: headedToday, Touches: []string{Today},
			Prompt: `Put two entries under the heading "Bakery" of today's note, at its end and in this order: "Rye came out pale" and "Sold out by ten".`,
			Check:  ordered(Today, []string{"^Bakery$"}, "^Oven lit at four$", "^Rye came out pale", "^Sold out by ten"),
		},
		{
			Name: "rename-page", Compared: true, Graph: Demo, Touches: []string{"Country loaf", "Harbour loaf", "Tidewater Bread", "Winter Bread Club"},
			Prompt: `Rename the page "Country loaf" to "Harbour loaf". I have thought about it, go ahead. The links should follow.`,
			Check:  all(isTitled("loaf-page", "Harbour loaf", "Country loaf"), isText("tide-coun", "[[Harbour loaf]] on both bake days"), linksTo("tide-coun", "loaf-page")),
		},
		{
			Name: "replace-word", Compared: true, Graph: Demo, Pages: packingList, Touches: []string{"Winter stock"},
			Prompt: `On the page "Winter stock" I wrote "flower" four times where I meant "flour". Correct that, and move the block about salt to the top.`,
			Check: all(
				isText("stock-1", "Ten sacks of wheat flour in the loft"), isText("stock-2", "Rye flour: order before the frost, see [[Owen Pryce]]"),
				isText("stock-4", "Spelt flour only for trials"), isText("stock-5", "Keep flour off the floor"),
				ordered("Winter stock", nil, "^Salt", "^Ten", "^Rye", "^Spelt", "^Keep"), has("Winter stock", "^Salt, 25 kg$"),
			),
		},
		{
			Name: "finish-and-move", Compared: true, Graph: Demo, Touches: []string{"Tidewater Bread", "Country loaf", outline.CommentsPage},
			Prompt: `On the page Tidewater Bread: the task to ask Owen about deliveries is done, mark it so and leave the comment "He can, from January" on it. Then move the block about flour drawing damp, with all that is below it, to the end of the page Country loaf.`,
			Check: all(
				isText("tide-whet", "{{[[DONE]]}} Ask [[Owen Pryce]] whether he can deliver every two weeks instead of every month"), commented("tide-whet", "He can, from January"),
				ordered("Country loaf", nil, "^Method$", "draws damp"), has("Country loaf", "draws damp", `DONE.*Ask \[\[Owen`), has("Country loaf", "draws damp", "Pallets"),
			),
		},
		{
			Name: "delete-with-notice", Compared: true, Graph: Demo, Touches: []string{"Oven Fund", "November 4th, 2026"},
			Prompt: `Delete the block about the 32 A supply on the page Oven Fund. I agree to that; but tell me which block refers to it, and on which page.`,
			Check:  all(isGone("oven-supp"), says("November 4", "repair reserve|nv04-rese"), has("Oven Fund", "^Numbers$", "^Pledged")),
		},
		{
			Name: "first-shortcut", Compared: true, Graph: Demo, Pages: withShortcuts,
			Prompt: "Make Oven Fund the first of my shortcuts in the sidebar. Leave the others as they are.",
			Check:  shortcuts("Oven Fund", "Accounts", "Suppliers"),
		},
		{
			Name: "numbered-list", Compared: true, Graph: Demo, Touches: []string{"Winter Bread Club"},
			Prompt: `Put a heading "Friday" at the very top of the page Winter Bread Club, and below it a numbered list: "Light the oven", "Bake both batches", "Hand out the loaves". Let Roam do the numbering.`,
			Check: all(ordered("Winter Bread Club", nil, "^Friday$", "^Ten Fridays"), ordered("Winter Bread Club", []string{"^Friday$"}, "^Light the oven", "^Bake both", "^Hand out"),
				func(e *End) error {
					uid := ""
					if blocks := e.blocks("Winter Bread Club"); len(blocks) > 0 {
						uid = blocks[0].UID
					}
					return isBlock(uid, "should be a heading with numbered children", func(e *End, block graphdb.EID) bool {
						b := outline.ReadBlock(e.Graph, block)
						return b.Heading > 0 && b.ChildrenViewType == "numbered"
					})(e)
				}),
		},
	}
}

// writes add to the demo graph.
func writes() []Task {
	return []Task{
		{
			Name: "note-for-today", Graph: Demo, Touches: []string{Today},
			Prompt: `Note for today: "The flour came two days late", tagged with inbox.`,
			Check:  hasSomewhere(Today, `The flour came two days late.*#(\[\[)?inbox|#(\[\[)?inbox.*The flour came two days late`),
		},
		{
			Name: "note-for-yesterday", Graph: Demo, Touches: []string{Yesterday},
			Prompt: `Add to yesterday's note: "Forgot to feed Bosun".`,
			Check:  hasSomewhere(Yesterday, "Forgot to feed Bosun"),
		},
		{
			Name: "new-task", Graph: Demo, Touches: []string{"Oven Fund"},
			Prompt: "Add a task for Ruth to the tasks on the page Oven Fund: call the dealer about the price.",
			Check:  has("Oven Fund", "^Tasks$", `^\{\{\[\[TODO\]\]\}\} .*call the dealer about the price.*\[\[Ruth Calder\]\]|^\{\{\[\[TODO\]\]\}\} .*\[\[Ruth Calder\]\].*call the dealer about the price`),
		},
		{
			Name: "open-question", Graph: Demo, Touches: []string{"Winter Bread Club"},
			Prompt: `Put "Do we bake on Good Friday?" first among the open questions of the Winter Bread Club.`,
			Check:  ordered("Winter Bread Club", []string{"^Open questions$"}, `^Do we bake on Good Friday\?`, "^What do we do"),
		},
		{
			Name: "use-template", Graph: Demo, Touches: []string{Today},
			Prompt: `Write meeting notes into today's note, in the shape of my template: with Owen Pryce; said: the rye is slow; decided: two per cent less water.`,
			Check: all(hasSomewhere(Today, "^Meeting"), hasSomewhere(Today, `\[\[Owen Pryce\]\]`), hasSomewhere(Today, "^With"), hasSomewhere(Today, "^Said"), hasSomewhere(Today, "rye is slow"),
				hasSomewhere(Today, "^Decided"), hasSomewhere(Today, "less water")),
		},
		{
			Name: "page-like-others", Graph: Demo, Touches: []string{"The Sea Around Us", "Books"},
			Prompt: `Make a page for the book "The Sea Around Us" by Rachel Carson with the attributes that my other books have, status someday, and link it under Wanted on the page Books.`,
			Check:  all(has("The Sea Around Us", "^Author:: Rachel Carson$"), has("The Sea Around Us", "^Status:: someday$"), has("Books", "^Wanted$", `\[\[The Sea Around Us\]\]`)),
		},
		{
			Name: "code-kept", Graph: Demo, Touches: []string{"Oven timer"},
			Prompt: "Make a page \"Oven timer\" that holds exactly this code in one block:\n```python\ndef turn(minutes):\n    if minutes >= 20:\n        return \"turn\"\n\n    return \"wait\"\n```",
			Check:  hasSomewhere("Oven timer", "(?s)^```python\ndef turn\\(minutes\\):\n    if minutes >= 20:\n        return \"turn\"\n\n    return \"wait\"\n?```$"),
		},
		{
			Name: "remark-on-quote", Graph: Demo, Touches: []string{"The Patient Loaf"},
			Prompt: `Put my remark "True of people as well" below the quotation on starters that keep promises.`,
			Check:  all(isText("pati-prom", `"A starter does not keep time. It keeps promises, and only those you have fed." #quote`), has("The Patient Loaf", "^Passages$", "keeps promises", "True of people as well")),
		},
		{
			Name: "comment", Graph: Demo, Touches: []string{outline.CommentsPage},
			Prompt: `Leave a comment on the block that says that I want to bake spelt after the winter (on Amara's page): "March, then".`,
			Check:  commented("amar-spel", "March, then"),
		},
		{
			Name: "long-outline", Graph: Demo, Touches: []string{"Inventory"},
			Prompt: `Make a page "Inventory" with twelve shelves, "Shelf 1" to "Shelf 12", and below each the blocks "Top", "Middle" and "Bottom".`,
			Check: all(ordered("Inventory", nil, `^Shelf 1\b`, `^Shelf 2\b`, `^Shelf 3\b`, `^Shelf 4\b`, `^Shelf 5\b`, `^Shelf 6\b`, `^Shelf 7\b`, `^Shelf 8\b`, `^Shelf 9\b`, `^Shelf 10\b`, `^Shelf 11\b`, `^Shelf 12\b`),
				ordered("Inventory", []string{`^Shelf 12\b`}, "^Top", "^Middle", "^Bottom"), ordered("Inventory", []string{`^Shelf 1\b`}, "^Top", "^Middle", "^Bottom")),
		},
	}
}
