package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

var errLineTooLong = errors.New("the line is longer than 16 MiB")

// lineReader splits a stream into lines. A line that is too long is read to its
// end and dropped, without being held.
type lineReader struct {
	in  *bufio.Reader
	max int
}

func newLineReader(in io.Reader, max int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), max: max}
}

// next returns the next line that is not empty, without its end, without a byte
// order mark and without surrounding space. errLineTooLong leaves the reader at
// the line after. The last line need not end in a line break.
func (r *lineReader) next() ([]byte, error) {
	for {
		line, err := r.line()
		if errors.Is(err, errLineTooLong) {
			return nil, err
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")))
		if len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *lineReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line)+len(part) > r.max+2 { // the line's end does not count
			return nil, r.skip(line, part, err)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// skip drops the rest of a line, but for its edges: line and part are what was
// read of it, err is that of the last read.
func (r *lineReader) skip(line, part []byte, err error) error {
	head := line
	if len(head) == 0 {
		head = part
	}
	oversized := &oversizedLine{head: bytes.Clone(head[:min(edgeSize, len(head))])}
	tail := lastBytes(nil, part)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.in.ReadSlice('\n')
		tail = lastBytes(tail, part)
	}
	if err == nil { // else it was cut off
		oversized.tail = tail
	}
	return oversized
}

// lastBytes are the last of what came before and of more.
func lastBytes(before, more []byte) []byte {
	all := append(bytes.Clone(before), more[max(0, len(more)-edgeSize):]...)
	return all[max(0, len(all)-edgeSize):]
}

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
	head := bytes.TrimPrefix(l.head, []byte("\xEF\xBB\xBF"))
	decoder := json.NewDecoder(bytes.NewReader(head))
	decoder.UseNumber()
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, false
	}
	for {
		key, err := decoder.Token()
		if err != nil {
			return id, isRequest
		}
		from := decoder.InputOffset()
		value, err := decoder.Token()
		if _, isStart := value.(json.Delim); err != nil || isStart {
			return id, isRequest
		}
		switch key {
		case "method":
			_, isRequest = value.(string)
		case "id":
			id = plainID(bytes.TrimLeft(head[from:decoder.InputOffset()], ": \t\r"))
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
	if !json.Valid(text) || !utf8.Valid(text) || text[0] != '"' && text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return nil
	}
	return text
}
