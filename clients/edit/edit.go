// Package edit puts the entry of one MCP server into the configuration file of a
// client, takes it out, and reads what stands there. It works on bytes: it knows no
// file, no client and no command line.
//
// An edit inserts, replaces or deletes ranges of the text. Comments, order,
// indentation, line ends, a byte order mark, trailing commas and a missing last line
// end stay as they are. Each edit is checked before it is returned: the new text is
// parsed, and everything but the entry must be what it was. A document that can't be
// edited in this way is refused with ErrUnreadable.
package edit

import (
	"errors"

	"roam-mcp/problem"
)

// MaxSize is the largest document that is read, in bytes.
const MaxSize = 4 << 20

// CodeUnreadable is the code of errors about a document that is left alone.
const CodeUnreadable problem.Code = "CLIENT_FILE_UNREADABLE"

// ErrUnreadable is in the tree of all errors of this package but those about a Place or
// an Entry that no document could hold. They are of type *problem.Error, and their Place
// has line and column where those are known, and no path.
var ErrUnreadable = errors.New("the document can't be edited")

// Format is the syntax of a document.
type Format uint8

// The formats. Documents of JSON and JSONC are read and edited in the same way: comments and
// trailing commas are kept where they stand, and none is added to a document that has
// none.
const (
	JSON  Format = iota + 1 // the client refuses comments and trailing commas
	JSONC                   // JSON with comments and trailing commas
	TOML
	YAML
)

// Place is where the servers stand in a document, and which of them is meant.
type Place struct {
	Format Format
	// Path holds the keys from the root to the value that holds the servers. Where it
	// is empty, the root holds them.
	Path []string
	// List says that the servers stand in a list, each with a "name", instead of an
	// object, each under its name.
	List bool
	Name string // of the server
	// New is the text of a document that is to be made, without the entry; "" for the
	// shortest.
	New string
}

// Entry is what is known of a server, in the order in which it is written. In a list
// the "name" of the Place is put before it.
type Entry []Field

// Field is a key of an Entry. Its value is a string, bool, int, []string or Entry. A
// list or Entry without elements is written only where the key is missing: it never
// replaces what a person has put there.
type Field struct {
	Key   string
	Value any
}

// Found is a server in a document.
type Found struct {
	Name string
	// Values are string, bool, int64, float64, []any or map[string]any; anything else
	// that a format has is its text. Nil where the server is no object.
	Values map[string]any
	Twice  []string // keys that it has more than once, of which clients may read any; only JSON has them
}

// Put returns the document with the entry in it. A nil or blank document stands for one
// to be made. Where the place has a server of that name, its keys that the entry has are
// set, in place, and its others stay; a server that has them all is not changed, so that
// the document comes back as it is.
func Put(document []byte, at Place, entry Entry) ([]byte, error) {
	if err := checkEntry(at, entry); err != nil {
		return nil, err
	}
	d, err := open(document, at)
	if err != nil {
		return nil, err
	}
	edits, err := d.put(entry)
	if err != nil {
		return nil, err
	}
	after, err := d.apply(edits, func(before value) value { return merged(before, at, entry) })
	if err != nil {
		return nil, err
	}
	if again, err := after.put(entry); err != nil || len(again) > 0 {
		return nil, refuse("the entry is not found again in the new text")
	}
	if len(edits) == 0 && len(document) > 0 {
		return document, nil
	}
	return after.bytes(), nil
}

// Remove returns the document without the server, and without the objects or the list
// on the way to it that are empty then, unless they hold a comment. A document that has
// no such server comes back as it is.
//
// Remove gives back what Put was given, byte for byte, with one exception: it can't
// know whether a place that is empty now was missing, null or empty before, and leaves
// it out.
func Remove(document []byte, at Place) ([]byte, error) {
	if blank(document) {
		return document, nil
	}
	d, err := open(document, at)
	if err != nil {
		return nil, err
	}
	edits, err := d.remove()
	if err != nil || len(edits) == 0 {
		return document, err
	}
	after, err := d.apply(edits, func(before value) value { return without(before, at) })
	if err != nil {
		return nil, err
	}
	return after.bytes(), nil
}

// List returns the servers at a place in the order of the document; the Name of the
// Place is ignored. A document that is blank or lacks the place has none.
func List(document []byte, at Place) ([]Found, error) {
	if blank(document) {
		return nil, nil
	}
	d, err := open(document, at)
	if err != nil {
		return nil, err
	}
	return found(d.root(), at)
}

// Render returns a document that holds the entry alone, as a text for a person to paste.
// It is empty where Put would refuse the entry.
func Render(at Place, entry Entry) string {
	at.New = ""
	text, err := Put(nil, at, entry)
	if err != nil {
		return ""
	}
	return string(text)
}
