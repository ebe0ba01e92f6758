package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
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
