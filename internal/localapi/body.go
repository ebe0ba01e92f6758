package localapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"roam-mcp/internal/budget"
	"roam-mcp/internal/rawjson"
)

const (
	// memoryOfByte is how much memory a reply takes for each of its bytes until its call
	// is answered, the texts that are made of it included.
	memoryOfByte = 5
	// memoryOfValue is what a value in a list takes besides, once the list is taken apart.
	memoryOfValue = 64
	// smallReply is up to how many bytes a reply takes memory that is not counted, and
	// middleReply up to how many one is read whose length is not told before room for the
	// longest is made.
	smallReply, middleReply = budget.Small / memoryOfByte, 1 << 20
)

var errTooLarge = errors.New("the reply is too large")

// readBody reads a reply of at most MaxReply bytes as valid UTF-8, with U+FFFD in the place of
// what is not, the escapes of lone surrogates included. It waits for the memory that the reply
// will take, and returns the share of it. No more than twice the body is in memory here: it is
// read in one piece where the length is told, else in parts that are joined once.
func (c *Client) readBody(ctx context.Context, response *http.Response) (_ []byte, _ *budget.Share, err error) {
	var body []byte
	var share *budget.Share
	defer func() {
		if err != nil {
			share.Release()
		}
	}()
	switch n := response.ContentLength; {
	case n > c.options.MaxReply:
		return nil, nil, errTooLarge
	case n >= 0:
		if share, err = c.options.Memory.Reserve(ctx, budget.Content, memoryOfByte*n); err != nil {
			return nil, nil, err
		}
		body = make([]byte, n)
		_, err = io.ReadFull(response.Body, body)
	default:
		body, share, err = c.readParts(ctx, response.Body)
	}
	if err != nil {
		return nil, share, err
	}
	body = validUTF8(body)
	return body, share, settle(share, body)
}

// validUTF8 returns a body with U+FFFD in the place of what is not UTF-8, the escapes of
// lone surrogates included.
func validUTF8(body []byte) []byte {
	rawjson.ReplaceLoneSurrogates(body)
	if utf8.Valid(body) {
		return body
	}
	return bytes.ToValidUTF8(body, []byte(string(utf8.RuneError)))
}

// readParts reads a body whose length is not told. While it waits for memory it has read
// little, and holds no share.
func (c *Client) readParts(ctx context.Context, in io.Reader) (_ []byte, share *budget.Share, err error) {
	const first, largest = 8 << 10, 4 << 20
	var parts [][]byte
	read, room := int64(0), int64(smallReply)
	for size := first; ; size = min(2*size, largest) {
		part := make([]byte, size)
		n := 0
		for n < size && err == nil { // io.ReadFull would hide a body that was cut short
			var more int
			more, err = in.Read(part[n:])
			n += more
		}
		parts = append(parts, part[:n])
		read += int64(n)
		switch {
		case read > c.options.MaxReply:
			return nil, share, errTooLarge
		case errors.Is(err, io.EOF):
			return bytes.Join(parts, nil), share, nil
		case err != nil:
			return nil, share, err
		}
		if more := c.roomFor(read + int64(min(2*size, largest))); more > room {
			room = more
			share.Release()
			if share, err = c.options.Memory.Reserve(ctx, budget.Content, memoryOfByte*room); err != nil {
				return nil, nil, err
			}
		}
	}
}

// roomFor returns for how many bytes room is made where a reply has at least n.
func (c *Client) roomFor(n int64) int64 {
	switch {
	case n <= smallReply:
		return smallReply
	case n <= middleReply:
		return min(middleReply, c.options.MaxReply)
	}
	return c.options.MaxReply
}

// settle makes a share as large as a reply is that was read. A list of short values takes many
// times its length once it is taken apart.
func settle(share *budget.Share, body []byte) error {
	if share == nil {
		return nil
	}
	need := memoryOfByte*int64(len(body)) + memoryOfValue*int64(bytes.Count(body, []byte(",")))
	if need <= budget.Small {
		need = 0
	}
	return share.Resize(need)
}
