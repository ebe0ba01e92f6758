package problem

// Task is what a tool does. A text that names a tool holds its task, and each profile
// has the tool for it under a name of its own, or has none.
type Task string

// The tasks that the server itself does.
const (
	ListGraphs     Task = "list graphs"
	SelectGraph    Task = "select a graph"
	CurrentGraph   Task = "tell the selected graph"
	ReadGuidelines Task = "read guidelines"
	SetUpGraph     Task = "set up a graph"
)

// The tasks that read.
const (
	ReadPage        Task = "read a page"
	ReadBlock       Task = "read a block"
	ReadBacklinks   Task = "read backlinks"
	ReadComments    Task = "read comments"
	Search          Task = "search"
	FindTemplates   Task = "find templates"
	RunQuery        Task = "run a Roam query"
	RunDatalog      Task = "run a Datalog query"
	SearchByMeaning Task = "search by meaning"
	SuggestLinks    Task = "suggest links"
	ReadFile        Task = "read a file"
	SeeWindows      Task = "see the open windows"
	SeeSelection    Task = "see the selection"
)

// The tasks that read a graph as notes that link to each other.
const (
	ListNeighbors Task = "list neighbors"
	FindPath      Task = "find a path"
	RankNodes     Task = "rank pages by their links"
	FindTagged    Task = "find pages by tags"
	DrawPage      Task = "draw a page"
	ListPages     Task = "list pages"
	ResolveNames  Task = "resolve names"
	CheckPages    Task = "check which pages there are"
	FindOrphans   Task = "find orphans"
	FindClusters  Task = "find clusters"
)

// The tasks that change a graph, or Roam's windows.
const (
	CreatePage       Task = "create a page"
	CreateBlocks     Task = "create blocks"
	AppendToDay      Task = "append to a daily note"
	AddComment       Task = "add a comment"
	UpdateBlock      Task = "update a block"
	UpdateBlocks     Task = "update blocks"
	MoveBlock        Task = "move a block"
	MoveBlocks       Task = "move blocks"
	UpdatePage       Task = "update a page"
	DeleteBlock      Task = "delete a block"
	DeleteBlocks     Task = "delete blocks"
	DeletePage       Task = "delete a page"
	AddShortcut      Task = "add a shortcut"
	RemoveShortcut   Task = "remove a shortcut"
	UploadFile       Task = "upload a file"
	DeleteFile       Task = "delete a file"
	OpenInWindow     Task = "open in the main window"
	OpenInSidebar    Task = "open in the sidebar"
	ReloadExtensions Task = "reload extensions"
	CallExtension    Task = "call an extension"
)

// The tasks of notes that have labels, pins and an archive.
const (
	ListNotes     Task = "list notes"
	ListLabels    Task = "list labels"
	TogglePin     Task = "pin a note, or unpin it"
	ToggleArchive Task = "archive a note, or take it out of the archive"
)

// The tasks of an agent's own changes, which the server itself does.
const (
	ListOwnChanges Task = "list your changes"
	ReadOwnChange  Task = "see a change of yours"
	UndoOwnChanges Task = "undo changes of yours"
)

// The tasks that say how things stand.
const (
	Ping             Task = "ping"
	TellCapabilities Task = "tell the capabilities"
)

// The tasks of a wiki whose notes have paths and versions.
const (
	Browse          Task = "list the notes of a folder"
	ListRecent      Task = "list what changed last"
	ReadHistory     Task = "list the versions of a page"
	ReadVersion     Task = "read a version of a page"
	CompareVersions Task = "compare versions of a page"
	RestoreVersion  Task = "restore a version of a page"
	EditPage        Task = "edit parts of a page"
)
