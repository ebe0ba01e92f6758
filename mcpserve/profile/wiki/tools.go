package wiki

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// The bounds of lists, as Wiki-AI has them where it says some.
const (
	defaultHits, maxHits         = 10, 50
	defaultRecent, maxRecent     = 10, 100
	defaultVersions, maxVersions = 50, 100
	maxEntries                   = 200 // of browse and list_tags and get_backlinks at once, where limit is not given
)

// noteTools are the tools that make, read, change and delete notes. The words of their
// parameters are Wiki-AI's; what stands behind a full stop is added.
func noteTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "create_note", Task: problem.CreatePage, Title: "Create note", Toolset: toolsetCore, Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Create a new note at the specified path. [[path]] in its content links to another note, [[path|text]] with another text."),
			Params: []surface.Param{
				{Name: "path", Kind: surface.String, Required: true, NonEmpty: true, Title: true, About: say("Path for the note (e.g., 'projects/wiki-ai/ideas')")},
				{Name: "title", Kind: surface.String, Required: true, About: say("Human-readable title")},
				{Name: "content", Kind: surface.String, Markdown: true, Required: true, About: say("Markdown content")},
				{Name: "tags", Kind: surface.Strings, Tags: true, About: say("Tags for categorization")},
			},
			Run: createNote,
		},
		{
			Name: "get_note", Task: problem.ReadPage, Title: "Get note", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Retrieve a note by its path."),
			Params:      []surface.Param{pathParam("Path of the note"), lineParam()},
			Run:         getNote,
		},
		{
			Name: "update_note", Task: problem.UpdatePage, Title: "Update note", Toolset: toolsetCore, Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Update an existing note; only provided fields are updated. new_path moves it, and links follow. Before you send content, read the note, and keep its ((references))."),
			Params: []surface.Param{
				pathParam("Current path of the note"),
				{Name: "new_path", Kind: surface.String, NonEmpty: true, Title: true, About: say("New path (to move the note)")},
				{Name: "title", Kind: surface.String, About: say("New title")},
				{Name: "content", Kind: surface.String, Markdown: true, About: say("New content (replaces existing)")},
				{Name: "tags", Kind: surface.Strings, Tags: true, About: say("Replace all tags (mutually exclusive with add_tags/remove_tags)")},
				{Name: "add_tags", Kind: surface.Strings, Tags: true, About: say("Tags to add atomically")},
				{Name: "remove_tags", Kind: surface.Strings, Tags: true, About: say("Tags to remove atomically")},
				{Name: "update_backlinks", Kind: surface.Boolean, About: say("When moving, update wiki links in other notes (default: false)")},
			},
			Run: updateNote,
		},
		{
			Name: "delete_note", Task: problem.DeletePage, Title: "Delete note", Toolset: toolsetCore, Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Delete a note by path; links to it stay, and are broken. Ask the user first."),
			Params:      []surface.Param{pathParam("Path of the note to delete")},
			Run:         deleteNote,
		},
	}
}

// findTools are the tools that find notes.
func findTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "search_notes", Task: problem.Search, Title: "Search notes", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Full-text search across all notes with pagination. Words, \"phrases\", title: tag: folder: filters, AND OR, -exclusions, (groups), word* for a start."),
			Params: []surface.Param{
				{Name: "query", Kind: surface.String, Required: true, About: say("Search query with optional field filters")},
				limitParam("Max results (default 10)", maxHits),
				{Name: "cursor", Kind: surface.String, About: say("Pagination cursor from previous search")},
			},
			Run: searchNotes,
		},
		{
			Name: "browse", Task: problem.Browse, Title: "Browse", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("List notes and subfolders at a given path."),
			Params:      append([]surface.Param{{Name: "path", Kind: surface.String, About: say("Folder path to browse (omit or empty for root)")}}, partParams()...),
			Run:         browse,
		},
		{
			Name: "list_tags", Task: problem.ListLabels, Title: "List tags", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Get all tags currently in use across all notes."),
			Params:      partParams(),
			Run:         listTags,
		},
		{
			Name: "get_backlinks", Task: problem.ReadBacklinks, Title: "Get backlinks", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Get all notes that link to a given note path, with the lines of the links. A path without a note shows broken links."),
			Params:      append([]surface.Param{pathParam("Path of the note to find backlinks for")}, partParams()...),
			Run:         getBacklinks,
		},
		{
			Name: "recent_notes", Task: problem.ListRecent, Title: "Recent notes", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Get recently created or updated notes. since also takes 2h, 7d, or a day such as today."),
			Params: []surface.Param{
				limitParam("Max notes to return (default 10)", maxRecent),
				{Name: "since", Kind: surface.String, About: say("Only notes updated after this ISO8601 timestamp")},
				offsetParam(),
			},
			Run: recentNotes,
		},
	}
}

