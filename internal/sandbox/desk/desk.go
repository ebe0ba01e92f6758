// Package desk is the sandbox's approval desk: it takes requests for tokens, has
// them answered by a person or a policy, and keeps which tokens there are and what
// they permit (LOCAL_API.md 1.3.3 and 1.4).
//
// It promises one open request per graph, that every request ends, and that only
// hashes of tokens are kept. It knows neither HTTP nor what a graph holds.
package desk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// DefaultAnswerLimit is how long Roam leaves its dialog open.
const DefaultAnswerLimit = 5 * time.Minute

// Policy says how requests are answered.
type Policy string

const (
	Ask     Policy = "ask"     // a person answers, through Watch and Answer
	Allow   Policy = "allow"   // every request is granted at once, as asked
	Deny    Policy = "deny"    // every request is rejected at once
	Never   Policy = "never"   // every graph counts as blocked
	Timeout Policy = "timeout" // nobody ever answers
)

// ParsePolicy reads a policy by its name.
func ParsePolicy(s string) (Policy, error) {
	switch p := Policy(s); p {
	case Ask, Allow, Deny, Never, Timeout:
		return p, nil
	}
	return "", fmt.Errorf("%q is not a way to answer token requests: it is ask, allow, deny, never or timeout", s)
}

// Options of a Desk.
type Options struct {
	// Path of the file that keeps tokens and blocked graphs; its folder exists.
	Path string
	// Policy; empty: Ask.
	Policy Policy
	// AnswerLimit is how long a request stays open; 0: DefaultAnswerLimit.
	AnswerLimit time.Duration
	// Now dates tokens and requests; nil: time.Now. The limit itself is a timer.
	Now func() time.Time
}

// Access is what a token request asks for.
type Access struct {
	Graph       localapi.Graph
	AccessLevel localapi.AccessLevel // one of localapi.RequestableLevels
	Description string               // of the client; 1 to 1,000 bytes
	AI          bool                 // whether the token will be an AI's
}

// Grant is what was granted.
type Grant struct {
	Token       localapi.Token
	AccessLevel localapi.AccessLevel // may be lower than asked
}

// Request is an open request that a person can answer.
type Request struct {
	ID string
	Access
	Asked   time.Time
	Expires time.Time
}

// Verdict is the kind of a Decision.
type Verdict uint8

const (
	Grants Verdict = iota + 1
	Rejects
	Blocks // rejects, now and until Unblock
)

// Decision answers a Request.
type Decision struct {
	Verdict Verdict
	// AccessLevel that is granted, at most the one asked for; empty means that.
	AccessLevel localapi.AccessLevel
}

// Desk is safe for concurrent use.
type Desk struct {
	options Options

	mu       sync.Mutex
	register register
	open     []*dialog // oldest first; one per graph
	watchers map[chan []Request]struct{}
	lastID   uint64
	closed   bool
}

// dialog is an open request.
type dialog struct {
	Request
	outcome chan outcome // buffered, so that sending never blocks
}

type outcome struct {
	grant Grant
	err   error
}

// Open reads the file of tokens; a missing one is empty. The code of the error for a
// file that can't be understood is localapi.CodeTokenFileCorrupted.
func Open(options Options) (*Desk, error) {
	options.Policy = cmp.Or(options.Policy, Ask)
	if options.AnswerLimit <= 0 {
		options.AnswerLimit = DefaultAnswerLimit
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	register, err := readRegister(options.Path)
	if err != nil {
		return nil, err
	}
	return &Desk{options: options, register: register, watchers: map[chan []Request]struct{}{}}, nil
}

// RequestAccess asks for a token and waits for a decision, the answer limit or the
// end of ctx, which drops the dialog. Errors have the codes of LOCAL_API.md 1.3.3.
func (d *Desk) RequestAccess(ctx context.Context, access Access) (Grant, error) {
	access, err := checkAccess(access)
	if err != nil {
		return Grant{}, err
	}
	open, grant, err := d.begin(access)
	if open == nil {
		return grant, err
	}
	limit := time.NewTimer(d.options.AnswerLimit)
	defer limit.Stop()
	var out outcome
	select {
	case out = <-open.outcome:
	case <-limit.C:
		out = d.drop(open, timedOut(access.Graph))
	case <-ctx.Done():
		out = d.drop(open, cancelled(access.Graph))
	}
	if out.err == nil && ctx.Err() != nil {
		// The client is gone: nobody received the token.
		sum := hash(out.grant.Token.Reveal())
		_, _ = d.revoke(func(t record) bool { return t.SHA256 == sum })
		return Grant{}, cancelled(access.Graph)
	}
	return out.grant, out.err
}

// begin opens a dialog, or returns nil for it and the answer that needs none.
func (d *Desk) begin(access Access) (*dialog, Grant, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, Grant{}, cancelled(access.Graph)
	case d.options.Policy == Never || d.register.isBlocked(access.Graph):
		return nil, Grant{}, blocked(access.Graph)
	case slices.ContainsFunc(d.open, func(o *dialog) bool { return o.Graph == access.Graph }):
		return nil, Grant{}, inProgress(access.Graph)
	case d.options.Policy == Deny:
		return nil, Grant{}, rejected(access.Graph)
	case d.options.Policy == Allow:
		grant, err := d.issue(access, access.AccessLevel)
		return nil, grant, err
	}
	d.lastID++
	now := d.options.Now()
	open := &dialog{
		Request: Request{ID: strconv.FormatUint(d.lastID, 10), Access: access, Asked: now, Expires: now.Add(d.options.AnswerLimit)},
		outcome: make(chan outcome, 1),
	}
	d.open = append(d.open, open)
	d.publish()
	return open, Grant{}, nil
}

