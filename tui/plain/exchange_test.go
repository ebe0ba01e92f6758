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
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/problem"
)

// fakeExchange shows machines and takes no notice of what is sent.
type fakeExchange struct{ updates chan exchange.Machine }

func (f *fakeExchange) Updates() <-chan exchange.Machine { return f.updates }
func (f *fakeExchange) Send(exchange.Event)              {}
func (f *fakeExchange) Close() exchange.Machine          { return exchange.Machine{} }

// machineIn is an exchange that stands in a state, as far as words need it.
func machineIn(state exchange.State) exchange.Machine {
	m := exchange.Machine{
		State: state, Since: time.Now(),
		Request: exchange.Request{Graph: hosted("archive"), AccessLevel: localapi.Full},
		Policy:  exchange.Policy{Wait: true},
	}
	switch state {
	case exchange.Unreachable, exchange.Disabled, exchange.Busy, exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed:
		m.Err = &problem.Error{Code: localapi.CodeInternal, Message: "This is why.", Hint: problem.Say("Do that.")}
	case exchange.Granted:
		m.Grant = localapi.TokenGrant{Graph: hosted("archive"), Token: secret("new0"), AccessLevel: localapi.ReadOnly}
	case exchange.Locating, exchange.Waiting, exchange.Verifying, exchange.Cancelled:
	}
	if state == exchange.Waiting {
		m.Deadline = m.Since.Add(exchange.RequestTimeout)
	}
	return m
}

func TestEveryStateOfAnExchangeHasItsSentencesAndAWayOn(t *testing.T) {
	for _, state := range exchange.States() {
		t.Run(state.String(), func(t *testing.T) {
			w := newWorld(t)
			ctx, leave := context.WithTimeout(t.Context(), time.Minute)
			defer leave()
			fake := &fakeExchange{updates: make(chan exchange.Machine, 1)}
			fake.updates <- machineIn(state)
			w.graphs.Exchange = func(ctx context.Context, _ exchange.Request) manage.Exchange {
				context.AfterFunc(ctx, func() { close(fake.updates) })
				return fake
			}
			var out syncbuffer.Buffer
			reader, writer := io.Pipe()
			defer writer.Close()
			w.options.Input, w.options.Output = reader, &out
			ended := make(chan error, 1)
			go func() { ended <- Run(ctx, w.ports, w.options) }()
			if _, err := io.WriteString(writer, "connect\narchive\n\n\n\n"); err != nil {
				t.Fatal(err)
			}
			var wayOn string
			switch state {
			case exchange.Locating, exchange.Verifying:
				wayOn = "" // over in a moment
			case exchange.Waiting, exchange.Busy, exchange.Unreachable, exchange.Disabled:
				wayOn = "type cancel"
			case exchange.Granted:
				wayOn = "What to do"
			case exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed, exchange.Cancelled:
				wayOn = "How to go on"
			}
			said := awaitAfter(t, &out, "Shown in Roam (default: roam-mcp on a test):\n", wayOn)
			leave()
			<-ended
			kept := &manage.Kept{Entry: configstore.Entry{Nickname: "Archive"}}
			sentences := w.options.Wording(w.store.Path, false).Exchange(manage.Authorization{}, machineIn(state), kept).Sentences()
			flat := strings.Join(strings.Fields(said), "")
			for _, sentence := range sentences {
				if !strings.Contains(flat, strings.NewReplacer("“", `"`, "”", `"`, " ", "").Replace(sentence)) {
					t.Errorf("the wording says %q, and that is not in:\n%s", sentence, said)
				}
			}
		})
	}
}

func TestTheTimeLeftIsToldEachMinuteAndTowardsTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.roam.ask = silent
		started := time.Now()
		printed, err := w.run("connect", "archive", "", "", "")
		if !endedAt(err, "How to go on") {
			t.Fatalf("the error is %v\n%s", err, printed)
		}
		if gone := time.Since(started); gone < exchange.RequestTimeout || gone > exchange.RequestTimeout+time.Minute {
			t.Errorf("it took %v", gone)
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
}

func TestAWaitForRoamGoesOnByItselfWhenRoamAppears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		away := &problem.Error{Code: localapi.CodeConnectionFailed, Message: "Nothing answers."}
		w.roam.away(away)
		reader, writer := io.Pipe()
		go func() {
			for _, line := range []string{"connect", "other", "archive", "", "", ""} {
				_, _ = io.WriteString(writer, line+"\n")
			}
			time.Sleep(time.Hour)
			w.roam.away(nil)
			time.Sleep(time.Hour)
			_, _ = io.WriteString(writer, "quit\n")
			writer.Close()
		}()
		printed, err := w.runFrom(reader)
		w.done(printed, err)
		w.has(printed, "Roam Desktop can't be reached.", "This goes on by itself when Roam answers.", "Connected.")
		if entry, _ := w.config().Find("Archive"); entry.AccessLevel != localapi.Full {
			t.Errorf("a graph that Roam has was asked for as somebody else's: %+v", entry)
		}
		if n := strings.Count(printed, "can't be reached."); n != 1 {
			t.Errorf("that Roam is away was told %d times:\n%s", n, printed)
		}
	})
}

