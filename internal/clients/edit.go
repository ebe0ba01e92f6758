package clients

import (
	"errors"

	"roam-mcp/internal/problem"
)

// maxDocument is the largest document that is read, in bytes.
const maxDocument = 4 << 20

// CodeUnreadable is the code of errors about a document that is left alone.
const CodeUnreadable problem.Code = "CLIENT_FILE_UNREADABLE"

// errUnreadable is in the tree of all errors of edits but those about a place or
// an entry that no document could hold. They are of type *problem.Error, and their Place
// has line and column where those are known, and no path.
var errUnreadable = errors.New("the document can't be edited")

// fileFormat is the syntax of a document.
type fileFormat uint8

// The formats. Documents of JSON and JSONC are read and edited in the same way: comments and
// trailing commas are kept where they stand, and none is added to a document that has
// none.
const (
	formatJSON  fileFormat = iota + 1 // the client refuses comments and trailing commas
	formatJSONC                       // formatJSON with comments and trailing commas
	formatTOML
	formatYAML
)

// entryPlace is where the servers stand in a document, and which of them is meant.
type entryPlace struct {
	Format fileFormat
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

// entryFields holds the fields of a server, in the order in which they are written. In a list
// the "name" of the place is put before it.
type entryFields []entryField

// entryField is a key of an entry. Its value is a string, bool, int, []string or entryFields. A
// list or entry without elements is written only where the key is missing: it never
// replaces what a person has put there.
type entryField struct {
	Key   string
	Value any
}

// foundServer is a server in a document.
type foundServer struct {
	Name string
	// Values are string, bool, int64, float64, []any or map[string]any; anything else
	// that a format has is its text. Nil where the server is no object.
	Values map[string]any
	Twice  []string // keys that it has more than once, of which clients may read any; only JSON has them
}

// putEntry returns the document with the entry in it. A nil or blank document stands for one
// to be made. Where the place has a server of that name, its keys that the entry has are
// set, in place, and its others stay; a server that has them all is not changed, so that
// the document comes back as it is.
func putEntry(document []byte, at entryPlace, entry entryFields) ([]byte, error) {
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

// removeEntry returns the document without the server, and without the objects or the list
// on the way to it that are empty then, unless they hold a comment. A document that has
// no such server comes back as it is.
//
// It gives back what putEntry was given, byte for byte, with one exception: it can't
// know whether a place that is empty now was missing, null or empty before, and leaves
// it out.
func removeEntry(document []byte, at entryPlace) ([]byte, error) {
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

// listServers returns the servers at a place in the order of the document; the Name of the
// place is ignored. A document that is blank or lacks the place has none.
func listServers(document []byte, at entryPlace) ([]foundServer, error) {
	if blank(document) {
		return nil, nil
	}
	d, err := open(document, at)
	if err != nil {
		return nil, err
	}
	return found(d.root(), at)
}

// renderEntry returns a document that holds the entry alone, as a text for a person to paste.
// It is empty where putEntry would refuse the entry.
func renderEntry(at entryPlace, entry entryFields) string {
	at.New = ""
	text, err := putEntry(nil, at, entry)
	if err != nil {
		return ""
	}
	return string(text)
}
