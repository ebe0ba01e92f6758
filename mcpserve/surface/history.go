package surface

import (
	"roam-mcp/internal/problem"
)

// historyToolset is the name of the toolset of an agent's own changes.
const historyToolset = "history"

// HistoryToolset returns the toolset of HistoryTools, and whether it is on where none is
// named.
func HistoryToolset(on bool) Toolset {
	return Toolset{Name: historyToolset, About: "your own changes: list, see, undo", On: on}
}

// HistoryTools returns the tools for an agent's own changes.
func HistoryTools() []Tool {
	lowLimit, highLimit := Between(1, 100)
	return []Tool{
		{
			Name: "my_changes", Task: problem.ListOwnChanges, Title: "My changes", Toolset: historyToolset, Effects: Reads(), OnGraph: true,
			Description: say("Lists what you changed, newest first.").Then("The user sees and undoes what other agents changed with: %s", problem.Run("undo")),
			Params: []Param{
				{Name: "change", Kind: String, About: say("Number of one to show: text before and after")},
				{Name: ArgPage, Kind: String, Title: true, About: say("Title or uid")},
				{Name: "uid", Kind: String, UID: true, Page: true, About: say("Block")},
				{Name: "since", Kind: String, About: say("today, 2h, 7d or ISO")},
				{Name: "before", Kind: String, About: say("next of a reply")},
				{Name: "limit", Kind: Integer, Min: lowLimit, Max: highLimit, Clamp: true, Default: 20, About: say("Changes")},
			},
			Cuts: []Cut{CutList{Field: "changes", Rest: Always(say("%s with before set to the last number here goes on.", problem.ListOwnChanges))}, cutChange()},
		},
		{
			Name: "get_change", Task: problem.ReadOwnChange, Title: "Get change", Toolset: historyToolset, Effects: Reads(), Scope: ScopeRead, OnGraph: true, ListedAs: problem.ListOwnChanges,
			Description: say("Shows a change of yours as %s does.", problem.ListOwnChanges),
			Params:      []Param{{Name: "change", Kind: String, Required: true, NonEmpty: true, About: say("Number")}},
			Cuts:        []Cut{cutChange()},
		},
		{
			Name: "undo_changes", Task: problem.UndoOwnChanges, Title: "Undo changes", Toolset: historyToolset, Effects: Edits(), Scope: ScopeEdit, OnGraph: true, Unseen: true,
			Description: say("Undoes changes of yours; without arguments the newest. What others changed since stays: see left.").Then("Other agents' changes: the user, with %s", problem.Run("undo")),
			Params: []Param{
				{Name: "changes", Kind: Strings, About: say("Numbers")},
				{Name: "session", Kind: String, Choices: []string{"this"}, About: say("All of it")},
				{Name: "dryRun", Kind: Boolean, About: say("Only tell")},
			},
			Output: []Param{},
			Cuts: []Cut{
				CutList{Field: "left", Rest: Always(say("%s with change shows what is there of one.", problem.ReadOwnChange))},
				CutList{Field: "undone", Rest: Always(say("%s lists what is undone.", problem.ListOwnChanges))},
			},
		},
	}
}

// cutChange cuts a change that is shown.
func cutChange() Cut {
	return CutList{Field: "blocks", Rest: Always(say("%s with change and a part of it, such as 412.2, shows less.", problem.ReadOwnChange))}
}
