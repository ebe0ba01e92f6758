package plain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/exchange"
	"roam-mcp/manage"
	"roam-mcp/tui"
)

// exchange asks Roam for a token and tells what comes of it, until the token is
// saved or the person goes back. Whatever ends it closes the request.
func (c connector) exchange(ctx context.Context, a manage.Authorization) error {
	if err := c.graphs.CheckWritable(ctx); err != nil {
		c.tell(c.words.NotAsked(err).Sentences()...)
		return nil
	}
	running := c.graphs.Exchange(ctx, a.Request)
	defer running.Close()
	w := &wait{connector: c, running: running, authorization: a}
	for {
		if err := w.await(ctx); err != nil {
			return w.broken(ctx, err)
		}
		if w.last.State == exchange.Granted {
			return c.save(ctx, a, w.last)
		}
		event, err := c.chooseAfter(ctx, w.last)
		if err != nil || event == nil {
			return err
		}
		running.Send(event)
	}
}

// wait is the follow-up of an exchange until a person has to decide.
type wait struct {
	connector
	running       manage.Exchange
	authorization manage.Authorization
	shown         tui.AccessRequest // the desk's question that is asked; ID empty: none
	last          exchange.Machine
	// onPrompt: the line of a question is not ended yet.
	onPrompt bool
}

// broken ends an exchange whose wait an error has ended. A token that was granted
// in that moment is saved all the same.
func (w *wait) broken(ctx context.Context, err error) error {
	machine := w.running.Close()
	if machine.State != exchange.Granted {
		return err
	}
	return errors.Join(err, w.save(ctx, w.authorization, machine))
}

// sentences say how the exchange stands, the headline first.
func (w *wait) sentences() []string {
	return w.words.Exchange(w.authorization, w.last, nil).Sentences()
}

// newLine ends the line of a question, which only a terminal leaves open.
func (w *wait) newLine() {
	if w.onPrompt {
		w.say("")
	}
	w.onPrompt = false
}

// await follows an exchange until it is granted or waits for a person's choice.
func (w *wait) await(ctx context.Context) error {
	for {
		w.obeyKept()
		lines := w.in.lines
		if w.in.kept != nil {
			if w.absent() {
				return nil // somebody has gone on to answer
			}
			lines = nil // one line ahead is enough
		}
		remind, stop := w.reminder()
		ended, err := w.step(ctx, lines, remind)
		stop()
		if err != nil || ended {
			return err
		}
	}
}

// step waits for whatever comes first. It does not look at ctx: the exchange ends
// with it, and its last word may be a token.
func (w *wait) step(ctx context.Context, lines <-chan line, remind <-chan time.Time) (ended bool, err error) {
	select {
	case machine, open := <-w.running.Updates():
		if !open {
			return false, cmp.Or(ctx.Err(), context.Canceled)
		}
		return w.entered(machine), w.unanswerable(ctx)
	case requests, open := <-w.desk.updates:
		w.heard(requests, open)
		return false, w.unanswerable(ctx)
	case <-remind:
		w.newLine()
		w.tellLeft()
		if w.shown.ID != "" {
			w.promptDesk()
		}
	case l := <-lines:
		if l, ok := w.in.take(l); ok {
			w.obey(l)
			return false, nil
		}
		return false, w.unanswerable(ctx)
	}
	return false, nil
}

// entered tells of a machine where it is news, and reports whether the exchange
// goes on by a person's choice alone.
func (w *wait) entered(machine exchange.Machine) bool {
	news := machine.State != w.last.State || !machine.Since.Equal(w.last.Since)
	w.last = machine
	ended := machine.Ended()
	if news {
		w.newLine()
	}
	if news && machine.State != exchange.Granted { // save tells of a grant
		w.tell(w.sentences()...)
		w.tellLeft()
		if lasting(machine) {
			w.tell("To " + choicesOf(w.choices()))
		}
	}
	return ended
}

// lasting reports whether the state may stay for a while, so that its choices
// are worth a line.
func lasting(m exchange.Machine) bool {
	return !m.Ended() && m.State != exchange.Locating && m.State != exchange.Verifying
}

// choices are the words that mean something while an exchange goes on.
func (w *wait) choices() []option {
	cancel := option{word: "cancel", about: "drop this", also: []string{"c"}}
	look := option{word: "retry", about: "look again now", also: []string{"r"}}
	open := option{word: "open", about: "open Roam", also: []string{"o"}}
	all := []option{cancel}
	switch w.last.State {
	case exchange.Unreachable, exchange.Disabled, exchange.Busy:
		all = append(all, look)
	case exchange.Waiting:
		open.about = "bring Roam to the front"
	case exchange.Locating, exchange.Verifying, exchange.Granted,
		exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed, exchange.Cancelled:
		return all
	}
	if w.ports.OpenRoam != nil && !w.options.Sandbox {
		all = append(all, open)
	}
	return all
}

