package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"roam-mcp/exchange"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui"
)

// awaitAfter waits until a text stands behind a mark, and returns all behind it.
func awaitAfter(t *testing.T, out *syncbuffer.Buffer, mark, text string) string {
	t.Helper()
	var behind string
	err := await.NoError(2*time.Minute, func() error {
		_, behind, _ = strings.Cut(out.String(), mark)
		if !strings.Contains(behind, text) || !strings.HasSuffix(behind, "\n") || len(behind) <= 1 {
			return fmt.Errorf("there is no %q behind %q in:\n%s", text, mark, out)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return behind
}

// fakeDesk is a desk with requests that the test makes.
type fakeDesk struct {
	updates chan []tui.AccessRequest
	answers chan tui.Decision
	err     error
}

func newFakeDesk() *fakeDesk {
	return &fakeDesk{updates: make(chan []tui.AccessRequest, 8), answers: make(chan tui.Decision, 8)}
}

func (f *fakeDesk) Watch(context.Context) <-chan []tui.AccessRequest { return f.updates }

func (f *fakeDesk) Answer(_ string, d tui.Decision) error {
	f.answers <- d
	return f.err
}

func request(id, graph string) tui.AccessRequest {
	return tui.AccessRequest{ID: id, Graph: hosted(graph), Description: "an agent\x1b[31m", AccessLevel: localapi.Full}
}

func TestARequestOfSomebodyElseIsToldAndAnsweredByItsJob(t *testing.T) {
	for answer, want := range map[string]tui.Decision{
		"allow": tui.Allow, "1": tui.Allow, "a": tui.Allow, "LOWER": tui.AllowReadOnly, "3": tui.Deny, "": tui.Deny, "never": tui.Never, "!": tui.Never,
	} {
		t.Run("answer "+answer, func(t *testing.T) {
			w, desk := newWorld(t), newFakeDesk()
			w.ports.Desk = desk
			desk.updates <- []tui.AccessRequest{request("1", "elsewhere"), request("2", "elsewhere-too")}
			printed, err := w.run("answer", answer, "quit")
			w.done(printed, err)
			w.has(printed, `Roam (sandbox): "an agent" asks for full access to elsewhere (hosted).`, "To answer it, choose: answer.")
			if got := <-desk.answers; got != want {
				t.Errorf("the answer is %v, want %v", got, want)
			}
		})
	}
}

func TestARequestIsToldOnceAndMayGoAway(t *testing.T) {
	w, desk := newWorld(t), newFakeDesk()
	w.ports.Desk = desk
	var out syncbuffer.Buffer
	reader, writer := io.Pipe()
	w.options.Input, w.options.Output = reader, &out
	ended := make(chan error, 1)
	go func() { ended <- Run(t.Context(), w.ports, w.options) }()
	awaitAfter(t, &out, "help: list these again", "What to do")
	desk.updates <- []tui.AccessRequest{request("1", "elsewhere")}
	awaitAfter(t, &out, "help: list these again", "access to elsewhere")
	desk.updates <- []tui.AccessRequest{request("1", "elsewhere"), request("2", "there")}
	awaitAfter(t, &out, "help: list these again", "access to there")
	desk.updates <- nil
	if _, err := io.WriteString(writer, "graphs\nanswer\nquit\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	printed := out.String()
	w.has(printed, "No request is open.")
	if n := strings.Count(printed, "access to elsewhere"); n != 1 {
		t.Errorf("one request was told %d times:\n%s", n, printed)
	}
}

func TestADeskThatRefusesAnAnswerSaysWhy(t *testing.T) {
	w, desk := newWorld(t), newFakeDesk()
	w.ports.Desk, desk.err = desk, errors.New("that request is over")
	desk.updates <- []tui.AccessRequest{request("1", "elsewhere")}
	printed, err := w.run("answer", "allow", "quit")
	w.done(printed, err)
	w.has(printed, "That request is over.")
}

func TestTheEndOfTheInputAtTheDesksQuestionEndsTheExchange(t *testing.T) {
	w, desk := newWorld(t), newFakeDesk()
	w.ports.Desk = desk
	gone := make(chan struct{})
	w.roam.ask = func(ctx context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
		desk.updates <- []tui.AccessRequest{{ID: "1", Graph: r.Graph, Description: r.Description, AccessLevel: r.AccessLevel}}
		defer close(gone)
		return silent(ctx, r)
	}
	printed, err := w.run("connect", "archive", "", "", "", "perhaps")
	if !endedAt(err, "Answer") {
		t.Errorf("the error is %v\n%s", err, printed)
	}
	w.has(printed, "That is none of the choices: allow, lower, deny, never.")
	<-gone
	if len(w.config().Entries) != 2 {
		t.Error("something was saved")
	}
}

// The desk and the exchange tell of the same request through channels of their
// own, and either may be first.
func TestARequestThatTheDeskTellsBeforeTheExchangeIsAskedAbout(t *testing.T) {
	w := newWorld(t)
	w.options.Input, w.options.Output = strings.NewReader(""), io.Discard
	p := newPrompter(t.Context(), w.ports, w.options)
	waiting := &wait{prompter: p, authorization: manage.Authorization{Request: exchange.Request{Graph: hosted("archive")}}}
	waiting.heard([]tui.AccessRequest{request("1", "recipes"), request("2", "archive")}, true)
	if waiting.shown.ID != "2" {
		t.Errorf("the request that is asked about is %q", waiting.shown.ID)
	}
}
