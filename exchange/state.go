// Package exchange owns the token exchange: asking Roam for a graph's token,
// with every way in which that can go. It is a pure state machine (Begin and
// Machine.Next) and a runner (Session, Run) that drives it over localapi.
//
// It promises that whoever shows the exchange, the terminal program, a command
// or the MCP server, shows the same states; that it never asks a person twice
// without being told to; and that cancelling closes the request at once, so
// that Roam drops its dialog. It knows nothing of files: saving the token is
// its caller's work.
package exchange

import (
	"time"

	"roam-mcp/internal/localapi"
)

// State is the state of an exchange. ARCHITECTURE.md, "The token exchange", says when
// each is entered and what is done in it.
type State uint8

const (
	Locating    State = iota + 1 // finding Roam and the graph
	Unreachable                  // nothing answers, or something that is not Roam
	Disabled                     // Roam's Local API is switched off
	Waiting                      // the request is open, a person decides in Roam
	Busy                         // another request for this graph is open
	Verifying                    // a token given by hand is being checked
	Granted                      // there is a token
	Rejected                     // the person said no
	Blocked                      // the person once said never
	TimedOut                     // nobody answered in time
	Failed                       // anything else
	Cancelled                    // by the person here, or by Roam
)

// String names the state in plain words.
func (s State) String() string {
	switch s {
	case Locating:
		return "looking for Roam"
	case Unreachable:
		return "Roam can't be reached"
	case Disabled:
		return "Local API disabled"
	case Waiting:
		return "waiting for you in Roam"
	case Busy:
		return "another request is open in Roam"
	case Verifying:
		return "checking the token"
	case Granted:
		return "granted"
	case Rejected:
		return "rejected in Roam"
	case Blocked:
		return "blocked in Roam"
	case TimedOut:
		return "no answer in time"
	case Failed:
		return "failed"
	case Cancelled:
		return "cancelled"
	}
	return "unknown state"
}

const (
	// RequestTimeout is how long Roam keeps its dialog open (LOCAL_API.md 1.3.3).
	RequestTimeout = 5 * time.Minute
	// disabledInterval is how often a disabled Local API is asked again.
	disabledInterval = 2 * time.Second
	// settleTime is how long a repeated request must stay unanswered before it
	// counts as waiting: Roam refuses a second request at once.
	settleTime = 500 * time.Millisecond
)

// Policy is how patient an exchange is. The zero value asks once, with Roam's
// own five minutes, and ends at once where Roam can't be reached.
type Policy struct {
	// Timeout limits one request, and how long a busy graph is waited for.
	// Zero means RequestTimeout.
	Timeout time.Duration
	// Wait makes Unreachable and Disabled states that go on by themselves
	// rather than ends.
	Wait bool
	// WaitLimit ends such a wait as TimedOut; zero means never.
	WaitLimit time.Duration
	// Backoff is the pause before try n (from 1) of reaching Roam or a busy
	// graph. Nil means DefaultBackoff.
	Backoff func(try int) time.Duration
}

func (p Policy) timeout() time.Duration {
	if p.Timeout <= 0 {
		return RequestTimeout
	}
	return p.Timeout
}

func (p Policy) backoff(try int) time.Duration {
	if p.Backoff == nil {
		return DefaultBackoff(try)
	}
	return p.Backoff(try)
}

// Offers returns the events that a person can send in the present state, the
// likeliest first. A UseToken among them stands for one with a token in it.
func (m Machine) Offers() []Event {
	askAgain := AskAgain{AccessLevel: m.Request.AccessLevel}
	switch m.State {
	case Locating, Verifying:
		return []Event{Cancel{}}
	case Unreachable, Disabled:
		return []Event{Retry{}, OpenRoam{}}
	case Waiting:
		return []Event{OpenRoam{}, Cancel{}}
	case Busy:
		return []Event{Retry{}, OpenRoam{}, Cancel{}}
	case Rejected:
		offers := []Event{askAgain}
		if less := lower(m.Request.AccessLevel); less != "" {
			offers = append(offers, AskAgain{AccessLevel: less})
		}
		return append(offers, UseToken{})
	case Blocked:
		return []Event{askAgain, OpenRoam{}, UseToken{}}
	case TimedOut, Failed, Cancelled:
		return []Event{askAgain, UseToken{}}
	case Granted:
	}
	return nil
}

// lower returns the next level below one that can be requested, "" for none.
func lower(level localapi.AccessLevel) localapi.AccessLevel {
	for _, l := range localapi.RequestableLevels() {
		if l.LowerThan(level) {
			return l
		}
	}
	return ""
}
