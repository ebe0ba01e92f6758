package doctor

import (
	"context"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/history"
	"roam-mcp/localapi"
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
	// OpenRoam starts Roam Desktop. Nil: this machine can't.
	OpenRoam func(context.Context) error
	// Journal is that of this world. Nil: there is none.
	Journal       Journal
	JournalFolder string
	// Private are folders and files of this program that only their owner may read.
	Private []Private
	Program Program
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
	Folder bool   // whether it is a folder, which has to be writable
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
	Took      time.Duration         // Roam's answer took
	Tokens    map[string]tokenState // by nickname
}

// tokenState is what Roam said of a graph's token.
type tokenState struct{ active bool }

func (p Ports) now() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}

// Checks returns all checks, from the ground up.
func Checks(ports Ports) []Check { return nil }
