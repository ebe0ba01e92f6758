package roam

import (
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// prompts are the tasks that a person can pick in the client.
func prompts() []surface.Prompt {
	return []surface.Prompt{
		{
			Name: "capture", Title: "Capture a note", About: "Put a thought into today's daily note.",
			Args:  []surface.PromptArg{{Name: "text", About: "What to note down.", Required: true}},
			Needs: []problem.Task{problem.CreateBlocks, problem.Search},
			Text:  captureText,
		},
		{
			Name: "summarise_today", Title: "Summarise today", About: "What today's daily note holds, and what is still open.",
			Needs: []problem.Task{problem.ReadPage, problem.ReadBlock},
			Text:  summariseText,
		},
		{
			Name: "weekly_review", Title: "Weekly review", About: "Seven daily notes read together: done, open, recurring.",
			Args:  []surface.PromptArg{{Name: "until", About: "Last day, such as today or 11-21-2026. Default: today."}},
			Needs: []problem.Task{problem.ReadPage, problem.ReadBacklinks},
			Text:  reviewText,
		},
		{
			Name: "find_related", Title: "Find related notes", About: "What the graph holds on a topic, and how it hangs together.",
			Args:  []surface.PromptArg{{Name: "topic", About: "Words or a page's title.", Required: true}},
			Needs: []problem.Task{problem.Search, problem.ReadPage, problem.ReadBacklinks},
			Text:  relatedText,
		},
		{
			Name: "tidy_page", Title: "Tidy a page", About: "A page put in order, after you have agreed to the changes.",
			Args:  []surface.PromptArg{{Name: surface.ArgPage, About: "Title of the page.", Required: true}},
			Needs: []problem.Task{problem.ReadPage, problem.ReadBacklinks, problem.UpdateBlock},
			Text:  tidyText,
		},
	}
}

func captureText(told map[string]string) surface.Text {
	text := append(surface.Lines("Note this down in today's daily note:\n"), surface.Lines(told["text"])...)
	return append(text,
		problem.Hint{},
		problem.Say("1. %s for its main words: where the graph has a page for a person, project or topic in it, link it as [[Page]]. Make no new pages for the sake of links.", problem.Search),
		problem.Say("2. Add it with %s. Keep my words; one fact a block, details as children. Where it is something to do, begin with {{[[TODO]]}}.",
			problem.Say(`%s and dailyNotePage "today"`, problem.CreateBlocks)),
		problem.Say("3. Show me what you added, and change nothing else."),
	)
}

func summariseText(map[string]string) surface.Text {
	return surface.Text{
		problem.Say("Summarise today."),
		{},
		problem.Say("1. Read today's daily note with %s; the guidelines' reply has its title. Where a block is cut, read it with %s.", problem.ReadPage, problem.ReadBlock),
		problem.Say("2. Follow the references that the note rests on, no more than a few."),
		problem.Say("3. Tell me in short: what happened, what I decided, what is open ({{[[TODO]]}}), and what I may want to do next. Name pages as [[Page]]."),
		{},
		problem.Say("Write nothing to the graph unless I ask."),
	}
}

func reviewText(told map[string]string) surface.Text {
	until := "today"
	if day := strings.TrimSpace(told["until"]); day != "" {
		until = day
	}
	return surface.Text{
		problem.Say("Review my week: the seven days up to %s.", until),
		{},
		problem.Say("1. Read each daily note with %s; a daily note's uid is MM-DD-YYYY. A day without one is skipped.", problem.ReadPage),
		problem.Say("2. For the pages that come up on several days, see with %s what else was written about them that week%s.",
			problem.ReadBacklinks, problem.Say("; %s with {and: [[TODO]]} finds what is open elsewhere", problem.RunQuery)),
		problem.Say("3. Tell me: what got done, what is open and since when, what keeps coming back, what was decided. Quote sparingly, and name the day of each point."),
		problem.Say("4. Propose a few priorities for next week. Write nothing to the graph before I have agreed."),
	}
}

func relatedText(told map[string]string) surface.Text {
	return surface.Text{
		problem.Say("Find what my graph holds on this topic: %s", told["topic"]),
		{},
		problem.Say("1. %s for it, and for two or three other ways to say it%s.", problem.Search, problem.Say("; %s finds what uses other words", problem.SearchByMeaning)),
		problem.Say("2. Read the pages that matter with %s and a small maxDepth, and what links to them with %s.", problem.ReadPage, problem.ReadBacklinks),
		problem.Say("3. Tell me what is there, grouped by thread rather than by page: with [[Page]] for each, what connects them, what contradicts, and what seems to be missing."),
		{},
		problem.Say("Say what you searched for. Write nothing to the graph."),
	}
}

func tidyText(told map[string]string) surface.Text {
	return surface.Text{
		problem.Say("Tidy the page [[%s]].", note.BareTitle(told[surface.ArgPage])),
		{},
		problem.Say("1. Read it with %s, all of it, and see with %s what links to it. Blocks whose tag shows refs are referenced elsewhere: they keep their uid and their meaning.", problem.ReadPage, problem.ReadBacklinks),
		problem.Say("2. Propose the changes as a list: what to move, merge, reword, give a heading, link, or delete, with a reason each. Keep my voice; lose no fact."),
		problem.Say("3. Wait for me to agree. Then make the changes I agreed to, with %s%s%s. Move blocks rather than write them anew, and delete only what I named.",
			problem.UpdateBlock, problem.Say(", %s", problem.MoveBlock), problem.Say(", %s", problem.DeleteBlock)),
		problem.Say("4. Read the page again, and tell me what changed."),
	}
}
