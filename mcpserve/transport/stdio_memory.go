package transport

import (
	"context"
	"errors"
	"time"

	"roam-mcp/internal/netutil"
)

// linePatience is how long a line waits for memory, and all that follows with it.
const linePatience = 5 * time.Second

// noRoom returns the answer to a message for which there is no memory, for which err is why.
func (c *conn) noRoom(text []byte, err error) []byte {
	c.log.Warn("there was no memory for a line, and it was skipped", "bytes", len(text))
	if refusal := CheckJSON(text); refusal != nil {
		return refusal
	}
	if errors.As(err, new(*netutil.MemoryError)) {
		return ErrorResponse(AnswerableID(text), CodeBusy, "The message takes more memory than roam-mcp may use for one (--memory). Send less at once.")
	}
	return ErrorResponse(AnswerableID(text), CodeBusy, "The message is long, and the calls that are running use up the memory for it. Wait for one to end, or cancel one.")
}

// received is a line that was read, with its share of the memory.
type received struct {
	text  []byte
	share *netutil.Share
}

// reserve waits for the memory that a line takes until it is answered. Nothing else is read
// meanwhile, so it does not wait for long.
func (c *conn) reserve(text []byte) (*netutil.Share, error) {
	ctx, cancel := context.WithTimeout(context.Background(), linePatience)
	defer cancel()
	n := memoryOf(text)
	return c.memory.Acquire(ctx, n, n)
}
