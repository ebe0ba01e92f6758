// Package switches makes the sandbox misbehave on demand: as a Roam that is
// slow, broken, older or newer, or set up in a way that is hard to come by
// (LOCAL_API.md 9.10).
//
// It promises that a switch that is off costs nothing and changes nothing, and
// that every switch can be turned on and off while the server runs. It knows
// the form of requests and replies, not what a graph or a token is: the server
// asks it about those.
package switches
