package exchange

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// roam is a Roam whose answers a test writes down. The real wire is tested in
// localapi, and end to end in cmd.
type roam struct {
	open      func() ([]localapi.Graph, error)
	mute      bool // never answers a look for it
	available func() ([]localapi.Graph, error)
	request   func(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error)
	verify    func() (localapi.AccessLevel, error)
	asked     atomic.Int32
}

func (r *roam) OpenGraphs(ctx context.Context) ([]localapi.Graph, error) {
	if r.mute {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if r.open == nil {
		return nil, nil
	}
	return r.open()
}

func (r *roam) AvailableGraphs(context.Context) ([]localapi.Graph, error) {
	if r.available == nil {
		return []localapi.Graph{graph}, nil
	}
	return r.available()
}

func (r *roam) RequestToken(ctx context.Context, q localapi.TokenRequest) (localapi.TokenGrant, error) {
	r.asked.Add(1)
	return r.request(ctx, q)
}

func (r *roam) VerifyToken(context.Context, localapi.Graph, localapi.Token) (localapi.AccessLevel, error) {
	return r.verify()
}

func request() Request {
	return Request{Graph: localapi.Graph{Name: "notes"}, AccessLevel: localapi.Full, Description: "test"}
}

// silent never answers until the caller goes away, as Roam's dialog does.
func silent(ctx context.Context, _ localapi.TokenRequest) (localapi.TokenGrant, error) {
	<-ctx.Done()
	return localapi.TokenGrant{}, ctx.Err()
}

func TestFiveMinutesWithoutAnAnswerTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		m := Run(t.Context(), &roam{request: silent}, request(), Policy{}, nil)
		if m.State != TimedOut || m.Err.Code != localapi.CodeTimeout || time.Since(began) != RequestTimeout {
			t.Errorf("%q (%v) after %v", m.State, m.Err, time.Since(began))
		}
	})
}

func TestCancellingClosesTheRequestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan time.Time, 1)
		r := &roam{request: func(ctx context.Context, q localapi.TokenRequest) (localapi.TokenGrant, error) {
			<-ctx.Done()
			closed <- time.Now()
			return localapi.TokenGrant{}, ctx.Err()
		}}
		s := Start(t.Context(), r, nil, request(), Policy{})
		defer s.Close()
		time.Sleep(time.Minute)
		synctest.Wait()
		began := time.Now()
		s.Send(Cancel{})
		if at := <-closed; at != began {
			t.Errorf("the request was closed %v after the cancel", at.Sub(began))
		}
		synctest.Wait()
		if m := <-s.Updates(); m.State != Cancelled {
			t.Errorf("the state is %q", m.State)
		}
	})
}

func TestClosingTheSessionClosesTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		r := &roam{request: func(ctx context.Context, q localapi.TokenRequest) (localapi.TokenGrant, error) {
			<-ctx.Done()
			close(closed)
			return localapi.TokenGrant{}, ctx.Err()
		}}
		s := Start(t.Context(), r, nil, request(), Policy{})
		synctest.Wait()
		s.Close()
		<-closed
		s.Send(Retry{}) // must not hang
		if _, more := <-s.Updates(); more {
			<-s.Updates()
		}
	})
}

func TestABusyGraphIsAskedAgainUntilItIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := time.Now().Add(20 * time.Second)
		token := testToken(t)
		r := &roam{request: func(ctx context.Context, q localapi.TokenRequest) (localapi.TokenGrant, error) {
			if time.Now().Before(free) {
				return localapi.TokenGrant{}, fail(localapi.CodeRequestInProgress)
			}
			time.Sleep(3 * time.Second) // the person thinks
			return localapi.TokenGrant{Graph: q.Graph, Token: token, AccessLevel: q.AccessLevel}, nil
		}}
		var seen []State
		m := Run(t.Context(), r, request(), Policy{}, func(m Machine) {
			if len(seen) == 0 || seen[len(seen)-1] != m.State {
				seen = append(seen, m.State)
			}
		})
		if m.State != Granted || m.Grant.Graph != graph {
			t.Fatalf("%q %+v", m.State, m.Grant)
		}
		if got := fmt.Sprint(seen[len(seen)-3:]); got != fmt.Sprint([]State{Busy, Waiting, Granted}) {
			t.Errorf("the last states were %s", got)
		}
		if n := r.asked.Load(); n < 4 || n > 20 {
			t.Errorf("asked %d times in 20 s", n)
		}
	})
}

func TestAGraphThatStaysBusyEndsAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := &roam{request: func(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error) {
			return localapi.TokenGrant{}, fail(localapi.CodeRequestInProgress)
		}}
		m := Run(t.Context(), r, request(), Policy{Timeout: 10 * time.Second}, nil)
		if m.State != TimedOut || m.Err.Code != localapi.CodeRequestInProgress || time.Since(began) != 10*time.Second {
			t.Errorf("%q (%v) after %v", m.State, m.Err, time.Since(began))
		}
	})
}

func TestRoamThatAppearsLaterIsAskedByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		there := time.Now().Add(30 * time.Second)
		r := &roam{
			open: func() ([]localapi.Graph, error) {
				if time.Now().Before(there) {
					return nil, refused
				}
				return nil, nil
			},
			request: func(_ context.Context, q localapi.TokenRequest) (localapi.TokenGrant, error) {
				return localapi.TokenGrant{Graph: q.Graph, AccessLevel: localapi.ReadOnly}, nil
			},
		}
		began := time.Now()
		m := Run(t.Context(), r, request(), Policy{Wait: true}, nil)
		if m.State != Granted || !m.Lowered() {
			t.Fatalf("%q", m.State)
		}
		if waited := time.Since(began); waited < 30*time.Second || waited > 37*time.Second {
			t.Errorf("it was noticed after %v", waited)
		}
	})
}

func TestWhatListensAndSaysNothingIsNoRoam(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Run(t.Context(), &roam{mute: true}, request(), Policy{}, nil)
		if m.State != Unreachable || m.Err.Code != localapi.CodeConnectionFailed || m.Err.Hint.IsZero() {
			t.Errorf("%q: %v", m.State, m.Err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if m := Run(ctx, &roam{mute: true}, request(), Policy{}, nil); m.State != Cancelled {
			t.Errorf("with an end before: %q: %v", m.State, m.Err)
		}
	})
}

func TestOutcomesOfLocating(t *testing.T) {
	list := func(graphs ...localapi.Graph) func() ([]localapi.Graph, error) {
		return func() ([]localapi.Graph, error) { return graphs, nil }
	}
	offline := localapi.Graph{Name: "notes", Type: localapi.Offline}
	for name, c := range map[string]struct {
		available func() ([]localapi.Graph, error)
		wanted    localapi.Graph
		public    bool
		located   localapi.Graph
		code      problem.Code
	}{
		"a listed graph gets its type from the list":        {available: list(offline), wanted: localapi.Graph{Name: "notes"}, located: offline},
		"hosted wins where the name is both":                {available: list(offline, graph), wanted: localapi.Graph{Name: "notes"}, located: graph},
		"a given type is kept":                              {available: list(offline, graph), wanted: offline, located: offline},
		"an unlisted graph is refused before anybody asked": {available: list(offline), wanted: localapi.Graph{Name: "other"}, code: localapi.CodeGraphNotListed},
		"a public graph need not be listed":                 {available: list(), wanted: localapi.Graph{Name: "help"}, public: true, located: localapi.Graph{Name: "help", Type: localapi.Hosted}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &roam{available: c.available, open: list(localapi.Graph{Name: "open", Type: localapi.Hosted})}
			switch event := locate(t.Context(), r, Request{Graph: c.wanted, Public: c.public}).(type) {
			case Located:
				if c.code != "" || event.Graph != c.located {
					t.Errorf("located %+v, want %+v %s", event.Graph, c.located, c.code)
				}
			case LocateFailed:
				if event.Err.Code != c.code {
					t.Errorf("failed with %v, want %+v %s", event.Err, c.located, c.code)
				}
			}
		})
	}
}

func TestATokenGivenByHandIsVerifiedNotRequested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asking := request()
		asking.Token = testToken(t)
		r := &roam{verify: func() (localapi.AccessLevel, error) { return localapi.ReadAppend, nil }}
		m := Run(t.Context(), r, asking, Policy{}, nil)
		if m.State != Granted || m.Grant.AccessLevel != localapi.ReadAppend || m.Grant.Token != asking.Token || r.asked.Load() != 0 {
			t.Errorf("%q, level %q, asked %d times", m.State, m.Grant.AccessLevel, r.asked.Load())
		}
		r.verify = func() (localapi.AccessLevel, error) { return "", fail(localapi.CodeTokenNotFound) }
		if m := Run(t.Context(), r, asking, Policy{}, nil); m.State != Failed || m.Err.Code != localapi.CodeTokenNotFound {
			t.Errorf("a token Roam does not know: %q, %v", m.State, m.Err)
		}
	})
}

func TestAnEndedContextCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if m := Run(ctx, &roam{request: silent}, request(), Policy{}, nil); m.State != Cancelled {
			t.Errorf("the state is %q", m.State)
		}
	})
}

func TestOpeningRoamDoesNotHoldUpTheExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := make(chan localapi.Graph, 1)
		open := func(_ context.Context, g localapi.Graph) error {
			opened <- g
			return errors.New("no browser here")
		}
		s := Start(t.Context(), &roam{request: silent}, open, request(), Policy{})
		defer s.Close()
		synctest.Wait()
		s.Send(OpenRoam{})
		if g := <-opened; g.Name != "notes" {
			t.Errorf("opened %+v", g)
		}
		synctest.Wait()
		if m := <-s.Updates(); m.State != Waiting || !m.Opened {
			t.Errorf("%q, opened %v", m.State, m.Opened)
		}
	})
}

func TestNoStateShowsAToken(t *testing.T) {
	token := testToken(t)
	for _, state := range states() {
		m := in(t, state)
		m.Request.Token = token
		m.Grant.Token = token
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if text := fmt.Sprintf(verb, plain(m)); strings.Contains(text, token.Reveal()) {
				t.Fatalf("%q shows the token with %s", state, verb)
			}
		}
	}
}

