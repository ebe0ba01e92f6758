package commontools

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// historyToolset is the name of the toolset of an agent's own changes.
const historyToolset = "history"

// HistoryToolset returns the toolset of HistoryTools, and whether it is on where none is
// named.
func HistoryToolset(on bool) surface.Toolset {
	return surface.Toolset{Name: historyToolset, About: "your own changes: list, see, undo", On: on}
}

// HistoryTools returns the tools for an agent's own changes.
func HistoryTools() []surface.Tool {
	lowLimit, highLimit := surface.Between(1, 100)
	return []surface.Tool{
		{
			Name: "my_changes", Task: problem.ListOwnChanges, Title: "My changes", Toolset: historyToolset, Effects: surface.Reads(), OnGraph: true,
			Description: say("Lists what you changed, newest first.").Then("The user sees and undoes what other agents changed with: %s", problem.Run("undo")),
			Params: []surface.Param{
				{Name: "change", Kind: surface.String, About: say("Number of one to show: text before and after")},
				{Name: surface.ArgPage, Kind: surface.String, Title: true, About: say("Title or uid")},
				{Name: "uid", Kind: surface.String, UID: true, Page: true, About: say("Block")},
				{Name: "since", Kind: surface.String, About: say("today, 2h, 7d or ISO")},
				{Name: "before", Kind: surface.String, About: say("next of a reply")},
				{Name: "limit", Kind: surface.Integer, Min: lowLimit, Max: highLimit, Clamp: true, Default: 20, About: say("Changes")},
			},
			Cuts: []surface.Cut{surface.CutList{Field: "changes", Rest: surface.Always(say("%s with before set to the last number here goes on.", problem.ListOwnChanges))}, cutChange()},
		},
		{
			Name: "get_change", Task: problem.ReadOwnChange, Title: "Get change", Toolset: historyToolset, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true, ListedAs: problem.ListOwnChanges,
			Description: say("Shows a change of yours as %s does.", problem.ListOwnChanges),
			Params:      []surface.Param{{Name: "change", Kind: surface.String, Required: true, NonEmpty: true, About: say("Number")}},
			Cuts:        []surface.Cut{cutChange()},
		},
		{
			Name: "undo_changes", Task: problem.UndoOwnChanges, Title: "Undo changes", Toolset: historyToolset, Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true, Unseen: true,
			Description: say("Undoes changes of yours; without arguments the newest. What others changed since stays: see left.").Then("Other agents' changes: the user, with %s", problem.Run("undo")),
			Params: []surface.Param{
				{Name: "changes", Kind: surface.Strings, About: say("Numbers")},
				{Name: "session", Kind: surface.String, Choices: []string{"this"}, About: say("All of it")},
				{Name: "dryRun", Kind: surface.Boolean, About: say("Only tell")},
			},
			Output: []surface.Param{},
			Cuts: []surface.Cut{
				surface.CutList{Field: "left", Rest: surface.Always(say("%s with change shows what is there of one.", problem.ReadOwnChange))},
				surface.CutList{Field: "undone", Rest: surface.Always(say("%s lists what is undone.", problem.ListOwnChanges))},
			},
		},
	}
}

// cutChange cuts a change that is shown.
func cutChange() surface.Cut {
	return surface.CutList{Field: "blocks", Rest: surface.Always(say("%s with change and a part of it, such as 412.2, shows less.", problem.ReadOwnChange))}
}
