package desk

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

var (
	demo    = localapi.Graph{Name: "demo", Type: localapi.Hosted}
	offline = localapi.Graph{Name: "demo", Type: localapi.Offline}
)

func open(t *testing.T, options Options) *Desk {
	t.Helper()
	if options.Path == "" {
		options.Path = filepath.Join(t.TempDir(), "tokens.json")
	}
	d, err := Open(options)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	return d
}

func access(graph localapi.Graph) Access {
	return Access{Graph: graph, AccessLevel: localapi.Full, Description: "a test", AI: true}
}

// ask runs a request beside the test and gives its outcome.
func ask(ctx context.Context, d *Desk, a Access) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		grant, err := d.RequestAccess(ctx, a)
		done <- outcome{grant, err}
	}()
	return done
}

func TestAPersonDecides(t *testing.T) {
	for name, c := range map[string]struct {
		decision Decision
		level    localapi.AccessLevel
		code     problem.Code
	}{
		"as asked":       {Decision{Verdict: Grants}, localapi.Full, ""},
		"a lower level":  {Decision{Verdict: Grants, AccessLevel: localapi.ReadAppend}, localapi.ReadAppend, ""},
		"the lowest":     {Decision{Verdict: Grants, AccessLevel: localapi.ReadOnly}, localapi.ReadOnly, ""},
		"no":             {Decision{Verdict: Rejects}, "", localapi.CodeUserRejected},
		"never":          {Decision{Verdict: Blocks}, "", localapi.CodeGraphBlocked},
		"the same level": {Decision{Verdict: Grants, AccessLevel: localapi.Full}, localapi.Full, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t, Options{})
				done := ask(t.Context(), d, access(demo))
				synctest.Wait()
				pending := d.Pending()
				if len(pending) != 1 || pending[0].Graph != demo || pending[0].Description != "a test" {
					t.Fatalf("pending: %+v", pending)
				}
				if left := pending[0].Expires.Sub(pending[0].Asked); left != 5*time.Minute {
					t.Errorf("open for %v, want 5m", left)
				}
				require.NoError(t, d.Answer(pending[0].ID, c.decision))
				got := <-done
				if problem.CodeOf(got.err) != c.code || got.grant.AccessLevel != c.level {
					t.Errorf("%+v, want %s %s", got, c.level, c.code)
				}
				if c.level != "" {
					info, err := d.Check(got.grant.Token.Reveal(), demo)
					if err != nil || info.AccessLevel != c.level || !info.AI {
						t.Errorf("the granted token is %+v, %v", info, err)
					}
				}
				if len(d.Pending()) != 0 || problem.CodeOf(d.Answer(pending[0].ID, c.decision)) != CodeRequestOver {
					t.Error("an answered request is still open")
				}
			})
		})
	}
}

func TestPoliciesAnswerByThemselves(t *testing.T) {
	for policy, want := range map[Policy]problem.Code{
		Allow: "", Deny: localapi.CodeUserRejected, Never: localapi.CodeGraphBlocked, Timeout: localapi.CodeTimeout,
	} {
		t.Run(string(policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t, Options{Policy: policy})
				start := time.Now()
				grant, err := d.RequestAccess(t.Context(), access(demo))
				if problem.CodeOf(err) != want || grant.Token.IsZero() != (want != "") {
					t.Errorf("%+v, %v; want %q", grant, err, want)
				}
				waited := time.Since(start)
				if (policy == Timeout) != (waited == 5*time.Minute) || policy != Timeout && waited != 0 {
					t.Errorf("answered after %v", waited)
				}
				if len(d.Blocked()) != 0 {
					t.Error("a policy's answer outlives the policy")
				}
			})
		})
	}
}