func TestAnAnswerThatWasMeantForLaterEndsTheWaitForRoamWithAQuestion(t *testing.T) {
	w := newWorld(t)
	w.roam.away(&problem.Error{Code: localapi.CodeDisabled, Message: "The Local API is off."})
	printed, err := w.run("connect", "other", "archive", "", "", "", "back", "quit")
	w.done(printed, err)
	w.has(printed, "Roam's Local API is disabled.", "1. retry: look again", "How to go on (default: 2, back):")
}

func TestTheEndOfTheProgramDropsTheRequest(t *testing.T) {
	w := newWorld(t)
	ctx, interrupt := context.WithCancel(t.Context())
	dropped := make(chan struct{})
	w.roam.ask = func(ctx context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
		defer close(dropped)
		interrupt()
		return silent(ctx, r)
	}
	var out strings.Builder
	reader, writer := io.Pipe()
	defer writer.Close()
	go func() { _, _ = io.WriteString(writer, "connect\narchive\n\n\n\n") }()
	w.options.Input, w.options.Output = reader, &out
	if err := Run(ctx, w.ports, w.options); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v\n%s", err, out.String())
	}
	<-dropped
}

func TestATokenThatIsGrantedInTheMomentTheProgramEndsIsSaved(t *testing.T) {
	w := newWorld(t)
	ctx, interrupt := context.WithCancel(t.Context())
	w.roam.ask = func(ctx context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
		interrupt()
		<-ctx.Done()
		return grants(ctx, r)
	}
	var out strings.Builder
	w.options.Input, w.options.Output = strings.NewReader("connect\narchive\n\n\n\n"), &out
	if err := Run(ctx, w.ports, w.options); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if _, saved := w.config().FindGraph(hosted("archive")); !saved {
		t.Errorf("the token is lost:\n%s", out.String())
	}
}

func TestATokenThatIsGrantedInTheMomentTheInputEndsIsSaved(t *testing.T) {
	w := newWorld(t)
	reader, writer := io.Pipe()
	w.roam.ask = func(ctx context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
		writer.Close()
		<-ctx.Done()
		return grants(ctx, r)
	}
	go func() { _, _ = io.WriteString(writer, "connect\narchive\n\n\n\n") }() // the program reads to the end
	var out strings.Builder
	w.options.Input, w.options.Output, w.options.Terminal = reader, &out, true
	if err := Run(t.Context(), w.ports, w.options); !endedAt(err, "") {
		t.Errorf("the error is %v", err)
	}
	if _, saved := w.config().FindGraph(hosted("archive")); !saved {
		t.Errorf("the token is lost:\n%s", out.String())
	}
}

func TestARequestIsCancelledFromAPipe(t *testing.T) {
	w := newWorld(t)
	w.roam.ask = silent
	printed, err := w.run("connect", "archive", "", "", "", "cancel", "back", "quit")
	w.done(printed, err)
	w.has(printed, "Cancelled.", "The request was dropped. Nothing was saved.")
}

func TestSave(t *testing.T) {
	connect := []string{"connect", "archive", "", "", ""}
	t.Run("keeps a token in a file of its own where it can't be saved, and goes on", func(t *testing.T) {
		w := newWorld(t)
		w.graphs.Store = brokenStore{w.store}
		w.has(w.done(w.run(append(connect, "quit")...)), "Granted, and kept in a file of its own.", "roam-mcp import")
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
			printed, err := w.run(append(connect, lines...)...)
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

func TestNobodyIsAskedWhereTheTokenCouldNotBeSaved(t *testing.T) {
	w := newWorld(t)
	w.graphs.Store = lockedStore{w.store}
	w.roam.ask = func(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error) {
		t.Error("somebody was asked")
		return localapi.TokenGrant{}, nil
	}
	printed, err := w.run("connect", "archive", "", "", "", "quit")
	w.done(printed, err)
	w.has(printed, "The token could not be saved, so nobody was asked.", "The folder is gone.")
}

// lockedStore says beforehand that it will save nothing.
type lockedStore struct{ *configstore.Store }

func (lockedStore) CheckWritable(context.Context) error { return errors.New("the folder is gone") }
