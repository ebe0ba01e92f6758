package transport

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"roam-mcp/internal/netutil"
)

// maxWaiting is how many calls may wait for one that runs to end.
const maxWaiting = 256

// stdioRequest is one that has no answer yet.
type stdioRequest struct {
	method    string
	cancelled bool // it gets no answer
	share     *netutil.Share
}

// begin notes a request as unanswered, which keeps the share of its line, or says why it is
// refused.
func (c *conn) begin(r *jsonrpc.Request, share *netutil.Share) *jsonrpc.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	isCall := IsCall(r.Method)
	switch {
	case c.pending[r.ID] != nil || c.parked[r.ID] != nil:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: UnansweredID}
	case isCall && c.calls >= MaxInFlight+maxWaiting:
		return &jsonrpc.Error{Code: CodeBusy, Message: "Too many calls are running. Wait for one to end, or cancel one."}
	case r.Method == MethodListen:
		c.parked[r.ID] = &stdioRequest{method: r.Method, share: share}
		return nil
	case isCall:
		c.calls++
	}
	c.pending[r.ID] = &stdioRequest{method: r.Method, share: share}
	return nil
}

// end takes a request out of those that are unanswered; false where it was
// cancelled, so that it gets no answer. mu is held.
func (c *conn) end(id jsonrpc.ID) (answer bool) {
	ended := c.pending[id]
	if ended == nil {
		ended = c.parked[id]
	}
	if ended == nil {
		return true
	}
	delete(c.pending, id)
	delete(c.parked, id)
	ended.share.Release()
	if IsCall(ended.method) {
		c.calls--
	}
	c.notify()
	return !ended.cancelled
}

// cancel notes the request that a notification cancels. The library cancels its
// context.
func (c *conn) cancel(notification *jsonrpc.Request) {
	var params struct {
		RequestID any `json:"requestId"`
	}
	if notification.Method != MethodCancelled || json.Unmarshal(notification.Params, &params) != nil {
		return
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, requests := range []map[jsonrpc.ID]*stdioRequest{c.pending, c.parked} {
		if r := requests[id]; r != nil && r.method != MethodInitialize {
			r.cancelled = true
		}
	}
}
