package clients

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"roam-mcp/internal/problem"
)

// maxDocument is the largest document that is read, in bytes.
const maxDocument = 4 << 20

// maxParts is how many values, brackets and lines a document may have. In memory the shortest
// of them takes hundreds of bytes, so that a document of nothing else would take hundreds of
// megabytes.
const maxParts = 200_000

// CodeUnreadable is the code of errors about a document that is left alone.
const CodeUnreadable problem.Code = "CLIENT_FILE_UNREADABLE"

// errUnreadable is in the tree of all errors of edits but those about an entry that no
// document could hold. They are of type *problem.Error, and their Place has line and column
// where those are known, and no path.
var errUnreadable = errors.New("the document can't be edited")

// errEntry is in the tree of errors about an entry that no document can hold.
var errEntry = errors.New("no document can hold this entry")

const byteOrderMark = "\uFEFF"

// fileFormat is the syntax of a document.
type fileFormat uint8

// The formats. Documents of JSON and JSONC are read and edited in the same way: comments and
// trailing commas are kept where they stand, and none is added to a document that has
// none. Documents of YAML are read, and never edited.
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
	// object, each under its name. Such a list is read, and never edited.
	List bool
	Name string // of the server
	// New is the text of a document that is to be made, without the entry; "" for the
	// shortest.
	New string
}

// entryFields holds the fields of a server, in the order in which they are written.
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
	// Values are as encoding/json and its likes decode them, but that whole numbers of
	// JSON are int64. Nil where the server is no object.
	Values map[string]any
	Twice  []string // keys that it has more than once, of which clients may read any; only JSON has them
}

// putEntry returns the document with the entry in it. A nil or blank document stands for one
// to be made. Where the place has a server of that name, its keys that the entry has are
// set, in place, and its others stay; a server that has them all is not changed, so that
// the document comes back as it is.
func putEntry(document []byte, at entryPlace, entry entryFields) ([]byte, error) {
	for _, text := range append(textsOf(entry), at.Name) {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) || at.Name == "" {
			return nil, fmt.Errorf("%w: %q is no text that a document can have there", errEntry, text)
		}
	}
	text, mark, err := textOf(document, at)
	if err != nil {
		return nil, err
	}
	edit := editor(at.Format)
	after, err := edit(text, at, entry)
	if err != nil {
		return nil, err
	}
	if after == text && len(document) > 0 {
		return document, nil
	}
	if again, err := edit(after, at, entry); err != nil || again != after {
		return nil, refuse("the entry is not found again in the new text")
	}
	return []byte(mark + after), nil
}

// removeEntry returns the document without the server, and in JSON without the objects on the
// way to it that are empty then, unless they hold a comment. A document that has no such
// server comes back as it is.
//
// It gives back what putEntry was given, byte for byte, with one exception: it can't
// know whether a place that is empty now was missing, null or empty before, and leaves
// it out.
func removeEntry(document []byte, at entryPlace) ([]byte, error) {
	if blank(document) {
		return document, nil
	}
	text, mark, err := textOf(document, at)
	if err != nil {
		return nil, err
	}
	after, err := editor(at.Format)(text, at, nil)
	if err != nil {
		return nil, err
	}
	return []byte(mark + after), nil
}

// editor returns what puts an entry into a text of a format, or takes a server out for none.
func editor(format fileFormat) func(text string, at entryPlace, entry entryFields) (string, error) {
	if format == formatTOML {
		return editTOML
	}
	return editJSON
}

// listServers returns the servers at a place; the Name of the place is ignored. Those of JSON
// and of lists are in the order of the document, others in that of their names. A document
// that is blank or lacks the place has none.
func listServers(document []byte, at entryPlace) ([]foundServer, error) {
	if blank(document) {
		return nil, nil
	}
	text, _, err := textOf(document, at)
	if err != nil {
		return nil, err
	}
	switch at.Format {
	case formatTOML:
		root, err := decodeTOML(text)
		if err != nil {
			return nil, err
		}
		return listed(root, at)
	case formatYAML:
		var root any
		if err := yaml.Unmarshal([]byte(text), &root); err != nil {
			return nil, refuseYAML(text, err)
		}
		return listed(root, at)
	case formatJSON, formatJSONC:
	}
	return listJSON(text, at)
}

