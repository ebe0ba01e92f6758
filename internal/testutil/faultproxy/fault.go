package faultproxy

import (
	"fmt"
	"net/http"
	"time"
)

// Kind is what the proxy does with a request.
type Kind int

// The kinds, in the order of how far a request gets. Up to Fail nothing reaches
// Roam.
const (
	None        Kind = iota // forwarded, and the reply with it
	Restart                 // every connection is reset and nothing listens for Delay, then another port does
	ResetBefore             // the connection is reset
	HTMLBefore              // a page of HTML instead, with Status
	Fail                    // an error with Status and Text, as Roam writes it

	ResetMeanwhile // the connection is reset at once, and forwarded after Delay
	ResetAfter     // forwarded; the connection is reset instead of the reply
	Truncate       // forwarded; the connection ends within the reply's body
	Half           // forwarded; the reply is whole to HTTP and half a JSON value
	HTMLAfter      // forwarded; a page of HTML instead of the reply, with Status
	FailAfter      // forwarded; an error with Status and Text instead of the reply
)

// Forwards reports whether Roam sees the request.
func (k Kind) Forwards() bool { return k == None || k > Fail }

func (k Kind) String() string {
	names := []string{"none", "restart", "reset before", "HTML before", "fail", "reset meanwhile", "reset after", "truncate", "half", "HTML after", "fail after"}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return names[k]
}

// Fault is what happens to one request.
type Fault struct {
	Kind   Kind
	Delay  time.Duration // before anything else; with Restart and ResetMeanwhile see there
	Status int           // of the HTML and Fail kinds; 0: 500
	Text   string        // of the Fail kinds
}

func (f Fault) status() int {
	if f.Status == 0 {
		return http.StatusInternalServerError
	}
	return f.Status
}

// Refusal is an error as Roam words it (LOCAL_API.md 1.6 and 6).
type Refusal struct {
	Status int
	Text   string
}

// Refusals are the texts with which Roam refuses an action before anything is
// written.
func Refusals() []Refusal {
	return []Refusal{
		{500, "Page with this title already exists"},
		{500, "Block with uid x not found"},
		{500, "Parent entity doesn't exist"},
		{500, "Rate limit exceeded: 1500 calls in 60 seconds"},
		{500, "The token file is corrupted"},
		{500, "Invalid arguments"},
		{401, "Token not recognized for graph"},
		{403, "Local API is disabled"},
		{404, "Unknown action"},
		{413, "Request entity too large"},
	}
}

// Doubts are the texts that leave open whether an action was done: they may
// come before it and after it.
func Doubts() []Refusal {
	return []Refusal{
		{500, "Promise error: the window was closed"},
		{500, "The expression took too long"},
		{500, "Unexpected failure"},
		{502, "Bad gateway"},
		{503, "Service unavailable"},
		{504, "The graph did not become ready in time"},
	}
}
