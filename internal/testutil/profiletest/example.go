package profiletest

import (
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/mcpserve"
)

// Example is a conversation on a graph that nobody else has changed.
type Example struct {
	Name  string
	Calls []Call // made one after the other by one client
	// After looks at the graph, when all calls were made; nil: nothing.
	After func(t testing.TB, w *World)
}

// Call is a call of a tool, and what it must answer.
type Call struct {
	// Before is what happens before, such as a write by another client; nil:
	// nothing.
	Before func(w *World)

	Tool, Arguments string
	// Other has a second client make the call, over HTTP and without a session.
	Other bool

	Want string // the pattern of the first text (see Match); empty: any text
	// Prose is the pattern of the first text where that is no JSON (see MatchProse);
	// empty: any text.
	Prose string
	Note  string // what the second text has in it; empty: there is none
	// IsError is whether the result is an error, whose text Want is about.
	IsError bool
	// RPC is the code of the JSON-RPC error that is wanted in place of a result,
	// with Message as its message and Data as the pattern of its data; 0: none is.
	RPC     int64
	Message string // empty: any
	Data    string // empty: any

	// MostCalls is how many actions Roam may be asked for at most; 0: any number.
	MostCalls int
	// Check looks at what a pattern can't say; nil: nothing.
	Check func(t testing.TB, w *World, r Result)
}

// Run runs each example on a world of its own in each of the Ways.
func Run(t *testing.T, options Options, examples ...Example) {
	t.Helper()
	suite := NewSuite(t, options)
	for _, example := range examples {
		t.Run(example.Name, func(t *testing.T) {
			for i, way := range Ways() {
				if race.Enabled && i%3 != 0 { // one over each transport
					continue
				}
				t.Run(way.String(), func(t *testing.T) { suite.run(t, way, example) })
			}
		})
	}
}

// RunOnce runs each example on a world of its own in one of the Ways: for what does not
// hang on the way.
func RunOnce(t *testing.T, options Options, examples ...Example) {
	t.Helper()
	suite := NewSuite(t, options)
	for _, example := range examples {
		t.Run(example.Name, func(t *testing.T) { suite.run(t, Ways()[0], example) })
	}
}

// OldBuild is the switch of the sandbox with which it is a Roam of API version 0.0.9, the
// oldest that is supported.
const OldBuild = "build=api-0.0.9"

// ForOldBuild returns options whose servers use a Roam of any version.
func ForOldBuild(options Options) Options {
	change := options.Server
	options.Server = func(o *mcpserve.Options) {
		if change != nil {
			change(o)
		}
		o.APIVersion = localapi.AnyVersion
	}
	return options
}

// RunOnOldBuild runs each example on a world of its own with an OldBuild, in one of the Ways.
func RunOnOldBuild(t *testing.T, options Options, examples ...Example) {
	t.Helper()
	suite := NewSuite(t, ForOldBuild(options))
	for _, example := range examples {
		t.Run(example.Name, func(t *testing.T) { suite.run(t, Ways()[0], example, OldBuild) })
	}
}

func (s *Suite) run(t *testing.T, way Way, example Example, switches ...string) {
	w := s.World(t)
	w.Switch(switches...)
	clients := map[bool]*Client{false: w.Connect(way)}
	if slices.ContainsFunc(example.Calls, func(each Call) bool { return each.Other }) {
		clients[true] = w.Connect(Way{HTTP: true, Era: StatelessEra})
	}
	for _, each := range example.Calls {
		clients[each.Other].Expect(t, each)
	}
	if example.After != nil {
		example.After(t, w)
	}
}

// Expect makes the calls one after the other, and ends the test at the first that answers
// something else than it says.
func (c *Client) Expect(t testing.TB, calls ...Call) {
	t.Helper()
	for _, each := range calls {
		if each.Before != nil {
			each.Before(c.w)
		}
		c.w.ResetCalls()
		result := c.Call(each.Tool, each.Arguments)
		if !each.check(t, c.w, result) {
			t.Fatalf("%s %s\nanswered %s", each.Tool, each.Arguments, result)
		}
	}
}

// Losing returns the call with the reply to an action of Roam lost: the server must not
// ask for it again.
func (c Call) Losing(action string) Call {
	c.Before = func(w *World) {
		w.Fault(func(r faultproxy.Request) faultproxy.Fault {
			if r.Action == action {
				return faultproxy.Fault{Kind: faultproxy.ResetAfter}
			}
			return faultproxy.Fault{}
		})
	}
	c.Check = func(t testing.TB, w *World, _ Result) {
		if n := w.Calls()[action]; n != 1 {
			t.Errorf("%s was sent %d times: %v", action, n, w.Calls())
		}
		w.Fault(nil)
	}
	return c
}

// check reports whether the result is what was wanted, and else says what is not.
func (c Call) check(t testing.TB, w *World, r Result) bool {
	t.Helper()
	switch {
	case c.RPC != 0 && r.RPC == nil:
		t.Errorf("no JSON-RPC error %d", c.RPC)
	case c.RPC != 0:
		c.checkRPC(t, r)
	case r.RPC != nil:
		t.Error("an unexpected JSON-RPC error")
	case r.IsError != c.IsError:
		t.Errorf("isError is %v", r.IsError)
	default:
		c.checkTexts(t, r)
	}
	if calls := w.Calls(); c.MostCalls > 0 && calls.Total() > c.MostCalls {
		t.Errorf("%d calls, not %d at most: %v", calls.Total(), c.MostCalls, calls)
	}
	if c.Check != nil && !t.Failed() {
		c.Check(t, w, r)
	}
	return !t.Failed()
}

func (c Call) checkRPC(t testing.TB, r Result) {
	t.Helper()
	if r.RPC.Code != c.RPC {
		t.Errorf("the code is %d, not %d", r.RPC.Code, c.RPC)
	}
	if c.Message != "" && r.RPC.Message != c.Message {
		t.Errorf("the message is %q, not %q", r.RPC.Message, c.Message)
	}
	if c.Data != "" {
		if err := Match(c.Data, string(r.RPC.Data)); err != nil {
			t.Errorf("the data: %v", err)
		}
	}
}

// counts is how the sentence begins that says in prose how many blocks a write changed.
const counts = "Blocks: "

func (c Call) checkTexts(t testing.TB, r Result) {
	t.Helper()
	if c.Want != "" {
		if err := Match(c.Want, r.Text()); err != nil {
			t.Error(err)
		}
	}
	if c.Prose != "" {
		if err := MatchProse(c.Prose, r.Text()); err != nil {
			t.Error(err)
		}
	}
	note := strings.Join(r.Texts[min(1, len(r.Texts)):], "\n")
	if !strings.HasPrefix(c.Note, counts) && strings.HasPrefix(note, counts) { // what every write says
		_, note, _ = strings.Cut(note, ".")
		note = strings.TrimSpace(note)
	}
	if c.Note == "" && note != "" || !strings.Contains(note, c.Note) {
		t.Errorf("the second text is %q, not %q", note, c.Note)
	}
}