// versionTools are the tools of the versions of a note.
func versionTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "get_note_history", Task: problem.ReadHistory, Title: "Get note history", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Get the version history for a note: what was written here, and what was seen to change in Roam."),
			Params:      []surface.Param{pathParam("Path of the note"), limitParam("Max versions to return (default 50)", maxVersions), offsetParam()},
			Run:         getNoteHistory,
		},
		{
			Name: "get_note_version", Task: problem.ReadVersion, Title: "Get note version", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Read a specific historical version of a note."),
			Params:      []surface.Param{pathParam("Path of the note"), versionParam("version", "Commit SHA (short or full)"), lineParam()},
			Run:         getNoteVersion,
		},
		{
			Name: "diff_note_versions", Task: problem.CompareVersions, Title: "Diff note versions", Toolset: toolsetCore, Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Show the differences between two versions of a note. current is the note as it is."),
			Params: []surface.Param{
				pathParam("Path of the note"), versionParam("from_version", "Starting version (commit SHA)"), versionParam("to_version", "Ending version (commit SHA)"), lineParam(),
			},
			Run: diffNoteVersions,
		},
		{
			Name: "restore_note_version", Task: problem.RestoreVersion, Title: "Restore note version", Toolset: toolsetCore, Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Restore a note to a previous version, as a new version. Blocks come back as they were; a deleted note comes back too."),
			Params:      []surface.Param{pathParam("Path of the note"), versionParam("version", "Version SHA to restore")},
			Run:         restoreNoteVersion,
		},
	}
}

// moreTools are what Wiki-AI's document has as a future extension.
func moreTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "edit_note", Task: problem.EditPage, Title: "Edit note", Toolset: toolsetMore, Effects: surface.Deletes(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Edit a part of a note: append or prepend content, or find a text and replace it."),
			Params: []surface.Param{
				pathParam("Path of the note"),
				{Name: "append", Kind: surface.String, Markdown: true, About: say("Markdown to add at the end")},
				{Name: "prepend", Kind: surface.String, Markdown: true, About: say("Markdown to add at the start")},
				{Name: "find", Kind: surface.String, Sought: true, About: say("Text to find, exactly as it stands; it must be there once")},
				{Name: "replace", Kind: surface.String, About: say("What to put in its place")},
				{Name: "all", Kind: surface.Boolean, About: say("Replace each occurrence (default: false)")},
			},
			Run: editNote,
		},
	}
}

func pathParam(about string) surface.Param {
	return surface.Param{Name: "path", Kind: surface.String, Required: true, NonEmpty: true, Named: true, About: say("%s", about)}
}

func versionParam(name, about string) surface.Param {
	return surface.Param{Name: name, Kind: surface.String, Required: true, NonEmpty: true, About: say("%s", about)}
}

func limitParam(about string, most int) surface.Param {
	low, high := surface.Between(1, most)
	return surface.Param{Name: "limit", Kind: surface.Integer, Min: low, Max: high, Clamp: true, Loose: true, About: say("%s", about)}
}

// lineParam goes on with a text that was too long for one reply.
func lineParam() surface.Param {
	return surface.Param{Name: "line", Kind: surface.Integer, Min: surface.AtLeast(1), About: say("First line to show, of a long text (default 1)")}
}

// partParams choose a part of a long list.
func partParams() []surface.Param {
	low, high := surface.Between(1, 10_000)
	return []surface.Param{
		{Name: "limit", Kind: surface.Integer, Min: low, Max: high, Clamp: true, About: say("How many at most (default 200)")},
		offsetParam(),
	}
}

func offsetParam() surface.Param {
	return surface.Param{Name: "offset", Kind: surface.Integer, Min: surface.AtLeast(0), About: say("How many to leave out from the start")}
}
