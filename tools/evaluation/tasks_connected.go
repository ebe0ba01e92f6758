package evaluation

// connected are tasks about ways between pages, changes and who made them, blocks that go together,
// what an edit has left, plain text, and questions in a person's words.
func connected() []Task {
	return []Task{
		{
			Name: "path-over-one", Graph: Demo, Prompt: "How is the page Tove Lindqvist connected with the page Travels with a Donkey in the Cévennes? Name the pages between, and what is written where they are linked.",
			Check: says("Ellery Coast Path", "64 km|four days", "embed|donk-goes"),
		},
		{
			Name: "path-by-links-out", Graph: Demo, Prompt: "Following links only in the direction in which I wrote them: how many links are there from the page Books to the page Sourdough starter, over which page, and what is written where the last link is?",
			Check: says(`\b(2|two)\b`, "The Patient Loaf", "eight hours"),
		},
		{
			Name: "changed-by-whom", Graph: Demo, Touches: []string{"Oven Fund", Today},
			Prompt: `Read the page Oven Fund. Then see what has been changed on it since noon, and by whom, and write that into today's note as "NAME: " and the new text.`,
			After:  "get_page", Person: func(p *Person) { p.Writes("oven-chim", "A deck oven; the chimney would need a permit.") },
			Check: all(isText("oven-chim", "A deck oven; the chimney would need a permit."), hasSomewhere(Today, `Sandbox[^:]*: A deck oven; the chimney`)),
		},
		{
			Name: "new-today-by-whom", Graph: Demo, Touches: []string{"Books", Today},
			Prompt: `Read the page Books. Then look through all of my graph for blocks that were created today, and note in today's note each with its page and the person who made it.`,
			After:  "get_page", Person: func(p *Person) { p.Adds("book-want", "book-sea", "The Sea Around Us") },
			Check: all(isText("book-sea", "The Sea Around Us"), hasSomewhere(Today, `Sandbox`), hasSomewhere(Today, "Books"), hasSomewhere(Today, "The Sea Around Us")),
		},
		{
			Name: "move-two-in-order", Graph: Demo, Touches: []string{"Oven Fund", "Winter Bread Club"},
			Prompt: "Move the two tasks about the electrician and the boathouse door from the page Oven Fund to the top of the page Winter Bread Club, the door first.",
			Check: all(ordered("Winter Bread Club", nil, "Measure the boathouse door", "Book the electrician", "^Ten Fridays"),
				isUnder("oven-door", "club-page"), isUnder("oven-elec", "club-page"), isUnder("oven-loaf", "oven-task")),
		},
		{
			Name: "turn-around", Graph: Demo, Touches: []string{"Country loaf"},
			Prompt: "On the page Country loaf, turn the ingredients under the dough around: salt first, flour last.",
			Check:  ordered("Country loaf", []string{"^Dough"}, "^100 g salt$", "Sourdough starter", "^3,500 g water", "^4,500 g strong"),
		},
		{
			Name: "before-and-after", Graph: Demo, Touches: []string{"Oven Fund"},
			Prompt: "On the page Oven Fund, 33 members have pledged, not 31. Correct it, and tell me how the line read before and how it reads now.",
			Check: all(isText("oven-pled", "Pledged: £2,950 by 33 members, as of [[November 18th, 2026]]."),
				inOrder("£2,950 by 31 members", "£2,950 by 33 members")),
		},
		{
			Name: "how-many-replaced", Graph: Demo, Pages: packingList, Touches: []string{"Winter stock"},
			Prompt: `On the page "Winter stock" it should say "flour" wherever it says "flower". Correct that, and tell me in how many places, and each line before and after.`,
			Check: all(hasNot("Winter stock", "flower"), isText("stock-5", "Keep flour off the floor"), isText("stock-1", "Ten sacks of wheat flour in the loft"),
				says(`\b(4|four)\b`), inOrder("Rye flower", "Rye flour"), inOrder("Spelt flower", "Spelt flour")),
		},
		{
			Name: "plain-page", Graph: Demo, Prompt: "Give me the page Country loaf as plain text that I can paste into a mail: bullets, and words in place of links and references.",
			Check: all(says(`1,000 g ripe Sourdough starter`, "Dough for ten loaves", "Cold is not the absence of work"), saysNot(`\[\[`, `\(\(`, "uid")),
		},
		{
			Name: "plain-tasks", Graph: Demo, Prompt: "Give me the tasks of the page Oven Fund as plain text for a mail, with boxes that are ticked or not.",
			Check: all(says(`\[x\] Get three offers, Amara Obi`, `\[ \] Book the electrician for the supply, Ruth Calder`), saysNot(`\[\[`, `\{\{`, "uid")),
		},
		{
			Name: "asked-in-my-words", Graph: Demo, Prompt: "How long can I leave the starter in the fridge before it has to be fed? Tell me the page as well.",
			Check: all(says("(ten|10) days", "Sourdough starter"), saysNot("Country loaf")),
		},
		{
			Name: "title-in-lower-case", Graph: Demo, Prompt: "What stands on my page sourdough STARTER about its name and age?",
			Check: says("Bosun", "nine"),
		},
	}
}
