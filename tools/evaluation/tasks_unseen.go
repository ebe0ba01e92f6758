package evaluation

import (
	"fmt"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
)

// reads requires a page to be exactly so, as an outline in Roam's own markup.
func reads(title, want string) Check {
	return func(e *End) error {
		if got := markdown.Bullets(e.blocks(title)) + "\n"; got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			return fmt.Errorf("the page %q is other than it should be: %.300q where %.300q should be", title, got[max(0, at-60):], want[max(0, at-60):])
		}
		return nil
	}
}

// unseen are about notes that are longer than a reply, or that somebody changes while the
// agent works on them. No word may be lost that the agent was not told to take away.
func unseen() []Task {
	return []Task{
		{
			Name: "end-of-a-long-note", Graph: Demo, Pages: doughLog, Touches: []string{"Dough log"}, Profile: "graph",
			Prompt: "The last entry of my dough log says that batch 420 had 66 % water. It was 68 %: correct that.",
			Check:  reads("Dough log", batchesBut(map[int]string{420: "Batch 420: 68 % water, 24 degrees, rose in 80 minutes"})),
		},
		{
			Name: "middle-of-a-long-note", Graph: Demo, Pages: doughLog, Touches: []string{"Dough log"}, Profile: "graph",
			Prompt: `In my dough log, put "(windows open)" behind what it says of batch 210.`,
			After:  "get_node", Person: func(p *Person) { p.Adds("dough-log", "dough-0421", "Batch 421: no salt, thrown away") },
			Check: reads("Dough log", batchesBut(map[int]string{210: batch(210) + " (windows open)"}, "Batch 421: no salt, thrown away")),
		},
		{
			Name: "behind-a-long-note", Graph: Demo, Pages: doughLog, Touches: []string{"Dough log"}, Profile: "graph",
			Prompt: `Add at the end of my dough log: "Batch 421: no salt, thrown away".`,
			After:  "get_node", Person: func(p *Person) { p.Writes("dough-0001", "Batch 1: the first one") },
			Check: reads("Dough log", batchesBut(map[int]string{1: "Batch 1: the first one"}, "Batch 421: no salt, thrown away")),
		},
		{
			Name: "tag-beside-a-person", Graph: Demo, Pages: fridayOrders, Touches: []string{"Friday orders"}, Profile: "graph",
			Prompt: "Tag the page Friday orders with harbour as well.",
			After:  "get_node", Person: func(p *Person) { p.Writes("orders-tg", "Tags:: #orders #weekly #urgent") },
			Check: all(has("Friday orders", "^Tags::.*#orders.*#weekly"), has("Friday orders", "^Tags::.*#urgent"), has("Friday orders", `^Tags::.*#(\[\[)?harbour`), has("Friday orders", "^"+ordersHall+"$")),
		},
		{
			Name: "line-that-a-person-changed", Graph: Demo, Pages: fridayOrders, Touches: []string{"Friday orders"}, Profile: "graph",
			Prompt: "On the page Friday orders, the hall takes 45 loaves and not 40. Correct that.",
			After:  "get_node", Person: func(p *Person) { p.Writes("orders-hl", "Hall: 40 loaves, 14 rye, and rolls for Owen") },
			Check: reads("Friday orders", ordersTags+"- Hall: 45 loaves, 14 rye, and rolls for Owen\n"+ordersBoats+ordersTasks+ordersVan),
		},
		{
			Name: "item-that-a-person-removed", Graph: Demo, Pages: fridayOrders, Touches: []string{"Friday orders"}, Profile: "graph",
			Prompt: "On the page Friday orders, mark all tasks that are there as done.",
			After:  "get_node", Person: func(p *Person) { p.Deletes("orders-cr") },
			Check: reads("Friday orders", ordersTags+"- "+ordersHall+"\n"+ordersBoats+"- {{[[DONE]]}} Order caraway\n"+ordersVan),
		},
		{
			Name: "line-with-news-below-it", Graph: Demo, Pages: fridayOrders, Touches: []string{"Friday orders"}, Profile: "graph",
			Prompt: "On the page Friday orders, take out the line about the old van. If somebody has answered below it, keep the answer in its place.",
			After:  "get_node", Person: func(p *Person) { p.Adds("orders-vn", "orders-ns", "It does, and Tove wants it") },
			Check: reads("Friday orders", ordersTags+"- "+ordersHall+"\n"+ordersBoats+ordersTasks+"- It does, and Tove wants it\n"),
		},
		{
			Name: "note-that-a-person-renamed", Graph: Demo, Pages: fridayOrders, Touches: []string{"Friday orders", "Orders for Fridays"}, Profile: "graph",
			Prompt: "On the page Friday orders, the hall takes 45 loaves and not 40. Correct that.",
			After:  "get_node", Person: func(p *Person) { p.Renames("orders-pg", "Orders for Fridays") },
			Check: all(isTitled("orders-pg", "Orders for Fridays", "Friday orders"),
				reads("Orders for Fridays", ordersTags+"- Hall: 45 loaves, 12 rye\n"+ordersBoats+ordersTasks+ordersVan)),
		},
		{
			Name: "note-that-was-never-read", Graph: Demo, Pages: fridayOrders, Touches: []string{"Friday orders"}, Profile: "graph",
			Prompt: `The content of the page Friday orders should begin with "Oven at 230 from four", all else stays behind it.`,
			Check:  reads("Friday orders", ordersTags+"- Oven at 230 from four\n- "+ordersHall+"\n"+ordersBoats+ordersTasks+ordersVan),
		},
		{
			Name: "block-that-a-person-changed", Graph: Demo, Pages: fridayOrders, Touches: []string{"Friday orders"},
			Prompt: "On the page Friday orders, the hall takes 45 loaves and not 40. Correct that.",
			After:  "get_page", Person: func(p *Person) { p.Writes("orders-hl", "Hall: 40 loaves, 14 rye, and rolls for Owen") },
			Check: all(isText("orders-hl", "Hall: 45 loaves, 14 rye, and rolls for Owen"),
				reads("Friday orders", ordersTags+"- Hall: 45 loaves, 14 rye, and rolls for Owen\n"+ordersBoats+ordersTasks+ordersVan)),
		},
		{
			Name: "changed-block-in-outline", Graph: Demo, Pages: fridayOrders, Touches: []string{"Friday orders"}, Profile: "outline",
			Prompt: "On the page Friday orders, the hall takes 45 loaves and not 40. Correct that.",
			After:  "get_page_content", Person: func(p *Person) { p.Writes("orders-hl", "Hall: 40 loaves, 14 rye, and rolls for Owen") },
			Check: all(isText("orders-hl", "Hall: 45 loaves, 14 rye, and rolls for Owen"),
				reads("Friday orders", ordersTags+"- Hall: 45 loaves, 14 rye, and rolls for Owen\n"+ordersBoats+ordersTasks+ordersVan)),
		},
		{
			Name: "cut-note-in-wiki", Graph: Demo, Pages: shipsLog, Touches: []string{"Ship's log"}, Profile: "wiki",
			Prompt: `Put "(off Sandry Head)" behind the first entry of the ship's log.`,
			After:  "get_note", Person: func(p *Person) { p.Adds("ships-log", "log-02001", "Home") },
			Check: func(e *End) error {
				before := outline.ReadTree(e.Start, outline.ByUID(e.Start, "ships-log"))
				before[0].String += " (off Sandry Head)"
				return reads("Ship's log", markdown.Bullets(before)+"\n- Home\n")(e)
			},
		},
		{
			Name: "changed-line-in-wiki", Graph: Demo, Pages: fridayOrders, Touches: []string{"Friday orders"}, Profile: "wiki",
			Prompt: "On the page Friday orders, the hall takes 45 loaves and not 40. Correct that.",
			After:  "get_note", Person: func(p *Person) { p.Writes("orders-hl", "Hall: 40 loaves, 14 rye, and rolls for Owen") },
			Check: reads("Friday orders", ordersTags+"- Hall: 45 loaves, 14 rye, and rolls for Owen\n"+ordersBoats+ordersTasks+ordersVan),
		},
		{
			Name: "changed-line-in-notes", Graph: Demo, Pages: fridayOrders, Touches: []string{"Friday orders"}, Profile: "notes",
			Prompt: "In the note Friday orders, the hall takes 45 loaves and not 40. Correct that.",
			After:  "get_note", Person: func(p *Person) { p.Writes("orders-hl", "Hall: 40 loaves, 14 rye, and rolls for Owen") },
			Check: reads("Friday orders", ordersTags+"- Hall: 45 loaves, 14 rye, and rolls for Owen\n"+ordersBoats+ordersTasks+ordersVan),
		},
		{
			Name: "end-of-a-long-note-in-notes", Graph: Demo, Pages: doughLog, Touches: []string{"Dough log"}, Profile: "notes",
			Prompt: `Put "(off Sandry Head)" behind the last entry of my dough log.`,
			Check:  reads("Dough log", batchesBut(map[int]string{420: lastBatch + " (off Sandry Head)"})),
		},
	}
}
