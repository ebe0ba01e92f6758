package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

const (
	// unheardFor is how long a call whose answer may not have arrived is known as the one that
	// is made again.
	unheardFor = 2 * time.Minute
	// unheardPatience is how long the same call waits for one whose client has left.
	unheardPatience = 10 * time.Second
	// mostUnheard is how many such calls are known, and mostRepeatable the size of the
	// arguments of one.
	mostUnheard, mostRepeatable = 64, 1 << 20

	fieldRepeated = "repeated"
)

// unheard are the writing calls whose answers may not have arrived: the client had left, or it
// could not be told whether the write was done. The same call of the same agent is answered
// with what that one did, and not done twice (TOOLS.md, "Writes"), unless the agent has written to
// the same pages and blocks since: then it is meant anew.
type unheard struct {
	mu    sync.Mutex
	ended []unheardCall // the oldest first
	going []*goingCall
	count int // of the calls that were ever in ended
}

// callID is what makes two calls the same.
type callID struct {
	agent, tool, arguments string
	graph                  localapi.Graph
}

// unheardCall is a call that has ended.
type unheardCall struct {
	id       callID
	at       time.Time
	place    int            // among all that have ended, from 1
	reply    *surface.Reply // nil: there is none
	counts   *writtenCounts
	told     toldBefore
	attempts ops.Attempts
}

// toldBefore is what the same call before told beside its reply.
type toldBefore struct {
	number int64
	impact *ops.Impact
}

// goingCall is a call that has not.
type goingCall struct {
	id    callID
	ctx   context.Context // of its client
	done  chan struct{}
	after int // the place of the last call that had ended when it began
}

// idOf returns what makes another call the same; false where none is.
func idOf(c *call) (callID, bool) {
	if len(c.request.Params.Arguments) > mostRepeatable {
		return callID{}, false
	}
	decoder := json.NewDecoder(bytes.NewReader(c.request.Params.Arguments))
	decoder.UseNumber()
	var arguments map[string]any
	if decoder.Decode(&arguments) != nil {
		return callID{}, false
	}
	delete(arguments, surface.ParamTicket)
	text, err := json.Marshal(arguments) // with the names in order
	return callID{c.who().Agent, c.tool.Name, string(text), c.target.entry.Graph()}, err == nil
}

// once answers a call that writes to a graph, or tells what the same call before has done, if its answer may not have
// arrived: what that one has written is not written again.
func (u *unheard) once(ctx context.Context, c *call) (reply surface.Reply, err error) {
	id, ok := idOf(c)
	if !ok {
		return c.server.answerOnGraph(ctx, c)
	}
	u.await(ctx, id)
	going, earlier, again := u.begin(ctx, c, id)
	defer func() { u.end(going, c, earlier, reply, err) }()
	if again {
		c.graph = c.graph.Repeating(earlier.attempts)
		c.before = earlier.told
		if earlier.reply != nil {
			c.counts = earlier.counts
			return c.replies().sayRepeated(*earlier.reply), nil
		}
	}
	reply, err = c.server.answerOnGraph(ctx, c)
	switch {
	case err == nil && c.graph.Repeated():
		reply = c.replies().sayRepeated(reply)
	case again && err != nil && problem.CodeOf(err) != ops.CodeOutcomeUnknown && c.graph.DoneBefore(ctx):
		err = doneBefore(err)
	}
	return reply, err
}

// begin notes that a call is made, and returns the same one before it, if there is one that is
// known.
func (u *unheard) begin(ctx context.Context, c *call, id callID) (going *goingCall, earlier unheardCall, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forget(c.server.now())
	if at := slices.IndexFunc(u.ended, func(each unheardCall) bool { return each.id == id }); at >= 0 {
		earlier, ok = u.ended[at], true
		u.ended = slices.Delete(u.ended, at, at+1)
	}
	going = &goingCall{id, ctx, make(chan struct{}), u.count}
	u.going = append(u.going, going)
	return going, earlier, ok
}

// await waits for the same calls whose clients have left.
func (u *unheard) await(ctx context.Context, id callID) {
	ctx, cancel := context.WithTimeout(ctx, unheardPatience)
	defer cancel()
	u.mu.Lock()
	going := slices.Clone(u.going)
	u.mu.Unlock()
	for _, each := range going {
		if each.id != id || each.ctx.Err() == nil {
			continue
		}
		select {
		case <-each.done:
		case <-ctx.Done():
			return
		}
	}
}

// end notes how a call has ended, if its answer may not arrive; and goes on to know the one before,
// if this one failed before it wrote anything.
func (u *unheard) end(going *goingCall, c *call, earlier unheardCall, reply surface.Reply, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	close(going.done)
	u.going = slices.DeleteFunc(u.going, func(each *goingCall) bool { return each == going })
	wrote := c.graph.Attempts(false)
	u.ended = slices.DeleteFunc(u.ended, func(each unheardCall) bool {
		return each.place <= going.after && each.id.agent == going.id.agent && each.id.graph == going.id.graph && each.attempts.Meet(wrote)
	})
	left, inDoubt := going.ctx.Err() != nil, problem.CodeOf(err) == ops.CodeOutcomeUnknown
	if !left && !inDoubt && (err == nil || c.graph.Sent()) {
		return
	}
	ended := earlier
	if left || inDoubt {
		ended = unheardCall{id: going.id, at: c.server.now(), counts: c.counts, told: toldBefore{c.replies().number(), c.replies().impact()}}
		if err == nil {
			ended.reply = &reply
		}
	}
	ended.attempts = c.graph.Attempts(inDoubt && !left || earlier.attempts.Told())
	if !ended.attempts.Any() {
		return
	}
	if len(u.ended) == mostUnheard {
		u.ended = slices.Delete(u.ended, 0, 1)
	}
	u.count++
	ended.place = u.count
	u.ended = append(u.ended, ended)
}

// forget drops what ended too long ago; mu is held.
func (u *unheard) forget(now time.Time) {
	u.ended = slices.DeleteFunc(u.ended, func(each unheardCall) bool { return now.Sub(each.at) > unheardFor })
}

// sayRepeated adds to a reply that what it tells was done by the same call before.
func (c replyWriter) sayRepeated(reply surface.Reply) surface.Reply {
	if c.repeated = true; c.server.offering.profile.Style == surface.Labelled && rawjson.IsObject(reply.JSON) {
		reply.JSON = rawjson.Parse(reply.JSON).With(fieldRepeated, true).JSON()
	}
	return reply
}

// doneBefore returns the error of a call that meets what the same call before has done.
func doneBefore(err error) error {
	met := *Explained(err)
	met.Message += " The same call before, whose answer did not arrive, was done."
	met.Details = append(slices.Clone(met.Details), problem.Detail{Name: fieldRepeated, Value: true})
	return &met
}
