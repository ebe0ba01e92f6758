package mcpserve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

// API is the part of Roam's Local API that a call needs.
type API interface {
	Call(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error)
	TokenInfo(ctx context.Context, graph localapi.Graph, token localapi.Token) localapi.TokenInfo
}

var _ API = (*localapi.Client)(nil)

// Timeouts are how long is waited for Roam.
type CallTimeouts struct {
	Write time.Duration // for the answer to one request: a person may have to type a graph's password first
	Read  time.Duration // the same, of a tool that only reads: clients give up on a call after 60 s, and learn nothing then

	// For what can be done without:
	Token time.Duration // for Roam's word on a token
	Note  time.Duration // for the configuration to be free
}

// DefaultTimeouts returns those that people and clients bear.
func DefaultCallTimeouts() CallTimeouts {
	return CallTimeouts{Write: 5 * time.Minute, Read: 50 * time.Second, Token: 2 * time.Second, Note: 500 * time.Millisecond}
}

// Options of a Roam. All but Open and APIVersion are required.
type callerOptions struct {
	API        API
	APIVersion string // that is expected where a graph's entry does not say; empty: as Roam has it
	Timeouts   CallTimeouts
	// Open opens Roam, where a call finds it closed, and OpenGraphs fails until it answers;
	// nil: it stays closed.
	Open       func(context.Context, localapi.Graph) error
	OpenGraphs func(context.Context) ([]localapi.Graph, error)
	// Lifetime is the context of the server: a call that has Roam opened may end before.
	Lifetime context.Context
	// SetTokenStatus keeps what Roam has said of a token.
	SetTokenStatus func(context.Context, localapi.Graph, localapi.Token, localapi.TokenStatus, localapi.AccessLevel) error
	Now            func() time.Time
	Log            *slog.Logger
}

// Roam is the Roam that the calls of a server share.
type Roam struct {
	options callerOptions
	opener  *opener // nil: Roam is never opened
}

// New returns a Roam. It does not touch it.
func newCaller(options callerOptions) *Roam {
	r := &Roam{options: options}
	if options.Open != nil {
		r.opener = &opener{patience: openPatience, open: options.Open, look: func(ctx context.Context) error {
			_, err := options.OpenGraphs(ctx)
			return err
		}}
	}
	return r
}

// Read calls an action that only reads, outside of what a call of a tool sends.
func (r *Roam) Read(ctx context.Context, entry configstore.Entry, action string, args ...any) (localapi.Reply, error) {
	return r.call(ctx, r.options.Timeouts.Read, entry, action, args...)
}

// call calls an action of Roam, which has so long to answer.
func (r *Roam) call(ctx context.Context, patience time.Duration, entry configstore.Entry, action string, args ...any) (localapi.Reply, error) {
	ctx = localapi.Expecting(ctx, cmp.Or(entry.APIVersion, r.options.APIVersion))
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	reply, err := r.options.API.Call(limited, entry.Graph(), entry.Token, action, args...)
	failed, ok := problem.AsCall(err)
	if !ok || failed.Code != localapi.CodeTimeout || limited.Err() == nil || ctx.Err() != nil {
		return reply, err
	}
	silent := *failed
	silent.Message = fmt.Sprintf("Roam has not answered within %s.", inWords(patience))
	silent.Hint = problem.Say("Ask the user to look at %s: it may be waiting for something, or hang.", problem.Roam)
	return reply, &silent
}

// inWords returns a duration to the second.
func inWords(d time.Duration) string {
	d = d.Round(time.Second)
	if minutes := d / time.Minute; d%time.Minute == 0 && minutes > 1 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}

// later is a way to a graph that outlives the call which it is made for. It asks no
// person, and opens no Roam.
type later struct {
	ops.NoUser
	roam  *Roam
	entry configstore.Entry
}

// Later returns a Caller that outlives the call which it is made for.
func (r *Roam) Later(entry configstore.Entry) ops.Caller { return later{roam: r, entry: entry} }

// Send implements ops.Caller.
func (l later) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return l.Look(ctx, action, args...)
}

// Look implements ops.Caller.
func (l later) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return l.roam.Read(ctx, l.entry, action, args...)
}
