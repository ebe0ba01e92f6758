package evaluation

import "slices"

// Tasks returns every task. Names are unique.
func Tasks() []Task {
	return slices.Concat(comparedReads(), comparedWrites(), questions(), writes(), changes(), unseen(), undone(), twoGraphs(), connected())
}

// questions are about the demo graph and change nothing.
func questions() []Task {
	return []Task{
		{
			Name: "who-and-how", Graph: Demo, Prompt: "Who keeps the books of the bakery, and how does that person like to be reached?",
			Check: says("Ruth Calder", "telephone|phone|call"),
		},
		{
			Name: "two-prices", Graph: Demo, Prompt: "What does the new oven cost? If my notes disagree, tell me each price and on which page it stands.",
			Check: says("4[,.]?200", "4[,.]?600", "Oven Fund", "November 4"),
		},
		{
			Name: "two-counts", Graph: Demo, Prompt: "How many members have pledged for the oven so far? Tell me if my notes contradict each other.",
			Check: says(`\b31\b`, `\b29\b`),
		},
		{
			Name: "starter-rules", Graph: Demo, Prompt: "How long may the sourdough starter stay in the cold, according to each of my two pages about it?",
			Check: says("(ten|10) days", "week", "Sourdough starter", "Feeding Bosun"),
		},
		{
			Name: "club-dates", Graph: Demo, Prompt: "On which dates does the Winter Bread Club begin and end, and on which Fridays in between is there no bread?",
			Check: says("4 December|December 4|4 Dec|2026-12-04", "19 February|February 19|19 Feb|2027-02-19", "25 December|December 25|25 Dec|2026-12-25", "1 January|January 1|1 Jan|2027-01-01"),
		},
		{
			Name: "tasks-of-amara", Graph: Demo, Prompt: "Which open tasks does Amara have, anywhere in my notes?",
			Check: all(says("door", "labels"), saysNot("pallets", "three offers")),
		},
		{
			Name: "table-row", Graph: Demo, Prompt: "In the table of the Winter Bread Club: how many members take one of each, and what do they pay a month?",
			Check: all(says(`\b6\b|\bsix\b`, `\b28\b`), saysNot(`£16`, `£14`)),
		},
		{
			Name: "low-water", Graph: Demo, Prompt: "At what time is low water in the morning of the first day of the walk, 17 April 2027?",
			Check: all(says("0?6[:.]52"), saysNot("7[:.]41", "8[:.]26", "9[:.]09")),
		},
		{
			Name: "books-done", Graph: Demo, Prompt: "Which books have I finished?",
			Check: all(says(`\bWalking\b`, "Travels with a Donkey"), saysNot("Patient Loaf")),
		},
		{
			Name: "where-referred", Graph: Demo, Prompt: "On which pages do I refer to the block that says that the oven's left rear corner runs cold?",
			Check: all(says("Country loaf", "Winter Bread Club", "November 20"), saysNot("Ellery", "Seeded rye")),
		},
		{
			Name: "in-the-inbox", Graph: Demo, Prompt: "What have I tagged with #inbox that is still waiting to be filed?",
			Check: says("honey", "library", "tide table"),
		},
		{
			Name: "code-in-a-block", Graph: Demo, Prompt: "What percentage of water does my formula for the seeded rye have, going by the code on its page?",
			Check: all(says(`\b82\b`), saysNot(`\b30\b`)),
		},
		{
			Name: "one-day", Graph: Demo, Prompt: "What did Ruth want when she came by on 18 November?",
			Check: all(says("letter", "Christmas"), saysNot("Hall")),
		},
		{
			Name: "not-in-the-graph", Graph: Demo, Prompt: "What do my notes say about the sister bakery in Lisbon?",
			Check: all(says(`\b(no|not|nothing|none|never)\b|n't`), saysNot("Lisbon (is|was|has|opened)")),
		},
		{
			Name: "my-templates", Graph: Demo, Prompt: "Which templates do I have, and which sections does the one for meetings have?",
			Check: says("Weekly review", "Meeting notes", "With", "Said", "Decided", "Tasks"),
		},
		{
			Name: "house-rules", Graph: Demo, Prompt: "Before you begin: what have I asked agents to do before they delete something?",
			Check: says(`\bask`, "refer"),
		},
		{
			Name: "comments-read", Graph: Demo, Pages: commentedPage, Prompt: "Has anybody commented on the block about the nail varnish smell? What do they say?",
			Check: says("feed it at once", "Amara"),
		},
		{
			Name: "largest-page", Graph: Help, Prompt: "Which page of this graph has the most blocks, and how many?",
			Check: says("Change Log", `\b775\b`),
		},
		{
			Name: "count-links", Graph: Help, Prompt: "How many blocks link to the page Block References?",
			Check: func(e *End) error { return says(`\b` + linkCount(e, "Block References") + `\b`)(e) },
		},
	}
}