func TestARequestEndsAfterTheLimit(t *testing.T) {
	for _, limit := range []time.Duration{0, 200 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			want := cmp.Or(limit, 5*time.Minute)
			d := open(t, Options{AnswerLimit: limit})
			done := ask(t.Context(), d, access(demo))
			time.Sleep(want - time.Millisecond)
			synctest.Wait()
			if len(d.Pending()) != 1 {
				t.Fatal("the request ended before its limit")
			}
			id := d.Pending()[0].ID
			time.Sleep(time.Millisecond)
			if got := <-done; problem.CodeOf(got.err) != localapi.CodeTimeout {
				t.Errorf("%+v, want TIMEOUT", got)
			}
			if err := d.Answer(id, Decision{Verdict: Grants}); problem.CodeOf(err) != CodeRequestOver {
				t.Errorf("answering too late: %v", err)
			}
		})
	}
}

func TestOneRequestIsOpenPerGraphAndType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		first := ask(ctx, d, access(demo))
		synctest.Wait()
		if _, err := d.RequestAccess(t.Context(), access(demo)); problem.CodeOf(err) != localapi.CodeRequestInProgress {
			t.Errorf("the second request: %v", err)
		}
		other := ask(t.Context(), d, access(offline))
		synctest.Wait()
		if len(d.Pending()) != 2 {
			t.Errorf("%d requests open, want that of the other type too", len(d.Pending()))
		}
		cancel()
		if got := <-first; problem.CodeOf(got.err) != localapi.CodeCancelled {
			t.Errorf("the asker who went away got %+v", got)
		}
		again := ask(t.Context(), d, access(demo))
		synctest.Wait()
		if len(d.Pending()) != 2 {
			t.Error("a cancelled request still blocks the next one")
		}
		d.Close()
		for _, done := range []<-chan outcome{other, again} {
			if got := <-done; problem.CodeOf(got.err) != localapi.CodeCancelled {
				t.Errorf("after closing: %+v", got)
			}
		}
		if _, err := d.RequestAccess(t.Context(), access(demo)); problem.CodeOf(err) != localapi.CodeCancelled {
			t.Errorf("a closed desk answered %v", err)
		}
	})
}

func TestNeverLastsUntilItIsLifted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "tokens.json")
		d := open(t, Options{Path: path})
		done := ask(t.Context(), d, access(demo))
		synctest.Wait()
		require.NoError(t, d.Answer(d.Pending()[0].ID, Decision{Verdict: Blocks}))
		<-done
		reopened := open(t, Options{Path: path, Policy: Allow})
		if _, err := reopened.RequestAccess(t.Context(), access(demo)); problem.CodeOf(err) != localapi.CodeGraphBlocked {
			t.Errorf("after a restart: %v", err)
		}
		if _, err := reopened.RequestAccess(t.Context(), access(offline)); err != nil {
			t.Errorf("the graph of the other type: %v", err)
		}
		if was, err := reopened.Unblock(demo); !was || err != nil {
			t.Errorf("Unblock: %v, %v", was, err)
		}
		if was, _ := reopened.Unblock(demo); was {
			t.Error("a graph was unblocked twice")
		}
		if _, err := reopened.RequestAccess(t.Context(), access(demo)); err != nil {
			t.Errorf("once unblocked: %v", err)
		}
	})
}

func TestAnswersThatMakeNoSenseLeaveTheRequestOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{})
		asked := access(demo)
		asked.AccessLevel = localapi.ReadOnly
		done := ask(t.Context(), d, asked)
		synctest.Wait()
		id := d.Pending()[0].ID
		for _, decision := range []Decision{
			{}, {Verdict: Grants, AccessLevel: localapi.Full}, {Verdict: Grants, AccessLevel: "root"}, {Verdict: 9},
		} {
			if err := d.Answer(id, decision); problem.CodeOf(err) != localapi.CodeValidation {
				t.Errorf("%+v: %v", decision, err)
			}
		}
		if err := d.Answer("77", Decision{Verdict: Grants}); problem.CodeOf(err) != CodeRequestOver {
			t.Errorf("an unknown id: %v", err)
		}
		require.NoError(t, d.Answer(id, Decision{Verdict: Rejects}))
		<-done
	})
}