// choicesOf is the end of a sentence that begins with "To".
func choicesOf(options []option) string {
	var said []string
	for _, o := range options {
		said = append(said, o.about+", type "+o.word)
	}
	return strings.Join(said, "; to ") + "."
}

// obeyKept takes a line that came earlier, where it is for now.
func (w *wait) obeyKept() {
	if w.in.kept == nil {
		return
	}
	kept := *w.in.kept
	w.in.kept = nil
	w.obey(kept)
}

// absent reports whether Roam is waited for without a limit.
func (w *wait) absent() bool {
	return w.last.State == exchange.Unreachable || w.last.State == exchange.Disabled
}

// obey takes a line as the answer to the desk's question, or as a choice. From a
// pipe any other line is kept for the next question: it was written before
// anybody knew that there would be a wait.
func (w *wait) obey(l line) {
	w.onPrompt = false // the Enter of the line has ended it
	answer := strings.TrimSpace(l.text)
	for _, o := range w.choices() {
		if l.err == nil && o.is(answer) {
			w.do(o.word)
			return
		}
	}
	switch {
	case w.shown.ID != "":
		w.answer(l, answer)
	case !w.options.Terminal:
		w.in.kept = &l
	case l.err != nil:
		w.fail(l.err)
	case answer == "":
		w.tell(w.sentences()[0])
		w.tellLeft()
	default:
		w.tell("That is none of the choices.", "To "+choicesOf(w.choices()))
	}
}

func (w *wait) do(word string) {
	switch word {
	case "cancel":
		w.running.Send(exchange.Cancel{})
	case "retry":
		w.running.Send(exchange.Retry{})
	case "open":
		w.tell("Opening Roam Desktop.")
		w.running.Send(exchange.OpenRoam{})
	}
}

// heard takes notice of the desk's open requests; the one for this very graph is
// asked at once.
func (w *wait) heard(requests []tui.AccessRequest, open bool) {
	graph := w.authorization.Request.Graph // the first machine may come after the desk's news
	at := slices.IndexFunc(requests, func(r tui.AccessRequest) bool { return r.Graph == graph })
	if open && at >= 0 {
		if w.desk.told == nil {
			w.desk.told = map[string]bool{}
		}
		w.desk.told[requests[at].ID] = true // asked instead
	}
	w.newLine()
	w.desk.follow(&w.prompter, requests, open)
	if !open || at < 0 {
		w.shown = tui.AccessRequest{}
		return
	}
	if w.shown.ID == requests[at].ID {
		return
	}
	w.shown = requests[at]
	w.tell("Roam (sandbox): " + w.shown.Sentence(w.glyphs))
	for _, o := range decisions() {
		w.tellIn("  ", o.word+": "+o.about)
	}
	w.promptDesk()
}

func (w *wait) promptDesk() {
	w.prompt("Answer", decisions()[denying].word)
	w.onPrompt = w.options.Terminal
}

// answer takes a line as the answer to the desk's question.
func (w *wait) answer(l line, answer string) {
	i := indexOf(decisions(), answer)
	if answer == "" {
		i = denying
	}
	if l.err != nil || i < 0 {
		w.tell("That is none of the choices: allow, lower, deny, never.")
		w.promptDesk()
		return
	}
	request := w.shown
	w.shown = tui.AccessRequest{}
	w.decide(request, i)
}

// unanswerable ends the wait where the input has ended and nobody else could
// answer what is asked. A request that is open in Roam itself is answered there.
func (w *wait) unanswerable(ctx context.Context) error {
	switch {
	case w.in.ended == nil:
		return nil
	case w.shown.ID != "":
		return w.in.endedAt(ctx, "Answer")
	case !w.last.Ended() && (w.options.Terminal || w.absent()):
		return w.in.endedAt(ctx, w.last.State.String())
	}
	return nil
}

// reminder wakes at the next moment at which the time left is worth a line: each
// full minute, and half a minute and ten seconds before the end.
func (w *wait) reminder() (<-chan time.Time, func()) {
	left := w.left()
	if left <= 0 {
		return nil, func() {}
	}
	mark := 10 * time.Second
	switch {
	case left > time.Minute:
		mark = (left - 1).Truncate(time.Minute)
	case left > 30*time.Second:
		mark = 30 * time.Second
	case left <= mark:
		return nil, func() {}
	}
	timer := time.NewTimer(left - mark)
	return timer.C, func() { timer.Stop() }
}

// left is how long a request stays open; zero in other states.
func (w *wait) left() time.Duration {
	if w.last.State != exchange.Waiting && w.last.State != exchange.Busy {
		return 0
	}
	return w.last.Left(w.graphs.Now())
}

func (w *wait) tellLeft() {
	if left := w.left(); left > 0 {
		w.tell(InWords(left) + " left.")
	}
}

// InWords rounds a duration to what a person would say: "5 minutes".
func InWords(d time.Duration) string {
	unit, n := "second", int(d.Round(time.Second)/time.Second)
	if n >= 120 {
		unit, n = "minute", (n+30)/60
	}
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
