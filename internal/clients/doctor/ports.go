package doctor

import (
	"context"
	"slices"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
)

// Ports are what the checks look at.
type Ports struct {
	Home     string // folder that "~" stands for
	Sandbox  bool   // the Roam is the embedded one
	PortFile localapi.PortFile
	Graphs   *manage.Manager
	// Call makes a harmless real call on a graph.
	Call func(context.Context, configstore.Entry) error
	// CallClosed has graphs called that are not open in Roam, which opens a window for each.
	CallClosed bool
	// OpenRoam starts Roam Desktop. Nil: this machine can't.
	OpenRoam func(context.Context) error
	// RescueFolder is where granted tokens are that could not be saved; empty: nowhere.
	RescueFolder string
	// ImportRescued takes the token of such a file over, and removes the file.
	ImportRescued func(ctx context.Context, file string) error
	// Journal is that of this world. Nil: there is none.
	Journal       Journal
	JournalFolder string
	// Private are the folders and files of this program that only their owner may read.
	Private []Private
	Program Program
	// Profiles are the names of those that can be served.
	Profiles []string
	// Clients are those of this machine. Nil: nobody looks at them.
	Clients Clients
	// Servers returns the servers of this user that run. Nil: they are not known.
	Servers func(context.Context) ([]Server, error)
	// Now is nil for time.Now.
	Now func() time.Time
}

// Journal is the part of a history.Journal that is looked at.
type Journal interface {
	Size(context.Context) (history.Size, error)
	Notices(context.Context) ([]history.Notice, error)
	DismissNotices(context.Context) error
	Calls(context.Context, history.Filter) (history.Page, error)
	Tidy(context.Context) error
}

var _ Journal = (*history.Journal)(nil)

// Private is a folder or file that only its owner may read. One that does not exist
// is made when it is needed.
type Private struct {
	Name   string // in a few words: "Folder of the journal"
	Path   string // absolute
	Why    string // what does not work without it, a sentence
	Folder bool   // it is a folder, which has to be writable
	Shared bool   // others may look into it: it holds nothing that is the owner's alone
}

// Program is this program as clients are to start it.
type Program struct {
	Path    string // absolute
	Version string
}

// Facts are what earlier checks of a run have learnt.
type Facts struct {
	Config    configstore.Config
	ConfigErr error
	Roam      manage.RoamStatus
	Took      time.Duration    // Roam's answer took
	Clients   []clients.Status // those that are here

	usable   map[localapi.Graph]bool // its token was not refused
	refusing map[localapi.Graph]bool // Roam has another version of the API than is expected for it
	asked    []string                // nicknames that clients ask for
}

// names returns the names and nicknames of graphs that findings may tell of.
func (f *Facts) names() (names [][]string) {
	for _, entry := range slices.Concat(f.Config.Entries, f.Config.WithoutToken) {
		names = append(names, []string{entry.Name, entry.Nickname})
	}
	for _, each := range f.Config.Problems {
		names = append(names, []string{each.Graph, each.Nickname})
	}
	for _, nickname := range f.asked {
		names = append(names, []string{nickname})
	}
	return names
}

func (p Ports) now() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}

// Checks returns all checks, from the ground up. In the sandbox's world the first one says
// that it is that world.
func Checks(p Ports) []Check {
	checks := []Check{
		{ID: idPortFile, Name: "Port file", Run: p.portFile},
		{ID: idListener, Name: "Roam", Run: p.listener},
		{ID: idLocalAPI, Name: "Local API", After: []string{idListener}, Run: p.localAPI},
		{ID: idGraphs, Name: "Graphs in Roam", After: []string{idLocalAPI}, Run: p.graphs},
		{ID: idConfig, Name: "Configuration", Run: p.config},
		{ID: idMode, Name: "Mode of the file", Run: p.mode},
		{ID: idEntries, Name: "Entries", After: []string{idConfig}, Well: "every entry can be used", Run: p.entries},
		{ID: idDuplicates, Name: "Duplicates", After: []string{idConfig}, Well: "none", Run: p.problems(map[problem.Code]Level{
			configstore.CodeGraphConfigured: Warning, configstore.CodeNicknameTaken: Failed,
		})},
		{ID: idSameName, Name: "Same names", After: []string{idConfig}, Well: "no two share one", Run: p.problems(map[problem.Code]Level{configstore.CodeGraphShadowed: Warning})},
		{ID: idRescued, Name: "Rescued tokens", Well: "none waits to be taken over", Run: p.rescued},
		{ID: idToken, Name: "Tokens", After: []string{idConfig, idLocalAPI}, Run: p.tokens},
		{ID: idVersion, Name: "API version", After: []string{idLocalAPI}, Run: p.version},
		{ID: idCall, Name: "Calls", After: []string{idConfig, idLocalAPI}, Run: p.calls},
		{ID: idClients, Name: "Clients", Run: p.clients},
		{ID: idEntry, Name: "Clients' entries", Run: p.clientEntries},
		{ID: idPrograms, Name: "Programs", Run: p.programs},
		{ID: idServers, Name: "Servers", Run: p.servers},
		{ID: idJournal, Name: "History", Run: p.journal},
		{ID: idClock, Name: "Clock", Run: p.clock},
		{ID: idFolders, Name: "Folders", Well: "all can be written, and are yours alone to read", Run: p.folders},
	}
	if p.Sandbox {
		checks = append([]Check{{ID: idSandbox, Name: "Sandbox", Run: p.sandbox}}, checks...)
	}
	return checks
}
