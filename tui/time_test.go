package tui

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/problem"
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
		return nil, &problem.Error{Code: localapi.CodeDisabled, Call: &problem.Call{Status: 403}, Message: "Roam's Local API is disabled.", Hint: problem.Say("Enable it in Roam's settings.")}
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

// inTime runs a person's visit with the program's own clock and ticks, and a
// real exchange; time passes only where everything waits for it.
func inTime(t *testing.T, roam *timedRoam, visit func(*harness)) {
	synctest.Test(t, func(t *testing.T) {
		roam.begun = time.Now()
		h := prepare(t, configured, func(h *harness) {
			h.ports.Now = time.Now
			h.ports.Exchange = func(ctx context.Context, request exchange.Request) Exchange {
				backoff := func(int) time.Duration { return 4 * time.Second }
				return exchange.Start(ctx, roam, nil, request, exchange.Policy{Wait: true, Backoff: backoff})
			}
			h.root.env.after = func(d time.Duration, msg tea.Msg) tea.Cmd {
				return tea.Tick(d, func(time.Time) tea.Msg { return msg })
			}
		})
		h.boot(80, 24)
		h.passes(1500 * time.Millisecond) // between two ticks, so that nothing happens at one moment
		h.press("/", "r", "e", "a", "d", "i", "n", "g", "enter", "enter")
		if !h.shows("Connect reading-list") {
			t.Fatalf("the form is not there:\n%s", h.screen())
		}
		h.press("enter", "enter", "enter")
		visit(h)
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

// sees wants the texts on the screen now.
func (h *harness) sees(texts ...string) {
	h.t.Helper()
	for _, text := range texts {
		if !h.shows(text) {
			h.t.Errorf("there is no %q on\n%s", text, h.screen())
		}
	}
}

func TestFiveMinutesAreCountedDownAndThenItIsOver(t *testing.T) {
	inTime(t, &timedRoam{}, func(h *harness) {
		h.passes(time.Second)
		h.sees("Waiting for you in Roam", "0:00 so far, 5:00 left")
		seen := make(map[string]bool)
		for range 290 {
			h.passes(time.Second)
			for line := range strings.Lines(h.screen()) {
				if _, left, ok := strings.Cut(line, "so far, "); ok {
					seen[strings.TrimSpace(left)] = true
				}
			}
		}
		for _, want := range []string{"4:59 left", "4:00 left", "2:30 left", "0:10 left"} {
			if !seen[want] {
				h.t.Errorf("the countdown never said %q", want)
			}
		}
		h.passes(11 * time.Second)
		h.sees("No answer in time", "Nothing was saved.", "a ask again")
		if strings.Contains(h.store.log(), "save") {
			h.t.Errorf("something was saved: %s", h.store.log())
		}
		h.press("a")
		h.passes(2 * time.Second)
		h.sees("Waiting for you in Roam", "0:01 so far, 4:59 left")
	})
}

func TestRoamThatAppearsAfterAMinuteIsAskedByItself(t *testing.T) {
	inTime(t, &timedRoam{absent: time.Minute, answer: 30 * time.Second}, func(h *harness) {
		h.passes(10 * time.Second)
		h.sees("Roam Desktop can't be reached", "0:09 so far, next try in 3 s")
		h.passes(54 * time.Second)
		h.sees("Waiting for you in Roam")
		h.passes(30 * time.Second)
		h.sees("Connected", "Saved as “Reading list”")
	})
}

func TestALocalAPIThatIsEnabledIsGoneOnWithByItself(t *testing.T) {
	inTime(t, &timedRoam{disabled: 20 * time.Second, answer: time.Second}, func(h *harness) {
		h.passes(10 * time.Second)
		h.sees("Roam's Local API is disabled", "This goes on by itself")
		h.passes(15 * time.Second)
		h.sees("Saved as “Reading list”")
	})
}

func TestABusyRoamIsAskedAgainUntilItTakesTheRequest(t *testing.T) {
	roam := &timedRoam{busy: 90 * time.Second, answer: time.Second}
	inTime(t, roam, func(h *harness) {
		h.passes(31 * time.Second)
		h.sees("Roam is busy with another request", "0:30 so far, next try in")
		before := roam.asked.Load()
		h.press("r") // at once rather than in a few seconds
		h.passes(100 * time.Millisecond)
		if asked := roam.asked.Load() - before; asked != 1 {
			h.t.Errorf("r asked %d times, not once", asked)
		}
		h.passes(65 * time.Second)
		h.sees("Saved as “Reading list”")
	})
}

func TestARoamThatStaysBusyEndsAfterFiveMinutes(t *testing.T) {
	inTime(t, &timedRoam{busy: time.Hour}, func(h *harness) {
		h.passes(5*time.Minute + 5*time.Second)
		h.sees("The other request stayed open in Roam", "Nothing was saved.", "a ask again")
	})
}

func TestEscDropsARequestAndASecondOneLeaves(t *testing.T) {
	inTime(t, &timedRoam{}, func(h *harness) {
		h.passes(time.Minute)
		h.sees("0:59 so far, 4:01 left")
		h.press("esc")
		h.passes(time.Second)
		h.sees("Cancelled", "The request was dropped.")
		h.press("esc")
		h.passes(time.Second)
		h.sees("In Roam, not connected")
	})
}
