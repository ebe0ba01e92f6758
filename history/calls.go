package history

import (
	"context"
	"time"
)

// Call is a recorded tool call.
type Call struct {
	ID              int64
	Graph           Graph
	Session, Server int64
	Agent, Client   string
	Tool            string
	At              time.Time
	Took            time.Duration
	State           CallState
	Code, Evidence  string
	Summary         string
	Args            []byte // JSON; nil: not kept
	Changes, Blocks int
	Abandoned       bool // it is open, and its server does not live
	TextsGone       bool // texts were purged, or never kept
}

// Filter chooses calls. Zero fields choose all.
type Filter struct {
	Graphs        []Graph
	Agent         string
	Session       int64
	Tool          string
	PageUID, Page string // uid or title of a page that was touched
	Block         string // uid
	Since, Until  time.Time
	After, Before int64 // numbers of calls, exclusive
	Limit         int   // 0: 50
	OldestFirst   bool
}

// Page is a part of the calls that a filter chooses.
type Page struct {
	Calls []Call
	More  bool
}

// Calls returns the calls that a filter chooses, newest first.
func (j *Journal) Calls(ctx context.Context, filter Filter) (Page, error) { return Page{}, nil }

// Record is a call with all that is kept of it.
type Record struct {
	Call    Call
	Changes []ChangeRecord
	Pages   map[string]string // titles of touched pages by uid, as far as they are kept
}

// ChangeRecord is a change with all that is kept of it.
type ChangeRecord struct {
	Change
	Action                 string
	Class                  Class
	State                  State
	Sent, Done             time.Time
	Code, Evidence         string
	Before, After, Request []byte // JSON; nil: not kept
	BeforeBy, AfterBy      By
	Lacks                  []string
	Touches                []Touch
}

// Record returns a call by its number, and whether there is one.
func (j *Journal) Record(ctx context.Context, call int64) (Record, bool, error) {
	return Record{}, false, nil
}

// Session is a connection of a client, or calls of a stateless one that follow each
// other.
type Session struct {
	ID, Server             int64
	Agent, Client, Version string
	Opened, Last           time.Time
	Calls                  int
	Alive                  bool // its server lives
}

// Sessions returns the sessions that a filter chooses, newest first.
func (j *Journal) Sessions(ctx context.Context, filter Filter) ([]Session, error) { return nil, nil }