func TestRequestsAreChecked(t *testing.T) {
	d := open(t, Options{Policy: Allow})
	for name, change := range map[string]func(*Access){
		"no graph":                 func(a *Access) { a.Graph.Name = "" },
		"an impossible graph":      func(a *Access) { a.Graph.Name = "a b" },
		"an impossible type":       func(a *Access) { a.Graph.Type = "cloud" },
		"no description":           func(a *Access) { a.Description = " " },
		"an endless description":   func(a *Access) { a.Description = strings.Repeat("x", 1001) },
		"no level":                 func(a *Access) { a.AccessLevel = "" },
		"a level of hosted graphs": func(a *Access) { a.AccessLevel = localapi.ReadEditOwn },
	} {
		asked := access(demo)
		change(&asked)
		if _, err := d.RequestAccess(t.Context(), asked); problem.CodeOf(err) != localapi.CodeValidation {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATokenThatCouldNotBeSavedIsNotGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "data")
		require.NoError(t, os.Mkdir(folder, 0o700))
		d := open(t, Options{Path: filepath.Join(folder, "tokens.json")})
		done := ask(t.Context(), d, access(demo))
		synctest.Wait()
		require.NoError(t, os.RemoveAll(folder))
		if err := d.Answer(d.Pending()[0].ID, Decision{Verdict: Grants}); problem.CodeOf(err) != localapi.CodeInternal {
			t.Errorf("the host is told %v", err)
		}
		if got := <-done; problem.CodeOf(got.err) != localapi.CodeInternal || !got.grant.Token.IsZero() {
			t.Errorf("the asker got %+v", got)
		}
		if len(d.Tokens()) != 0 {
			t.Error("the token is known although it is not on disk")
		}
	})
}

func TestWatchersSeeTheNewestState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		watch := d.Watch(ctx)
		if first := <-watch; len(first) != 0 {
			t.Errorf("at first: %v", first)
		}
		ask(t.Context(), d, access(demo))
		synctest.Wait()
		ask(t.Context(), d, access(offline))
		synctest.Wait()
		if second := <-watch; len(second) != 2 {
			t.Errorf("one who was slow sees %d requests, want 2", len(second))
		}
		cancel()
		synctest.Wait()
		if _, open := <-watch; open {
			t.Error("the channel stays open after its context")
		}
	})
}

func TestARequestEndsAsItWasSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{Policy: Ask})
		for _, want := range []problem.Code{
			localapi.CodeUserRejected, localapi.CodeGraphBlocked, localapi.CodeRequestInProgress,
			localapi.CodeCancelled, localapi.CodeInternal, localapi.CodeTimeout,
		} {
			began := time.Now()
			_, err := d.RequestEnding(t.Context(), access(demo), Ending{Code: want})
			if waited := time.Since(began); problem.CodeOf(err) != want || (waited == DefaultAnswerLimit) != (want == localapi.CodeTimeout) {
				t.Errorf("%s: %v after %v", want, err, waited)
			}
		}
		if len(d.Pending()) != 0 || len(d.Blocked()) != 0 || len(d.Tokens()) != 0 {
			t.Error("something is left of it")
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := d.RequestEnding(ctx, access(demo), Ending{Code: localapi.CodeTimeout}); problem.CodeOf(err) != localapi.CodeCancelled {
			t.Errorf("one who went away: %v", err)
		}
	})
}

func TestASettledGrantIsNeverAboveWhatWasAskedFor(t *testing.T) {
	d := open(t, Options{Policy: Never})
	for most, want := range map[localapi.AccessLevel]localapi.AccessLevel{
		"": localapi.ReadAppend, localapi.Full: localapi.ReadAppend, localapi.ReadOnly: localapi.ReadOnly,
	} {
		asked := access(demo)
		asked.AccessLevel = localapi.ReadAppend
		grant, err := d.RequestEnding(t.Context(), asked, Ending{AccessLevel: most})
		if err != nil || grant.AccessLevel != want {
			t.Errorf("at most %q: %q, %v", most, grant.AccessLevel, err)
			continue
		}
		if info, err := d.Check(grant.Token.Reveal(), demo); err != nil || info.AccessLevel != want {
			t.Errorf("%+v, %v", info, err)
		}
	}
	if _, err := d.RequestEnding(t.Context(), Access{}, Ending{}); problem.CodeOf(err) != localapi.CodeValidation {
		t.Errorf("a request that makes no sense: %v", err)
	}
}
