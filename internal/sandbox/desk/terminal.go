package desk

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

const maxTerminalLine = 4096

// AskTerminal asks for a decision on every request, line by line, until ctx ends,
// which is no error. After the end of in it still reports requests, but nobody can
// answer them. A pending read of in can't be interrupted and outlives the call.
func AskTerminal(ctx context.Context, d *Desk, in io.Reader, out io.Writer) error {
	t := &terminal{desk: d, out: out, lines: make(chan typed)}
	go t.read(ctx, in)
	requests := d.Watch(ctx)
	for {
		select {
		case <-ctx.Done():
			return nil
		case pending, ok := <-requests:
			if !ok {
				return nil
			}
			t.update(pending)
		case line, ok := <-t.lines:
			if !ok {
				t.lines = nil
				t.say("The input has ended: requests can't be answered here any more.")
				break
			}
			t.handle(strings.TrimSpace(line.text), line.at)
		}
		if t.err != nil {
			return fmt.Errorf("write to the terminal: %w", t.err)
		}
	}
}

// terminal shows the oldest open request and takes lines as answers to it.
type terminal struct {
	desk    *Desk
	out     io.Writer
	lines   chan typed
	pending []Request
	shown   Request   // the request that lines answer; ID empty: none
	since   time.Time // when it was shown
	err     error     // the first write error
}

// typed is a line of the input with its time.
type typed struct {
	text string
	at   time.Time
}

func (t *terminal) read(ctx context.Context, in io.Reader) {
	lines := t.lines
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, maxTerminalLine), maxTerminalLine)
	for scanner.Scan() {
		select {
		case lines <- typed{scanner.Text(), time.Now()}:
		case <-ctx.Done():
			return // not the end of the input
		}
	}
	close(lines)
}

func (t *terminal) say(format string, values ...any) {
	if _, err := fmt.Fprintf(t.out, format+"\n", values...); err != nil && t.err == nil {
		t.err = err
	}
}

// update adopts the requests that are open now.
func (t *terminal) update(pending []Request) {
	t.pending = pending
	if t.shown.ID != "" && !t.isOpen(t.shown.ID) {
		if time.Until(t.shown.Expires) <= 0 {
			t.say("The request for %s is over: nobody answered it in time.", t.shown.Graph.Name)
		} else {
			t.say("The request for %s is over: it was answered elsewhere, or the asker went away.", t.shown.Graph.Name)
		}
		t.shown = Request{}
	}
	t.showNext()
}

func (t *terminal) isOpen(id string) bool {
	return slices.ContainsFunc(t.pending, func(r Request) bool { return r.ID == id })
}

func (t *terminal) showNext() {
	if t.shown.ID != "" || len(t.pending) == 0 {
		return
	}
	t.shown = t.pending[0]
	r := t.shown
	t.say("\n“%s” asks for %s access to the graph %s (%s): agents could %s.",
		r.Description, r.AccessLevel.Words(), r.Graph.Name, r.Graph.Type, r.AccessLevel.Explain())
	t.say("  %s", strings.Join(choices(r.AccessLevel), " · "))
	t.since = time.Now()
}

func choices(asked localapi.AccessLevel) []string {
	list := []string{"a allow"}
	if localapi.ReadAppend.LowerThan(asked) {
		list = append(list, "r allow read + append")
	}
	if localapi.ReadOnly.LowerThan(asked) {
		list = append(list, "l allow read only")
	}
	return append(list, "n deny", "! never ask again")
}

// handle takes a line as "unblock GRAPH", as "revoke GRAPH", or as the answer to the
// request shown. An answer from before it was shown was meant for another request.
func (t *terminal) handle(line string, at time.Time) {
	if name, ok := strings.CutPrefix(line, "unblock "); ok {
		t.unblock(strings.TrimSpace(name))
		return
	}
	if name, ok := strings.CutPrefix(line, "revoke "); ok {
		t.revoke(strings.TrimSpace(name))
		return
	}
	if line == "" {
		return
	}
	if t.shown.ID == "" {
		t.say("No request is open.")
		return
	}
	if at.Before(t.since) {
		t.say("%q came before this request was shown, so it is no answer to it. %s", printable(line), strings.Join(choices(t.shown.AccessLevel), " · "))
		return
	}
	decision, said := t.decision(line)
	if said == "" {
		t.say("%q is no answer. %s", printable(line), strings.Join(choices(t.shown.AccessLevel), " · "))
		return
	}
	request := t.shown
	t.shown = Request{}
	if err := t.desk.Answer(request.ID, decision); err != nil {
		t.say("%s", problem.FromError(err).Message)
	} else {
		t.say(said, request.Graph.Name)
	}
	t.forget(request.ID)
	t.showNext()
}

// forget removes an answered request, which the next update may still contain.
func (t *terminal) forget(id string) {
	t.pending = slices.DeleteFunc(slices.Clone(t.pending), func(r Request) bool { return r.ID == id })
}

// decision parses an answer. said is a format for the graph's name; it is empty if
// the line is no answer.
func (t *terminal) decision(line string) (decision Decision, said string) {
	asked := t.shown.AccessLevel
	switch line {
	case "a", "allow":
		return Decision{Verdict: Grants}, "Allowed " + asked.Words() + " access to %s."
	case "r":
		if localapi.ReadAppend.LowerThan(asked) {
			return Decision{Verdict: Grants, AccessLevel: localapi.ReadAppend}, "Allowed read + append access to %s."
		}
	case "l":
		if localapi.ReadOnly.LowerThan(asked) {
			return Decision{Verdict: Grants, AccessLevel: localapi.ReadOnly}, "Allowed read only access to %s."
		}
	case "n", "deny":
		return Decision{Verdict: Rejects}, "Denied access to %s."
	case "!", "never":
		return Decision{Verdict: Blocks}, "Access to %[1]s is denied, and requests for it are blocked. To lift that, type: unblock %[1]s"
	}
	return Decision{}, ""
}

func (t *terminal) unblock(name string) {
	lifted := false
	for _, graph := range t.desk.Blocked() {
		if graph.Name != name {
			continue
		}
		if _, err := t.desk.Unblock(graph); err != nil {
			t.say("%v", err)
			return
		}
		lifted = true
	}
	if lifted {
		t.say("Requests for %s are asked about again.", name)
	} else {
		t.say("No blocked graph is named %q.", name)
	}
}

// revoke revokes the tokens of every graph of that name.
func (t *terminal) revoke(name string) {
	revoked := 0
	for _, kind := range []localapi.GraphType{localapi.Hosted, localapi.Offline} {
		n, err := t.desk.Revoke(localapi.Graph{Name: name, Type: kind}, "")
		if err != nil {
			t.say("%v", err)
			return
		}
		revoked += n
	}
	switch revoked {
	case 0:
		t.say("No token is granted for a graph named %q.", name)
	case 1:
		t.say("The token of %s is revoked.", name)
	default:
		t.say("The %d tokens of %s are revoked.", revoked, name)
	}
}
