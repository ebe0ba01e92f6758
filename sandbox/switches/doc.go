// Package switches makes the sandbox misbehave on demand: as a Roam that is slow,
// broken, older or newer, or in a state that is hard to reach (LOCAL_API.md 9.10).
//
// It promises that a switch which is off costs nothing and changes nothing, and that
// every switch can be turned on and off while the server runs. It rewrites requests
// and replies. What a switch means for tokens and graphs it does not know: the
// server asks for its value.
package switches