func TestATokenThatComesInTheMomentOfTheEndIsNotDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := &roam{request: func(ctx context.Context, q localapi.TokenRequest) (localapi.TokenGrant, error) {
			cancel() // the person answers and the asker leaves at once
			<-ctx.Done()
			return localapi.TokenGrant{Graph: q.Graph, AccessLevel: localapi.ReadOnly}, nil
		}}
		if m := Run(ctx, r, request(), Policy{}, nil); m.State != Granted || m.Grant.AccessLevel != localapi.ReadOnly {
			t.Errorf("%q, %+v", m.State, m.Grant)
		}
	})
}

func TestATokenThatComesInTheMomentOfACancelIsNotDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		granted := func(ctx context.Context, q localapi.TokenRequest) (localapi.TokenGrant, error) {
			<-ctx.Done() // the person answers while the request is being closed
			return localapi.TokenGrant{Graph: q.Graph, AccessLevel: localapi.ReadOnly}, nil
		}
		s := Start(t.Context(), &roam{request: granted}, nil, request(), Policy{})
		synctest.Wait()
		s.Send(Cancel{})
		if m := s.Close(); m.State != Granted || m.Grant.AccessLevel != localapi.ReadOnly {
			t.Errorf("cancelled: %q, %+v", m.State, m.Grant)
		}
		if m := Run(t.Context(), &roam{request: granted}, request(), Policy{}, nil); m.State != Granted {
			t.Errorf("timed out: %q", m.State)
		}
	})
}

func TestARequestThatDoesNotCloseHoldsUpACancelForAMomentOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := &roam{request: func(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error) {
			<-release
			return localapi.TokenGrant{}, fail(localapi.CodeUserRejected)
		}}
		s := Start(t.Context(), r, nil, request(), Policy{})
		synctest.Wait()
		began := time.Now()
		s.Send(Cancel{})
		if m := s.Close(); m.State != Cancelled || time.Since(began) != lastWordTime {
			t.Errorf("%q after %v", m.State, time.Since(began))
		}
		close(release)
	})
}

// What is under way fails when the context ends, so that both may be there to be
// seen at once.
func TestAnEndedContextIsNeverTakenForAFailure(t *testing.T) {
	for _, ending := range []State{Locating, Waiting} {
		for range 20 { // either of the two may be seen first
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				r := &roam{mute: ending == Locating, request: func(ctx context.Context, _ localapi.TokenRequest) (localapi.TokenGrant, error) {
					<-ctx.Done()
					return localapi.TokenGrant{}, fail(localapi.CodeCancelled)
				}}
				m := Run(ctx, r, request(), Policy{}, func(m Machine) {
					if m.State == ending {
						cancel()
						synctest.Wait()
					}
				})
				if m.State != Cancelled || m.Err != nil {
					t.Fatalf("while %q: %q, %v", ending, m.State, m.Err)
				}
			})
		}
	}
}

func TestAFailureSaysWhatToDoWhereNobodyIsConnectedYet(t *testing.T) {
	typed, err := localapi.ParseToken(localapi.TokenPrefix + strings.Repeat("x", 29))
	if err != nil {
		t.Fatal(err)
	}
	reauthorize := problem.Say("Re-authorize the graph.")
	for name, tc := range map[string]struct {
		code  problem.Code
		token localapi.Token
		says  string
	}{
		"a typed token that Roam does not know":          {localapi.CodeTokenNotFound, typed, "copy a token from Settings > Graph > Local API Tokens"},
		"a typed token that an older build refuses":      {localapi.CodeUnauthorized, typed, "was not copied whole"},
		"a typed token of the graph of the other type":   {localapi.CodeWrongGraphType, typed, "copy the token of the hosted graph"},
		"a graph that Roam does not have":                {localapi.CodeGraphNotFound, localapi.Token{}, "Check the name"},
		"a token that Roam does not know, and not typed": {localapi.CodeTokenNotFound, localapi.Token{}, "Re-authorize"},
	} {
		t.Run(name, func(t *testing.T) {
			refused := &problem.Error{Code: tc.code, Call: &problem.Call{Status: 401, Sent: true, CodeSent: true}, Message: "Roam refused.", Hint: reauthorize}
			q := request()
			q.Graph.Type, q.Token = localapi.Hosted, tc.token
			m := Run(t.Context(), &roam{
				request: func(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error) {
					return localapi.TokenGrant{}, refused
				},
				verify: func() (localapi.AccessLevel, error) { return "", refused },
			}, q, Policy{}, nil)
			said := m.Err.Message + " " + problem.World{}.Say(m.Err.Hint)
			if m.State != Failed || m.Err.Code != tc.code || !strings.Contains(said, tc.says) {
				t.Errorf("%v: %s", m.State, said)
			}
			if !tc.token.IsZero() && strings.Contains(said, "e-authorize") {
				t.Errorf("it is not connected: %s", said)
			}
		})
	}
}
