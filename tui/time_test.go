package tui

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
)

// timedRoam is a Roam that changes as time goes by. It begins at the moment of
// the first frame.
type timedRoam struct {
	begun    time.Time
	absent   time.Duration // nothing answers until then
	disabled time.Duration // the Local API is off until then
	busy     time.Duration // another request is open until then
	answer   time.Duration // a person answers this long after being asked; 0: nobody does
	asked    atomic.Int32
}

var _ exchange.Roam = (*timedRoam)(nil)

func (r *timedRoam) passed() time.Duration { return time.Since(r.begun) }

func (r *timedRoam) OpenGraphs(context.Context) ([]localapi.Graph, error) {
	switch {
	case r.passed() < r.absent:
		return nil, &problem.Error{Code: localapi.CodeConnectionFailed, Message: "Nothing answers on 127.0.0.1:3333.", Hint: problem.Say("Start Roam Desktop.")}
	case r.passed() < r.disabled:
		return nil, &problem.Error{Code: localapi.CodeDisabled, Call: &problem.Call{Status: 403}, Message: "Roam's Local API is disabled.", Hint: problem.Say("Open Settings in Roam Desktop and switch the Local API on, or update Roam: newer builds always have it on.")}
	}
	return []localapi.Graph{hosted("reading-list")}, nil
}

func (r *timedRoam) AvailableGraphs(ctx context.Context) ([]localapi.Graph, error) {
	return r.OpenGraphs(ctx)
}

func (r *timedRoam) RequestToken(ctx context.Context, request localapi.TokenRequest) (localapi.TokenGrant, error) {
	r.asked.Add(1)
	if r.passed() < r.busy {
		return localapi.TokenGrant{}, &problem.Error{Code: localapi.CodeRequestInProgress, Call: &problem.Call{Status: 409, Sent: true}, Message: "Another request is open."}
	}
	answered := make(<-chan time.Time)
	if r.answer > 0 {
		answered = time.After(r.answer)
	}
	select {
	case <-answered:
		return localapi.TokenGrant{Graph: request.Graph, Token: secret("time"), AccessLevel: request.AccessLevel}, nil
	case <-ctx.Done():
		return localapi.TokenGrant{}, ctx.Err()
	}
}

func (r *timedRoam) VerifyToken(context.Context, localapi.Graph, localapi.Token) (localapi.AccessLevel, error) {
	return "", errors.New("not asked for here")
}

// inTime runs steps with the program's own clock and ticks, and a real exchange. Time
// passes only where everything waits for it.
func inTime(t *testing.T, roam *timedRoam, steps []step) {
	synctest.Test(t, func(t *testing.T) {
		roam.begun = time.Now()
		h := prepare(t, configured, func(h *harness) {
			h.graphs.Clock, h.ticks = nil, true
			h.graphs.Exchange = func(ctx context.Context, request exchange.Request) manage.Exchange {
				backoff := func(int) time.Duration { return 4 * time.Second }
				return exchange.Start(ctx, roam, nil, request, exchange.Policy{Wait: true, Backoff: backoff})
			}
		})
		h.boot(80, 24)
		h.passes(1500 * time.Millisecond) // between two ticks, so that nothing happens at one moment
		h.press("/", "r", "e", "a", "d", "i", "n", "g", "enter", "enter")
		if !h.shows("Connect reading-list") {
			t.Fatalf("the form is not there:\n%s", h.screen())
		}
		h.press("enter")
		for _, step := range steps {
			step(h)
		}
		h.run(h.root.closeFrom(0))
		close(h.store.events)
		for quiet := false; !quiet; { // what is under way ends, and its answer is nobody's
			select {
			case <-h.messages:
			case <-time.After(time.Minute):
				quiet = true
			}
		}
	})
}

// passes lets time go by.
func (h *harness) passes(d time.Duration) {
	h.t.Helper()
	for over := time.After(d); ; {
		select {
		case msg := <-h.messages:
			h.handle(msg)
		case <-over:
			return
		}
	}
}

func passes(d time.Duration) step { return func(h *harness) { h.t.Helper(); h.passes(d) } }

// counted wants each of the texts to come after "so far" while time passes.
func counted(d time.Duration, texts ...string) step {
	return func(h *harness) {
		seen := make(map[string]bool)
		for ; d > 0; d -= time.Second {
			h.passes(time.Second)
			for line := range strings.Lines(h.screen()) {
				if _, left, ok := strings.Cut(line, "so far, "); ok {
					seen[strings.TrimSpace(left)] = true
				}
			}
		}
		for _, want := range texts {
			if !seen[want] {
				h.t.Errorf("the countdown never said %q", want)
			}
		}
	}
}

// asksOnce wants one more request by the end of some steps.
func asksOnce(roam *timedRoam, steps ...step) step {
	return func(h *harness) {
		before := roam.asked.Load()
		for _, step := range steps {
			step(h)
		}
		if asked := roam.asked.Load() - before; asked != 1 {
			h.t.Errorf("Roam was asked %d times, not once", asked)
		}
	}
}

func TestExchangeInTime(t *testing.T) {
	busy := &timedRoam{busy: 90 * time.Second, answer: time.Second}
	savedNow := shown("Saved as “Reading list”")
	for name, test := range map[string]struct {
		roam  *timedRoam
		steps []step
	}{
		"five minutes are counted down, and then it is over": {&timedRoam{}, []step{
			passes(time.Second), shown("Waiting for you in Roam", "0:00 so far, 5:00 left"),
			counted(290*time.Second, "4:59 left", "4:00 left", "2:30 left", "0:10 left"),
			passes(11 * time.Second), shown("No answer in time", "Nothing was saved.", "a ask again"), uncalled("save"),
			press("a"), passes(2 * time.Second), shown("Waiting for you in Roam", "0:01 so far, 4:59 left"),
		}},
		"a Roam that appears after a minute is asked": {&timedRoam{absent: time.Minute, answer: 30 * time.Second}, []step{
			passes(10 * time.Second), shown("Roam Desktop can't be reached", "0:09 so far, next try in 3 s"),
			passes(54 * time.Second), shown("Waiting for you in Roam"), passes(30 * time.Second), shown("is connected"), savedNow,
		}},
		"a Local API that is enabled is used": {&timedRoam{disabled: 20 * time.Second, answer: time.Second}, []step{
			passes(10 * time.Second), shown("Roam's Local API is disabled", "This goes on by itself"), passes(15 * time.Second), savedNow,
		}},
		"a busy Roam is asked until it takes the request": {busy, []step{
			passes(31 * time.Second), shown("Roam is busy with another request", "0:30 so far, next try in"),
			asksOnce(busy, press("r"), passes(100*time.Millisecond)), // at once rather than in a few seconds
			passes(65 * time.Second), savedNow,
		}},
		"a Roam that stays busy is given up after five minutes": {&timedRoam{busy: time.Hour}, []step{
			passes(5*time.Minute + 5*time.Second), shown("The other request stayed open in Roam", "Nothing was saved.", "a ask again"),
		}},
		"esc drops a request, and a second one leaves": {&timedRoam{}, []step{
			passes(time.Minute), shown("0:59 so far, 4:01 left"), press("esc"), passes(time.Second), shown("Cancelled", "The request was dropped."),
			press("esc"), passes(time.Second), shown("In Roam, not connected"),
		}},
	} {
		t.Run(name, func(t *testing.T) { inTime(t, test.roam, test.steps) })
	}
}
