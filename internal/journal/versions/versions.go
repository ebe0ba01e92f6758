// Package versions says what a version of a note is, and keeps those of a graph in the
// journal: what a page was when a tool wrote it, and when a live read found it changed
// (JOURNAL.md, "Versions of notes").
//
// It promises that a version read back is the visible tree that was seen, that no hidden
// block is in one, and that a version which can't be recorded is in no answer's way. It
// knows neither tools nor how Roam is asked.
package versions

import (
	"time"

	"roam-mcp/internal/problem"
)

// The codes of this package's errors (TOOLS.md, "Errors of our own").
const (
	CodeVersionNotFound  problem.Code = "VERSION_NOT_FOUND" // the note has no such version
	CodeVersionAmbiguous problem.Code = "VERSION_AMBIGUOUS" // several versions of the note begin so
)

// Kind is how a version came to be.
type Kind string

// The kinds of versions.
const (
	Create  Kind = "create"
	Update  Kind = "update"
	Move    Kind = "move" // the page got another title
	Delete  Kind = "delete"
	Restore Kind = "restore" // the note became what an earlier version is
	Outside Kind = "outside" // it was found changed, and no write of the journal explains it
	First   Kind = "first"   // it was seen for the first time
)

// Version is what a note was at a time, without its tree.
type Version struct {
	ID      string    // 40 hexadecimal digits in lower case
	Page    string    // uid
	At      time.Time // of the write, or of Roam's last edit where somebody else made it
	Kind    Kind
	Author  string // display name of who edited last, as Roam has it; empty: unknown
	Agent   string // who wrote it through roam-mcp; empty: nobody did, or nobody knows
	Title   string // of the page then, as Roam has it
	From    string // of Move the title before, of Restore the ID of the earlier version
	Created time.Time
	Updated time.Time // of the note, as Roam has it; zero: unknown
}

// shortID is how many digits of an ID are shown.
const shortID = 7

// Short returns the digits of the ID that people see.
func (v Version) Short() string { return v.ID[:min(shortID, len(v.ID))] }

// Message returns what was done, in a line: "Update note: projects/apollo". The function
// returns the path of a title.
func (v Version) Message(path func(title string) string) string {
	switch v.Kind {
	case Create:
		return "Create note: " + path(v.Title)
	case Move:
		return "Move note: " + path(v.From) + " → " + path(v.Title)
	case Delete:
		return "Delete note: " + path(v.Title)
	case Restore:
		return "Restore note: " + path(v.Title) + " to version " + Version{ID: v.From}.Short()
	case Outside:
		return "Changed in Roam: " + path(v.Title)
	case First:
		return "First seen: " + path(v.Title)
	case Update:
	}
	return "Update note: " + path(v.Title)
}
