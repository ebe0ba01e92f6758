package configstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// The bounds of a file. Since it is indented when it is written, what writing it
// takes grows with its size times its depth; the deepest value that is ours is at
// level 3.
const (
	maxFileSize = 1 << 20 // bytes
	maxGraphs   = 1000
	maxDepth    = 32 // lists and objects in each other
)

// document is the content of a configuration file for editing. Unknown fields stay in
// their places.
type document struct {
	root     rawjson.Object
	graphs   []element
	version  int
	modified bool

	history     History
	historyFlaw *historyFlaw // nil if the history is valid
}

func newDocument() *document {
	return &document{root: rawjson.With("version", Version).With("graphs", []string{}), version: Version}
}

// parseDocument reads a file's text. A bad entry is no error but an invalid element.
func parseDocument(path string, text []byte) (*document, error) {
	text, err := checkText(path, text)
	if err != nil {
		return nil, err
	}
	start := skipSeparators(text, 0)
	if text[start] != '{' {
		return nil, invalidAt(path, text, start, "the file must hold a JSON object", nil)
	}
	root, err := parseObject(text[start:])
	if err != nil {
		return nil, duplicateKeyAt(path, text, start, err)
	}
	d := &document{root: root, version: Version}
	for _, m := range root {
		at := rawjson.Offset(text, m.Value)
		switch m.Key {
		case "version":
			if d.version, err = parseVersion(path, text, at, m.Value); err != nil {
				return nil, err
			}
		case "graphs":
			if d.graphs, err = parseGraphs(path, text, at, m.Value); err != nil {
				return nil, err
			}
		}
		if m.Key == "history" || misspelt(m.Key) {
			d.parseHistory(text, at, m)
		}
	}
	return d, nil
}

// checkText refuses text that is not JSON, and strips a byte-order mark.
func checkText(path string, text []byte) ([]byte, error) {
	if bytes.HasPrefix(text, []byte{0xFF, 0xFE}) || bytes.HasPrefix(text, []byte{0xFE, 0xFF}) {
		return nil, invalidAt(path, text, 0, "the file is UTF-16 text; save it as UTF-8", nil)
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, &problem.Error{
			Code:    CodeConfigInvalid,
			Message: fmt.Sprintf("%s is empty.", path),
			Hint:    problem.Say("Restore it from a backup, or delete it to start afresh."),
			Place:   &problem.Place{Path: path, Line: 1, Column: 1},
		}
	}
	if !utf8.Valid(text) {
		return nil, invalidAt(path, text, invalidUTF8(text), "the text is not valid UTF-8", nil)
	}
	var any json.RawMessage
	if err := json.Unmarshal(text, &any); err != nil {
		offset := len(text)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && int(syntax.Offset) < len(text) {
			offset = int(syntax.Offset) - 1
		}
		return nil, invalidAt(path, text, offset, "it is not valid JSON: "+err.Error(), err)
	}
	if at, deep := rawjson.DeeperThan(text, maxDepth); deep {
		return nil, invalidAt(path, text, at, fmt.Sprintf("its lists and objects are more than %d levels deep", maxDepth), nil)
	}
	return text, nil
}

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return len(text)
}

func parseVersion(path string, text []byte, at int, raw json.RawMessage) (int, error) {
	version, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err == nil && version > Version, errors.Is(err, strconv.ErrRange) && raw[0] != '-':
		line, column := position(text, at)
		return 0, &problem.Error{
			Code:    CodeConfigTooNew,
			Message: fmt.Sprintf("%s has version %.20s; this roam-mcp knows versions up to %d.", path, raw, Version),
			Hint:    problem.Say("Update roam-mcp."),
			Place:   &problem.Place{Path: path, Line: line, Column: column},
		}
	case err != nil || version != Version:
		return 0, invalidAt(path, text, at, fmt.Sprintf("\"version\" must be %d", Version), nil)
	}
	return Version, nil
}

func parseGraphs(path string, text []byte, at int, raw json.RawMessage) ([]element, error) {
	if raw[0] != '[' {
		return nil, invalidAt(path, text, at, "\"graphs\" must be a list", nil)
	}
	values := rawjson.Elements(raw)
	if len(values) > maxGraphs {
		return nil, invalidAt(path, text, at, fmt.Sprintf("\"graphs\" lists more than %d graphs", maxGraphs), nil)
	}
	elements := make([]element, 0, len(values))
	line, counted := 1, 0
	for _, value := range values {
		offset := rawjson.Offset(text, value)
		line += bytes.Count(text[counted:offset], []byte("\n"))
		counted = offset
		elements = append(elements, parseElement(value, line))
	}
	return elements, nil
}

func duplicateKeyAt(path string, text []byte, base int, err error) error {
	if duplicate, ok := errors.AsType[*duplicateKeyError](err); ok {
		base += duplicate.offset
	}
	return invalidAt(path, text, base, err.Error(), nil)
}

func invalidAt(path string, text []byte, offset int, what string, err error) error {
	line, column := position(text, offset)
	shown, mark := excerpt(text, offset)
	return &problem.Error{
		Code:    CodeConfigInvalid,
		Message: fmt.Sprintf("%s can't be understood at line %d, column %d: %s.", path, line, column, what),
		Hint:    problem.Say("Mend the file there. It is left as it is until then."),
		Place:   &problem.Place{Path: path, Line: line, Column: column, Text: shown, Mark: mark}, Err: err,
	}
}

// encode returns the text of the file.
func (d *document) encode() ([]byte, error) {
	list := make([]json.RawMessage, len(d.graphs))
	for i, e := range d.graphs {
		list[i] = e.raw
	}
	root := d.root
	if len(d.graphs) > 0 || root.Get("graphs") != nil {
		root = root.With("graphs", rawjson.Array(list))
	}
	var out bytes.Buffer
	if err := json.Indent(&out, root.JSON(), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
