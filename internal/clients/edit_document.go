package clients

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/problem"
)

// maxDepth is the number of levels on which objects and lists may stand in each other.
const maxDepth = 200

// maxParts is how many values, brackets and lines a document may have. In memory the shortest
// of them takes hundreds of bytes, so that a document of nothing else would take hundreds of
// megabytes.
const maxParts = 200_000

const byteOrderMark = "\uFEFF"

// document is the text of a document with the syntax that it was parsed into.
type document struct {
	syntax
	format fileFormat
	place  entryPlace
	mark   bool   // whether a byte order mark precedes the text
	text   string // without the mark
}

// syntax is the text of a document, taken apart as its format wants it.
type syntax interface {
	root() value
	put(entryFields) ([]splice, error)
	remove() ([]splice, error)
}

// splice replaces the bytes from start to end of a text, which may be none, by others.
type splice struct {
	start, end int
	text       string
}

// blank reports whether a document has nothing but white space, and perhaps a byte order
// mark.
func blank(text []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(byteOrderMark)))) == 0
}

// open parses a document. A blank one is what a new one begins as.
func open(raw []byte, at entryPlace) (*document, error) {
	if len(raw) > maxDocument {
		return nil, refuse("it has more than %d MiB", maxDocument>>20)
	}
	if bytes.HasPrefix(raw, []byte{0xFF, 0xFE}) || bytes.HasPrefix(raw, []byte{0xFE, 0xFF}) {
		return nil, refuse("it is UTF-16 text")
	}
	text, mark := strings.CutPrefix(string(raw), byteOrderMark)
	if blank(raw) {
		if text = at.New; text == "" && at.Format != formatTOML && at.Format != formatYAML {
			text = "{}\n"
		}
	}
	if partsOf(text, at.Format) > maxParts {
		return nil, refuse("it has more than %d values", maxParts)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return nil, refuseAt(text, i, "the text is not valid UTF-8")
		}
		i += size
	}
	d := &document{format: at.Format, place: at, mark: mark, text: text}
	return d, d.parse()
}

// partsOf returns about how many values, brackets and lines a text has, and never less.
func partsOf(text string, format fileFormat) (parts int) {
	ends := []string{",", "[", "{"}
	if format == formatTOML || format == formatYAML {
		ends = append(ends, "\n", "- ")
	}
	for _, end := range ends {
		parts += strings.Count(text, end)
	}
	return parts
}

func (d *document) parse() (err error) {
	switch d.format {
	case formatJSON, formatJSONC:
		d.syntax, err = parseJSON(d.text, d.place)
	case formatTOML:
		d.syntax, err = parseTOML(d.text, d.place)
	case formatYAML:
		d.syntax, err = parseYAML(d.text, d.place)
	default:
		err = fmt.Errorf("there is no format %d", d.format)
	}
	return err
}

// apply makes the edits, parses the result, and refuses it where it does not hold what
// the document holds, changed by change.
func (d *document) apply(edits []splice, change func(value) value) (*document, error) {
	slices.SortStableFunc(edits, func(a, b splice) int { return a.start - b.start })
	var b strings.Builder
	from := 0
	for _, e := range edits {
		if e.start < from || e.end < e.start {
			return nil, refuse("two edits fall on the same text")
		}
		b.WriteString(d.text[from:e.start])
		b.WriteString(e.text)
		from = e.end
	}
	b.WriteString(d.text[from:])
	after := &document{format: d.format, place: d.place, mark: d.mark, text: b.String()}
	if err := after.parse(); err != nil {
		return nil, refuse("there is no place for the entry that leaves all else as it is")
	}
	if !equal(pruned(after.root(), d.place), pruned(change(d.root()), d.place)) {
		return nil, refuse("the entry can't be changed without changing something else")
	}
	return after, nil
}

// bytes returns the text with its byte order mark.
func (d *document) bytes() []byte {
	if d.mark {
		return []byte(byteOrderMark + d.text)
	}
	return []byte(d.text)
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

// errEntry is in the tree of errors about a place or an entry that no document can hold.
var errEntry = errors.New("no document can hold this entry")

func checkEntry(at entryPlace, entry entryFields) error {
	if at.Name == "" || len(entry) == 0 {
		return fmt.Errorf("%w: it has no name or no keys", errEntry)
	}
	if at.List && (at.Format == formatJSON || at.Format == formatJSONC) {
		return fmt.Errorf("%w: lists are for TOML and YAML", errEntry)
	}
	return checkFields(entry)
}

func checkFields(entry entryFields) error {
	seen := map[string]bool{}
	for _, f := range entry {
		if f.Key == "" || seen[f.Key] {
			return fmt.Errorf("%w: the key %q is empty or there twice", errEntry, f.Key)
		}
		seen[f.Key] = true
		texts := []string{f.Key}
		switch v := f.Value.(type) {
		case bool, int:
		case string:
			texts = append(texts, v)
		case []string:
			texts = append(texts, v...)
		case entryFields:
			if err := checkFields(v); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%w: the value of %q is of type %T", errEntry, f.Key, v)
		}
		for _, text := range texts {
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00") {
				return fmt.Errorf("%w: %q is not valid text", errEntry, text)
			}
		}
	}
	return nil
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

// contentEnd returns the end of the line that holds a byte, without its line end.
func contentEnd(text string, at int) int {
	return at + len(strings.TrimRight(text[at:lineEnd(text, at)], "\r\n"))
}

// indentAt returns the white space that the line of a byte begins with.
func indentAt(text string, at int) string {
	line := text[lineStart(text, at):at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
