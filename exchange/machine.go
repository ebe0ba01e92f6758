package exchange

import (
	"math/rand/v2"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Request describes the token to ask for.
type Request struct {
	// Graph to ask for. An empty type is found out while locating; where a name
	// exists as both, hosted wins.
	Graph localapi.Graph
	// AccessLevel asked for.
	AccessLevel localapi.AccessLevel
	// Description is shown in Roam's dialog.
	Description string
	// Public means that Roam need not list the graph: other people's public
	// graphs are never listed (LOCAL_API.md 1.3.2).
	Public bool
	// Token, where given, is verified instead of asking for one.
	Token localapi.Token
}

// Machine is an exchange at one moment: a value, changed by Next alone.
type Machine struct {
	Request Request
	Policy  Policy

	State State
	// Since is when the state was entered.
	Since time.Time
	// Deadline is when the state ends by itself as TimedOut; zero where it
	// does not.
	Deadline time.Time
	// NextTry is when the next automatic step is due; zero where none is.
	NextTry time.Time
	// Tries counts the automatic steps in Unreachable, Disabled and Busy.
	Tries int
	// Grant is set in Granted.
	Grant localapi.TokenGrant
	// Err says why, in every state that is not a success.
	Err *problem.Error
	// Opened reports that opening Roam was asked for.
	Opened bool

	busySince time.Time // start of the run of busy answers, zero if none
	inFlight  bool      // an effect is under way
	// broken is how the request broke off because of which Roam is looked for.
	broken *problem.Error
}

// Ended reports whether nothing more happens unless a person asks for it.
func (m Machine) Ended() bool {
	switch m.State {
	case Locating, Waiting, Busy, Verifying:
		return false
	case Unreachable, Disabled:
		return !m.Policy.Wait
	case Granted, Rejected, Blocked, TimedOut, Failed, Cancelled:
	}
	return true
}

// Lowered reports whether less was granted than asked.
func (m Machine) Lowered() bool {
	return m.State == Granted && m.Grant.AccessLevel.LowerThan(m.Request.AccessLevel)
}

// Left is the time until the deadline, zero where there is none or it is over.
func (m Machine) Left(now time.Time) time.Duration {
	if m.Deadline.IsZero() {
		return 0
	}
	return max(0, m.Deadline.Sub(now))
}

// WakeAt is when the machine wants TimePassed next; zero for never.
func (m Machine) WakeAt() time.Time {
	if m.Ended() {
		return time.Time{}
	}
	switch {
	case m.NextTry.IsZero():
		return m.Deadline
	case m.Deadline.IsZero() || m.NextTry.Before(m.Deadline):
		return m.NextTry
	}
	return m.Deadline
}

// Event is something that happened: the types below and no others.
type Event interface{ event() }

type (
	// Located: Roam answers and has the graph.
	Located struct{ Graph localapi.Graph }
	// LocateFailed: it does not, or has not.
	LocateFailed struct{ Err *problem.Error }
	// TokenGranted: the person allowed it, or a token given by hand works.
	TokenGranted struct{ Grant localapi.TokenGrant }
	// RequestFailed: the request, or the check of a token, came back with an error.
	RequestFailed struct{ Err *problem.Error }
	// TimePassed: WakeAt has come.
	TimePassed struct{}

	// Cancel, by the person.
	Cancel struct{}
	// Retry now: goes on at once where there is an automatic step, and asks
	// again where the exchange has ended without a token.
	Retry struct{}
	// AskAgain with this level, after an end without a token.
	AskAgain struct{ AccessLevel localapi.AccessLevel }
	// OpenRoam: start Roam, or bring it to the front.
	OpenRoam struct{}
	// UseToken checks a token given by hand, after an end without one.
	UseToken struct{ Token localapi.Token }
)

func (Located) event()       {}
func (LocateFailed) event()  {}
func (TokenGranted) event()  {}
func (RequestFailed) event() {}
func (TimePassed) event()    {}
func (Cancel) event()        {}
func (Retry) event()         {}
func (AskAgain) event()      {}
func (OpenRoam) event()      {}
func (UseToken) event()      {}

// Effect is work that Next wants done. At most one of Locate, Ask and Verify is
// under way at a time; starting one aborts the one before.
type Effect uint8

const (
	Locate Effect = iota + 1 // find Roam and the graph, answer Located or LocateFailed
	Ask                      // request the token, answer TokenGranted or RequestFailed
	Verify                   // check Request.Token, answer as Ask
	Abort                    // stop what is under way and drop its answer
	Open                     // open Roam by deep link; no answer
)

// DefaultBackoff grows from half a second to five seconds, with up to a third
// of jitter so that two programs that wait do not step on each other.
func DefaultBackoff(try int) time.Duration {
	pause := 500 * time.Millisecond << min(max(try-1, 0), 4)
	pause = min(pause, 5*time.Second)
	return pause + time.Duration(rand.Int64N(int64(pause)/3))
}
