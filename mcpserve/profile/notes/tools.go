package notes

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// colors are those that a note can have. The first is that of a note without one.
func colors() []string {
	return []string{"default", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "gray"}
}

// The types of a note.
const (
	typeText      = "text"
	typeChecklist = "checklist"
)

func say(format string, args ...any) problem.Hint { return problem.Say(format, args...) }

// noteTools are Memento's, in its order. The words of their parameters are
// Memento's too; what stands behind a full stop is added.
func noteTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "create_note", Task: problem.CreatePage, Title: "Create note", Toolset: "core", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Creates a note: with a title a page, without one a quick note in today's daily note. Content is Markdown; [[Title]] links to another note."),
			Params: []surface.Param{
				{Name: "title", Kind: surface.String, Title: true, About: say("Note title")},
				{Name: "content", Kind: surface.String, Markdown: true, Required: true, About: say("Note content")},
				{Name: "color", Kind: surface.String, Choices: colors(), Default: colors()[0], About: say("Note color")},
				{Name: "type", Kind: surface.String, Choices: []string{typeText, typeChecklist}, Default: typeText, About: say("Note type")},
				checkItemsParam("Checklist items (if type is 'checklist')"),
				labelsParam("Note labels/tags"),
				{Name: "isPinned", Kind: surface.Boolean, Default: false, About: say("Pin the note")},
				{Name: "isArchived", Kind: surface.Boolean, Default: false, About: say("Archive the note")},
				imagesParam(),
			},
			Output: []surface.Param{},
			Cuts:   cutNote(),
			Run:    createNote,
		},
		{
			Name: "get_notes", Task: problem.ListNotes, Title: "Get notes", Toolset: "core", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Lists notes: pinned ones first, then those changed last."),
			Params: append([]surface.Param{
				{Name: "includeArchived", Kind: surface.Boolean, Default: false, About: say("Include archived notes")},
				{Name: "search", Kind: surface.String, About: say("Search query to filter notes (case-insensitive)")},
			}, pageParams()...),
			Cuts: cutNotes(problem.ListNotes),
			Run:  getNotes,
		},
		{
			Name: "get_note", Task: problem.ReadPage, Title: "Get note", Toolset: "core", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Reads one note."),
			Params:      []surface.Param{idParam(), {Name: "offset", Kind: surface.Integer, Min: surface.AtLeast(0), About: say("How many characters of content to leave out from the start")}},
			Cuts:        cutNote(),
			Run:         getNote,
		},
		{
			Name: "update_note", Task: problem.UpdatePage, Title: "Update note", Toolset: "core", Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Changes a note. What is left out stays; a list replaces the one that is there. Before you send content, read it, and keep its ((references))."),
			Params: []surface.Param{
				idParam(),
				{Name: "title", Kind: surface.String, Title: true, About: say("Note title")},
				{Name: "content", Kind: surface.String, Markdown: true, About: say("Note content")},
				{Name: "color", Kind: surface.String, Choices: colors(), About: say("Note color")},
				checkItemsParam("Checklist items"),
				labelsParam("Note labels"),
				{Name: "isPinned", Kind: surface.Boolean, About: say("Pin status")},
				{Name: "isArchived", Kind: surface.Boolean, About: say("Archive status")},
				imagesParam(),
			},
			Output: []surface.Param{},
			Cuts:   cutNote(),
			Run:    updateNote,
		},
		{
			Name: "delete_note", Task: problem.DeletePage, Title: "Delete note", Toolset: "core", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Deletes a note for good; links to it become text. Ask the user first, or archive it: %s.", problem.ToggleArchive).Or("Deletes a note for good; links to it become text."),
			Params:      []surface.Param{idParam()},
			Output:      []surface.Param{},
			Run:         deleteNote,
		},
		{
			Name: "search_notes", Task: problem.Search, Title: "Search notes", Toolset: "core", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Finds notes whose title or content contains the query, or, for #label, those with that label; archived ones are left out."),
			Params:      append([]surface.Param{{Name: "query", Kind: surface.String, Required: true, About: say("Search query")}}, pageParams()...),
			Cuts:        cutNotes(problem.Search),
			Run:         searchNotes,
		},
		{
			Name: "get_labels", Task: problem.ListLabels, Title: "Get labels", Toolset: "core", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Lists the labels of all notes."),
			Cuts:        []surface.Cut{surface.CutArray{}},
			Run:         getLabels,
		},
		{
			Name: "toggle_pin", Task: problem.TogglePin, Title: "Toggle pin", Toolset: "core", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Pins a note, or unpins it if it is pinned."),
			Params:      []surface.Param{idParam()},
			Output:      []surface.Param{},
			Cuts:        cutNote(),
			Run:         togglePin,
		},
		{
			Name: "toggle_archive", Task: problem.ToggleArchive, Title: "Toggle archive", Toolset: "core", Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Archives a note, or takes it out of the archive."),
			Params:      []surface.Param{idParam()},
			Output:      []surface.Param{},
			Cuts:        cutNote(),
			Run:         toggleArchive,
		},
	}
}

// cutNote cuts the content of a note that is too long.
func cutNote() []surface.Cut {
	return []surface.Cut{surface.CutContent{Field: "content"}}
}

// cutNotes cuts a list of notes: first the content of each, then the list.
func cutNotes(does problem.Task) []surface.Cut {
	return []surface.Cut{surface.CutArray{Shrink: []string{"content"}, ShrinkTo: 500, Rest: surface.NextOffset(does)}}
}

func idParam() surface.Param {
	return surface.Param{Name: "id", Kind: surface.String, Required: true, NonEmpty: true, Named: true, About: say("Note ID")}
}

// checkItemsParam takes objects, and plain texts for items that are not checked.
func checkItemsParam(about string) surface.Param {
	return surface.Param{Name: "checkItems", Kind: surface.Values, Null: true, About: say("%s", about), Fields: []surface.Param{
		{Name: "id", Kind: surface.String},
		{Name: "text", Kind: surface.String, Required: true},
		{Name: "checked", Kind: surface.Boolean},
	}}
}

func labelsParam(about string) surface.Param {
	return surface.Param{Name: "labels", Kind: surface.Strings, Tags: true, Null: true, About: say("%s", about)}
}

func imagesParam() surface.Param {
	return surface.Param{Name: "images", Kind: surface.Strings, Null: true, About: say("Note images as base64 encoded strings")}
}

// pageParams choose a part of a long list.
func pageParams() []surface.Param {
	low, high := surface.Between(1, 10_000)
	return []surface.Param{
		{Name: "limit", Kind: surface.Integer, Min: low, Max: high, Clamp: true, About: say("How many at most")},
		{Name: "offset", Kind: surface.Integer, Min: surface.AtLeast(0), Default: 0, About: say("How many to leave out from the start")},
	}
}
