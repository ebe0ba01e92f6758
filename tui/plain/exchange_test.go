package plain

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/problem"
)

// connecting are the answers that lead to an exchange for a graph.
func connecting(more ...string) []string {
	return append([]string{"connect", "archive", "", "", ""}, more...)
}

func TestStates(t *testing.T) {
	for _, state := range exchange.States() {
		t.Run("are told with a way on: "+state.String(), func(t *testing.T) {
			w, out := newWorld(t), &strings.Builder{}
			w.options.Input, w.options.Output = strings.NewReader(""), out
			machine := exchange.Machine{State: state, Since: time.Now(), Policy: exchange.Policy{Wait: true}, Request: exchange.Request{AccessLevel: localapi.Full}}
			machine.Err = &problem.Error{Code: localapi.CodeInternal, Message: "This is why.", Hint: problem.Say("Do that.")}
			follow := &wait{connector: connector{newSession(t.Context(), w.ports, w.options)}}
			if follow.entered(machine) && state != exchange.Granted {
				if _, err := follow.chooseAfter(t.Context(), machine); !endedAt(err, "How to go on") {
					t.Errorf("the error is %v", err)
				}
			}
			want := follow.sentences()
			switch state {
			case exchange.Granted: // told once the token is saved
				want = nil
			case exchange.Locating, exchange.Verifying: // over in a moment
			case exchange.Unreachable, exchange.Disabled, exchange.Waiting, exchange.Busy:
				want = append(want, "type cancel")
			case exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed, exchange.Cancelled:
				want = append(want, "How to go on")
			}
			flat := strings.Join(strings.Fields(out.String()), "")
			for _, sentence := range want {
				if !strings.Contains(flat, strings.NewReplacer("“", `"`, "”", `"`, " ", "").Replace(sentence)) {
					t.Errorf("there is no %q in:\n%s", sentence, out)
				}
			}
		})
	}
}

func TestExchange(t *testing.T) {
	t.Run("can be cancelled from a pipe", func(t *testing.T) {
		w := newWorld(t)
		w.roam.ask = silent
		w.says(connecting("cancel", "back"), "Cancelled.", "The request was dropped. Nothing was saved.")
	})
	t.Run("asks how to go on where an answer is for later", func(t *testing.T) {
		w := newWorld(t)
		w.roam.away(&problem.Error{Code: localapi.CodeDisabled, Message: "The Local API is off."})
		w.says([]string{"connect", "other", "archive", "", "", "", "back"}, "Roam's Local API is disabled.", "1. retry: look again", "How to go on (default: 2, back):")
	})
	t.Run("asks nobody where the token could not be saved", func(t *testing.T) {
		w := newWorld(t)
		w.graphs.Store = lockedStore{w.store}
		w.roam.ask = func(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error) {
			t.Error("somebody was asked")
			return localapi.TokenGrant{}, nil
		}
		w.says(connecting(), "The token could not be saved, so nobody was asked.", "The folder is gone.")
	})
	t.Run("tells the time left each minute and towards the end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.roam.ask = silent
			started := time.Now()
			printed, err := w.run(connecting()...)
			if gone := time.Since(started); !endedAt(err, "How to go on") || gone < exchange.RequestTimeout || gone > exchange.RequestTimeout+time.Minute {
				t.Fatalf("after %v the error is %v\n%s", gone, err, printed)
			}
			at := 0
			for _, text := range []string{"5 minutes left.", "4 minutes left.", "3 minutes left.", "2 minutes left.", "60 seconds left.", "30 seconds left.", "10 seconds left.", "No answer in time."} {
				next := strings.Index(printed[at:], text)
				if next < 0 {
					t.Fatalf("%q is missing or out of order in:\n%s", text, printed)
				}
				at += next
			}
			if n := strings.Count(printed, " left."); n != 7 {
				t.Errorf("the time left was told %d times:\n%s", n, printed)
			}
		})
	})
	t.Run("goes on by itself when Roam appears", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.roam.away(&problem.Error{Code: localapi.CodeConnectionFailed, Message: "Nothing answers."})
			printed, err := w.runFrom(later(func(input *io.PipeWriter) {
				time.Sleep(time.Hour)
				w.roam.away(nil)
				time.Sleep(time.Hour)
				_, _ = io.WriteString(input, "quit\n")
				_ = input.Close()
			}, "connect", "other", "archive", "", "", ""))
			w.has(printed, "Roam Desktop can't be reached.", "This goes on by itself when Roam answers.", "Connected.")
			if entry, _ := w.config().Find("Archive"); err != nil || entry.AccessLevel != localapi.Full {
				t.Errorf("a graph that Roam has was asked for as somebody else's: %+v, %v", entry, err)
			}
			if n := strings.Count(printed, "can't be reached."); n != 1 {
				t.Errorf("that Roam is away was told %d times:\n%s", n, printed)
			}
		})
	})
}

func TestExchangeEnds(t *testing.T) {
	for name, test := range map[string]struct {
		answer       func(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error)
		byInput, has bool
	}{
		"with the program, and drops the request":          {silent, false, false},
		"with the program, and saves what is granted then": {grants, false, true},
		"with the input, and saves what is granted then":   {grants, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			asked, dropped := make(chan struct{}), make(chan struct{})
			w.roam.ask = func(ctx context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
				defer close(dropped)
				close(asked)
				<-ctx.Done()
				return test.answer(ctx, r)
			}
			var out strings.Builder
			w.options.Terminal, w.options.Output = test.byInput, &out
			w.options.Input = later(func(input *io.PipeWriter) {
				<-asked
				if test.byInput {
					_ = input.Close()
				} else {
					interrupt()
				}
			}, connecting()...)
			if err := Run(ctx, w.ports, w.options); test.byInput != endedAt(err, "") || !test.byInput && !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v\n%s", err, out.String())
			}
			<-dropped
			if _, saved := w.config().FindGraph(hosted("archive")); saved != test.has {
				t.Errorf("saved: %v\n%s", saved, out.String())
			}
		})
	}
}

func TestSave(t *testing.T) {
	t.Run("keeps a token in a file of its own where it can't be saved, and goes on", func(t *testing.T) {
		w := newWorld(t)
		w.graphs.Store = brokenStore{w.store}
		w.says(connecting(), "Granted, and kept in a file of its own.", "roam-mcp import")
	})
	for name, lines := range map[string][]string{
		"asks where a token can't be kept at all": {"leave", "quit"},
		"tries again":                                {"again", "2", "quit"},
		"asks again after a choice that is none":     {"perhaps", "2", "quit"},
		"says so where nobody decides what to do":    {},
		"says so where nobody decides after a retry": {"again"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.graphs.Store = brokenStore{w.store}
			w.graphs.Rescue = func(configstore.Entry) (string, error) { return "", errors.New("no space left") }
			printed, err := w.run(connecting(lines...)...)
			w.has(printed, "Granted, but not saved.", "How to go on (default: 1, again):")
			if decided := len(lines) > 1; decided != (err == nil) || !decided && !errors.Is(err, manage.ErrNotSaved) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// brokenStore saves nothing.
type brokenStore struct{ *configstore.Store }

func (brokenStore) SaveGrant(context.Context, configstore.Entry, bool) (configstore.Entry, error) {
	return configstore.Entry{}, errors.New("the disk is full")
}

// lockedStore says beforehand that it will save nothing.
type lockedStore struct{ *configstore.Store }

func (lockedStore) CheckWritable(context.Context) error { return errors.New("the folder is gone") }
