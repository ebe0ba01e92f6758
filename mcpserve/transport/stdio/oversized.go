package stdio

import (
	"bytes"
	"encoding/json"
	"errors"

	"roam-mcp/internal/rawjson"
)

// edgeSize is how many bytes are kept of either end of a line that is too long.
const edgeSize = 512

// oversizedLine is errLineTooLong with the two ends of the line. Clients write
// the id of a request first or last; without it in the answer they would wait
// for ever.
type oversizedLine struct{ head, tail []byte }

var _ error = (*oversizedLine)(nil)

// Error gives the text of errLineTooLong.
func (l *oversizedLine) Error() string { return errLineTooLong.Error() }

func (l *oversizedLine) Unwrap() error { return errLineTooLong }

// oversizedID returns the id of the request that was too long; nil where it can't
// be told, or where the line was no request.
func oversizedID(err error) json.RawMessage {
	var line *oversizedLine
	if !errors.As(err, &line) {
		return nil
	}
	id, isRequest := line.fromHead()
	if id == nil {
		id = line.fromTail()
	}
	if !isRequest || id == nil {
		return nil
	}
	return id
}

// fromHead reads the members before the first that is no plain value.
func (l *oversizedLine) fromHead() (id []byte, isRequest bool) {
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
func (l *oversizedLine) fromTail() []byte {
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