// drop ends a dialog with an error, unless it was answered meanwhile.
func (d *Desk) drop(open *dialog, reason error) outcome {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.take(open.ID) == nil {
		return <-open.outcome
	}
	return outcome{err: reason}
}

// take removes an open dialog; nil if there is none with that id.
func (d *Desk) take(id string) *dialog {
	at := slices.IndexFunc(d.open, func(o *dialog) bool { return o.ID == id })
	if at < 0 {
		return nil
	}
	open := d.open[at]
	d.open = slices.Delete(d.open, at, at+1)
	d.publish()
	return open
}

// Answer decides an open request. The code of the error for a request that is
// unknown or over is CodeRequestOver. A level above the one asked for is refused with
// localapi.CodeValidation, and the request stays open. A failure to save the
// decision is an error for both sides.
func (d *Desk) Answer(id string, decision Decision) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.open, func(o *dialog) bool { return o.ID == id })
	if at < 0 || d.options.Policy != Ask {
		return requestOver()
	}
	open := d.open[at]
	level, err := decision.level(open.AccessLevel)
	if err != nil {
		return err
	}
	out := outcome{err: rejected(open.Graph)}
	switch decision.Verdict {
	case Grants:
		out.grant, out.err = d.issue(open.Access, level)
		err = out.err
	case Blocks:
		if err = d.block(open.Graph); err == nil {
			out.err = blocked(open.Graph)
		}
	case Rejects:
	}
	d.take(id)
	open.outcome <- out
	return err
}

func (dec Decision) level(asked localapi.AccessLevel) (localapi.AccessLevel, error) {
	switch dec.Verdict {
	case Rejects, Blocks:
		return "", nil
	case Grants:
		if dec.AccessLevel == "" {
			return asked, nil
		}
		if _, err := localapi.ParseAccessLevel(string(dec.AccessLevel)); err != nil {
			return "", invalid(err.Error())
		}
		if asked.LowerThan(dec.AccessLevel) {
			return "", invalid("no more can be granted than was asked for, which is " + asked.Words())
		}
		return dec.AccessLevel, nil
	}
	return "", invalid("a decision grants, rejects or blocks")
}

// Close answers all requests, open and later ones, with localapi.CodeCancelled.
func (d *Desk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, open := range d.open {
		open.outcome <- outcome{err: cancelled(open.Graph)}
	}
	d.open = nil
	d.publish()
}

// Ending is the predetermined outcome of a request, to see how a client takes it.
type Ending struct {
	// Code of the refusal, one of LOCAL_API.md 1.3.3; empty grants.
	// localapi.CodeTimeout comes after the answer limit.
	Code problem.Code
	// AccessLevel is the highest level that is granted; empty: the one asked for.
	AccessLevel localapi.AccessLevel
}

// RequestEnding is RequestAccess with a predetermined outcome, whatever the policy.
// Nobody is asked, and Pending does not list the request.
func (d *Desk) RequestEnding(ctx context.Context, access Access, ending Ending) (Grant, error) {
	access, err := checkAccess(access)
	if err != nil {
		return Grant{}, err
	}
	switch ending.Code {
	case "":
		level := access.AccessLevel
		if ending.AccessLevel != "" && ending.AccessLevel.LowerThan(level) {
			level = ending.AccessLevel
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.issue(access, level)
	case localapi.CodeUserRejected:
		return Grant{}, rejected(access.Graph)
	case localapi.CodeGraphBlocked:
		return Grant{}, blocked(access.Graph)
	case localapi.CodeRequestInProgress:
		return Grant{}, inProgress(access.Graph)
	case localapi.CodeCancelled:
		return Grant{}, cancelled(access.Graph)
	case localapi.CodeTimeout:
		return Grant{}, d.neverAnswered(ctx, access.Graph)
	}
	return Grant{}, &problem.Error{Code: ending.Code, Message: "The token request for " + access.Graph.Name + " failed."}
}

func (d *Desk) neverAnswered(ctx context.Context, graph localapi.Graph) error {
	limit := time.NewTimer(d.options.AnswerLimit)
	defer limit.Stop()
	select {
	case <-limit.C:
		return timedOut(graph)
	case <-ctx.Done():
		return cancelled(graph)
	}
}

// Pending lists the requests that a person can answer now, oldest first. There are
// none unless the policy is Ask.
func (d *Desk) Pending() []Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pending()
}

func (d *Desk) pending() []Request {
	requests := []Request{}
	if d.options.Policy != Ask {
		return requests
	}
	for _, open := range d.open {
		requests = append(requests, open.Request)
	}
	return requests
}

// Watch sends Pending now and after every change. A slow receiver gets only the
// newest state. The channel closes when ctx ends.
func (d *Desk) Watch(ctx context.Context) <-chan []Request {
	watcher := make(chan []Request, 1)
	d.mu.Lock()
	defer d.mu.Unlock()
	watcher <- d.pending()
	d.watchers[watcher] = struct{}{}
	context.AfterFunc(ctx, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.watchers, watcher)
		close(watcher)
	})
	return watcher
}

// publish sends the state to the watchers; the caller holds the lock.
func (d *Desk) publish() {
	for watcher := range d.watchers {
		select {
		case <-watcher: // replaced by what is newer
		default:
		}
		watcher <- d.pending()
	}
}
