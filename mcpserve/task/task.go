// Package task lists what tools do. A text that names a tool holds its task, and
// each profile has the tool for it under a name of its own, or has none.
package task

import "roam-mcp/problem"

// The tasks that the server itself does.
const (
	ListGraphs     problem.Task = "list graphs"
	SelectGraph    problem.Task = "select a graph"
	CurrentGraph   problem.Task = "tell the selected graph"
	ReadGuidelines problem.Task = "read guidelines"
	SetUpGraph     problem.Task = "set up a graph"
)

// The tasks that read.
const (
	ReadPage        problem.Task = "read a page"
	ReadBlock       problem.Task = "read a block"
	ReadBacklinks   problem.Task = "read backlinks"
	ReadComments    problem.Task = "read comments"
	Search          problem.Task = "search"
	FindTemplates   problem.Task = "find templates"
	RunQuery        problem.Task = "run a Roam query"
	RunDatalog      problem.Task = "run a Datalog query"
	SearchByMeaning problem.Task = "search by meaning"
	SuggestLinks    problem.Task = "suggest links"
	ReadFile        problem.Task = "read a file"
	SeeWindows      problem.Task = "see the open windows"
	SeeSelection    problem.Task = "see the selection"
)

// The tasks that read a graph as notes that link to each other.
const (
	ListNeighbors problem.Task = "list neighbors"
	FindPath      problem.Task = "find a path"
	RankNodes     problem.Task = "rank pages by their links"
	FindTagged    problem.Task = "find pages by tags"
	DrawPage      problem.Task = "draw a page"
	ListPages     problem.Task = "list pages"
	ResolveNames  problem.Task = "resolve names"
	CheckPages    problem.Task = "check which pages there are"
	FindOrphans   problem.Task = "find orphans"
	FindClusters  problem.Task = "find clusters"
)

// The tasks that change a graph, or Roam's windows.
const (
	CreatePage       problem.Task = "create a page"
	CreateBlocks     problem.Task = "create blocks"
	AppendToDay      problem.Task = "append to a daily note"
	AddComment       problem.Task = "add a comment"
	UpdateBlock      problem.Task = "update a block"
	UpdateBlocks     problem.Task = "update blocks"
	MoveBlock        problem.Task = "move a block"
	MoveBlocks       problem.Task = "move blocks"
	UpdatePage       problem.Task = "update a page"
	DeleteBlock      problem.Task = "delete a block"
	DeleteBlocks     problem.Task = "delete blocks"
	DeletePage       problem.Task = "delete a page"
	AddShortcut      problem.Task = "add a shortcut"
	RemoveShortcut   problem.Task = "remove a shortcut"
	UploadFile       problem.Task = "upload a file"
	DeleteFile       problem.Task = "delete a file"
	OpenInWindow     problem.Task = "open in the main window"
	OpenInSidebar    problem.Task = "open in the sidebar"
	ReloadExtensions problem.Task = "reload extensions"
	CallExtension    problem.Task = "call an extension"
)

// The tasks of notes that have labels, pins and an archive.
const (
	ListNotes     problem.Task = "list notes"
	ListLabels    problem.Task = "list labels"
	TogglePin     problem.Task = "pin a note, or unpin it"
	ToggleArchive problem.Task = "archive a note, or take it out of the archive"
)

// The tasks of an agent's own changes, which the server itself does.
const (
	ListOwnChanges problem.Task = "list your changes"
	ReadOwnChange  problem.Task = "see a change of yours"
	UndoOwnChanges problem.Task = "undo changes of yours"
)

// The tasks that say how things stand.
const (
	Ping             problem.Task = "ping"
	TellCapabilities problem.Task = "tell the capabilities"
)

// The tasks of a wiki whose notes have paths and versions.
const (
	Browse          problem.Task = "list the notes of a folder"
	ListRecent      problem.Task = "list what changed last"
	ReadHistory     problem.Task = "list the versions of a page"
	ReadVersion     problem.Task = "read a version of a page"
	CompareVersions problem.Task = "compare versions of a page"
	RestoreVersion  problem.Task = "restore a version of a page"
	EditPage        problem.Task = "edit parts of a page"
)
