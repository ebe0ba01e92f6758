package mcpserve

import (
	"bytes"
	"encoding/json"
	"errors"

	"roam-mcp/internal/rawjson"
)

// edge is how much is kept of either end of a line that is too long, in bytes.
const edge = 512

// longLine is errLineTooLong with the edges of the line, in which the id of a
// request is found where its client writes it before or after what is long. An
// answer without an id would leave the client waiting.
type longLine struct{ head, tail []byte }

var _ error = (*longLine)(nil)

// Error gives the text of errLineTooLong.
func (l *longLine) Error() string { return errLineTooLong.Error() }

func (l *longLine) Unwrap() error { return errLineTooLong }

// requestIDOf is the id of the request that was too long; null where it can't be
// told, or where the line was no request.
func requestIDOf(err error) []byte {
	var line *longLine
	if !errors.As(err, &line) {
		return []byte("null")
	}
	id, isRequest := line.fromHead()
	if id == nil {
		id = line.fromTail()
	}
	if !isRequest || id == nil {
		return []byte("null")
	}
	return id
}

// fromHead reads the members before the first that is no plain value.
func (l *longLine) fromHead() (id []byte, isRequest bool) {
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(l.head, []byte("\xEF\xBB\xBF"))))
	decoder.UseNumber()
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, false
	}
	for {
		key, err := decoder.Token()
		if err != nil {
			return id, isRequest
		}
		value, err := decoder.Token()
		if _, isStart := value.(json.Delim); err != nil || isStart {
			return id, isRequest
		}
		switch key {
		case "method":
			_, isRequest = value.(string)
		case "id":
			id = plainID(rawjson.Encode(value))
		}
	}
}

// fromTail reads the last member. What ends in }} is within another member.
func (l *longLine) fromTail() []byte {
	tail, isObject := bytes.CutSuffix(bytes.TrimSpace(l.tail), []byte("}"))
	at := bytes.LastIndex(tail, []byte(`"id":`))
	if !isObject || at < 0 || !bytes.HasSuffix(bytes.TrimSpace(tail[:at]), []byte(",")) {
		return nil
	}
	return plainID(bytes.TrimSpace(tail[at+len(`"id":`):]))
}

// plainID gives the text of an id, or nil where it is none.
func plainID(text []byte) []byte {
	if !json.Valid(text) || text[0] != '"' && text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return nil
	}
	return text
}
