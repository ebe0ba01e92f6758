package localapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"roam-mcp/internal/netutil"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

const (
	// memoryOfByte is how much memory a reply takes for each of its bytes until its call
	// is answered, the texts that are made of it included.
	memoryOfByte = 5
	// memoryOfValue is what a value in a list takes besides, once the list is taken apart.
	memoryOfValue = 64
	// smallReply is up to how many bytes a reply takes memory that is not counted.
	smallReply = netutil.UncountedMemory / memoryOfByte
)

// The codes of the errors for a reply that there is no memory for.
const (
	CodeMemoryBusy     problem.Code = "MEMORY_BUSY"     // others have used the memory up, for a while
	CodeMemoryExceeded problem.Code = "MEMORY_EXCEEDED" // it takes more than all there is
)

var errTooLarge = errors.New("the reply is too large")

// readBody reads a reply of at most MaxReply bytes as valid UTF-8, with U+FFFD in the place of
// what is not, the escapes of lone surrogates included. A long one waits for the memory that it
// may take, and its share of that is returned.
// That of the reply before is given back.
func (c *Client) readBody(ctx context.Context, response *http.Response) (_ []byte, share *netutil.Share, err error) {
	defer func() {
		if err != nil {
			share.Release()
		}
	}()
	ReleaseReply(ctx)
	var body []byte
	switch n := response.ContentLength; {
	case n > c.options.MaxReply:
		return nil, nil, errTooLarge
	case n >= 0:
		if share, err = c.memoryFor(ctx, n, n); err != nil {
			return nil, nil, err
		}
		body = make([]byte, n)
		_, err = io.ReadFull(response.Body, body)
	default:
		body, share, err = c.readUntold(ctx, response.Body)
	}
	if err != nil {
		return nil, share, err
	}
	body = validUTF8(body)
	return body, share, share.Settle(memoryOfByte*int64(len(body)) + memoryOfValue*int64(bytes.Count(body, []byte(","))))
}

// memoryFor waits for the memory of a reply that is between so many bytes long.
func (c *Client) memoryFor(ctx context.Context, atLeast, atMost int64) (*netutil.Share, error) {
	return c.options.Memory.Acquire(ctx, memoryOfByte*atLeast, (memoryOfByte+memoryOfValue)*atMost)
}

// readUntold reads a body whose length is not told: once it is known not to be small, it takes
// the memory of the longest.
func (c *Client) readUntold(ctx context.Context, in io.Reader) (body []byte, share *netutil.Share, err error) {
	first := min(smallReply, c.options.MaxReply) + 1
	body, err = io.ReadAll(io.LimitReader(in, first))
	if err != nil || int64(len(body)) < first {
		return body, nil, err
	}
	if share, err = c.memoryFor(ctx, first, c.options.MaxReply); err != nil {
		return nil, nil, err
	}
	most := min(c.options.MaxReply, c.options.Memory.Size()/memoryOfByte)
	body, err = io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(body), in), most+1))
	if err == nil && int64(len(body)) > c.options.MaxReply {
		err = errTooLarge
	}
	return body, share, err // one that takes more memory than there may be is not settled
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

// explainUnread returns the error for a reply that was not read. What a write has done is looked
// for, so the request counts as sent.
func (c *Client) explainUnread(err error, action string, status int) error {
	var exceeded *netutil.MemoryError
	switch {
	case errors.Is(err, errTooLarge):
		return &problem.Error{
			Code: CodeInvalidReply, Call: &problem.Call{Action: action, Status: status, Sent: true},
			Message: fmt.Sprintf("Roam's reply is larger than %d MiB.", c.options.MaxReply>>20),
			Hint:    problem.Say("Ask for less at once."),
		}
	case errors.As(err, &exceeded):
		return &problem.Error{
			Code: CodeMemoryExceeded, Err: err, Retry: problem.RetryNever, Call: &problem.Call{Action: action, Sent: true},
			Message: fmt.Sprintf("Roam's reply takes about %d MiB of memory, and roam-mcp may use %d for it.", exceeded.Wanted>>20, exceeded.Size>>20),
			Hint:    problem.Say("Ask for less at once, or give it more: %s", problem.Run("serve").With("--memory", "1GiB")),
		}
	case errors.Is(err, netutil.ErrMemoryBusy):
		return &problem.Error{
			Code: CodeMemoryBusy, Err: err, Retry: problem.RetryLater, Call: &problem.Call{Action: action, Sent: true},
			Message: "Roam's reply had to wait too long for memory: what else is going on uses up what roam-mcp may.",
			Hint:    problem.Say("Try again in a moment, and ask for less at once."),
		}
	}
	return err
}
