package configstore

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"roam-mcp/internal/rawjson"
)

// duplicateKeyError reports a key that an object has twice, and the offset of the
// second one.
type duplicateKeyError struct {
	key    string
	offset int
}

func (e *duplicateKeyError) Error() string {
	return fmt.Sprintf("the key %s appears twice", quoted(e.key))
}

// parseObject reads an object from text, which must be valid JSON and begin with a
// brace. Its only error is *duplicateKeyError.
func parseObject(text []byte) (rawjson.Object, error) {
	seen := map[string]bool{}
	at := len("{")
	for key, value := range rawjson.Members(text) {
		if seen[key] {
			return nil, &duplicateKeyError{key: key, offset: skipSeparators(text, at)}
		}
		seen[key] = true
		at = rawjson.Offset(text, value) + len(value)
	}
	return rawjson.Parse(text), nil
}

func skipSeparators(text []byte, i int) int {
	for i < len(text) && bytes.IndexByte([]byte(" \t\r\n,"), text[i]) >= 0 {
		i++
	}
	return i
}

// position turns an offset into a line and a column, both from 1, the column in
// characters.
func position(text []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(text))
	before := text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