// listed is listServers for a document that was decoded.
func listed(root any, at entryPlace) (all []foundServer, err error) {
	for i, key := range at.Path {
		o, ok := root.(map[string]any)
		if !ok && root != nil {
			return nil, refuse("%s holds no keys", pathName(at.Path[:i]))
		}
		root = o[key]
	}
	switch holder := root.(type) {
	case nil:
		return nil, nil
	case []any:
		for _, each := range holder {
			if name, ok := mapOf(each)["name"].(string); ok {
				all = append(all, foundServer{Name: name, Values: mapOf(each)})
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(holder)) {
			all = append(all, foundServer{Name: name, Values: mapOf(holder[name])})
		}
	}
	if _, isList := root.([]any); isList != at.List || !isList && mapOf(root) == nil {
		return nil, refuse("%s can't hold servers", pathName(at.Path))
	}
	return all, nil
}

// sameBeside reports whether two documents, as they were decoded, say the same beside fields of the
// server, or beside the server where there are none. What is empty on the way to it does not count.
func sameBeside(a, b any, at entryPlace, fields entryFields) bool {
	path := append(slices.Clone(at.Path), at.Name)
	return reflect.DeepEqual(beside(a, path, fields), beside(b, path, fields))
}

func beside(root any, path []string, fields entryFields) map[string]any {
	o := maps.Clone(mapOf(root))
	switch {
	case len(path) > 0:
		inner := beside(o[path[0]], path[1:], fields)
		if delete(o, path[0]); len(inner) > 0 {
			o[path[0]] = inner
		}
	case len(fields) == 0:
		return nil
	}
	for _, f := range fields {
		if len(path) == 0 {
			delete(o, f.Key)
		}
	}
	return o
}

// refuseYAML returns the error of a text that is no YAML. Its own error is left out, since it
// may quote a value.
func refuseYAML(text string, err error) error {
	var line, column int
	for at := strings.LastIndexByte(err.Error(), 'L'); at >= 0; at = strings.LastIndexByte(err.Error()[:at], 'L') {
		if n, _ := fmt.Sscanf(err.Error()[at:], "L%d.C%d", &line, &column); n == 2 {
			return refuseAt(text, offsetOf(text, line, column), "it is not valid YAML")
		}
	}
	return refuse("it is not one YAML document")
}

// isComplete reports whether a server has all fields.
func isComplete(values map[string]any, entry entryFields) bool {
	return !slices.ContainsFunc(entry, func(f entryField) bool { return values[f.Key] == nil || !says(values[f.Key], f) })
}

// says reports whether the value of a server says what a field does.
func says(value any, f entryField) bool {
	switch want := f.Value.(type) {
	case int:
		return value == int64(want) || value == want
	case []string:
		list, ok := value.([]any)
		return len(want) == 0 || ok && len(list) == len(want) && slices.Equal(texts(value), want)
	case entryFields:
		for _, each := range want {
			if !says(mapOf(value)[each.Key], each) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(value, f.Value)
}

// textOf returns the text of a document with its byte order mark apart. A blank one is what a
// new one begins as.
func textOf(document []byte, at entryPlace) (text, mark string, err error) {
	if len(document) > maxDocument {
		return "", "", refuse("it has more than %d MiB", maxDocument>>20)
	}
	if bytes.HasPrefix(document, []byte{0xFF, 0xFE}) || bytes.HasPrefix(document, []byte{0xFE, 0xFF}) {
		return "", "", refuse("it is UTF-16 text")
	}
	text, hasMark := strings.CutPrefix(string(document), byteOrderMark)
	if hasMark {
		mark = byteOrderMark
	}
	if blank(document) {
		if text = at.New; text == "" && (at.Format == formatJSON || at.Format == formatJSONC) {
			text = "{}\n"
		}
	}
	parts := strings.Count(text, ",") + strings.Count(text, "[") + strings.Count(text, "{")
	if at.Format == formatTOML || at.Format == formatYAML {
		parts += strings.Count(text, "\n") + strings.Count(text, "- ")
	}
	if parts > maxParts {
		return "", "", refuse("it has more than %d values", maxParts)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return "", "", refuseAt(text, i, "the text is not valid UTF-8")
		}
		i += size
	}
	return text, mark, nil
}

// blank reports whether a document has nothing but white space, and perhaps a byte order
// mark.
func blank(text []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(byteOrderMark)))) == 0
}

// refuse returns the error that leaves a document alone as a whole. The reason goes into
// a sentence.
func refuse(reason string, args ...any) error {
	reason = fmt.Sprintf(reason, args...)
	return &problem.Error{Code: CodeUnreadable, Message: "The file is left as it is: " + reason + ".", Err: errUnreadable}
}

// refuseAt is refuse for a fault at a byte of the text.
func refuseAt(text string, at int, reason string, args ...any) error {
	at = min(max(at, 0), len(text))
	before := text[:at]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return &problem.Error{
		Code:    CodeUnreadable,
		Message: fmt.Sprintf("The file can't be understood at line %d, column %d: %s.", line, column, fmt.Sprintf(reason, args...)),
		Place:   &problem.Place{Line: line, Column: column},
		Err:     errUnreadable,
	}
}

// refuseChange returns the error of an edit that would change something else.
func refuseChange() error {
	return refuse("the entry can't be changed without changing something else")
}

// pathName returns what a path is called in a sentence.
func pathName(path []string) string {
	if len(path) == 0 {
		return "the whole"
	}
	return fmt.Sprintf("%q", strings.Join(path, "."))
}

// newlineOf returns the line end of a text: that of its first line.
func newlineOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStart returns the index of the first byte of the line that holds a byte.
func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns the index behind the line end of the line that holds a byte.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// offsetOf returns the index of a byte whose line and column count from 1.
func offsetOf(text string, line, column int) int {
	at := 0
	for ; line > 1 && at < len(text); line-- {
		at = lineEnd(text, at)
	}
	return min(at+max(column-1, 0), len(text))
}

// indentAt returns the white space that the line of a byte begins with.
func indentAt(text string, at int) string {
	line := text[lineStart(text, at):at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
