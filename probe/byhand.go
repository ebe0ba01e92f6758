package probe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"roam-mcp/problem"
)

const (
	rateWrites = 2000
	rateLimit  = 3 * time.Minute
	rateRest   = 70 * time.Second // longer than the minute in which writes are counted
)

// rate writes one block again and again, as fast as Roam takes it, and says how far it came.
// It returns when writes are taken again.
func (r *run) rate(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, rateLimit)
	defer cancel()
	uid, err := r.create(ctx, r.page, r.say("rate"))
	if err != nil {
		return "The rate could not be tried."
	}
	r.allowWrites(rateWrites)
	again := func() error {
		_, err := r.do(ctx, r.token, "data.block.update", part(uid, "string", r.say("rate")))
		return err
	}
	started := time.Now()
	for n := range rateWrites {
		if err := again(); err != nil {
			e, _ := problem.AsCall(err)
			said := fmt.Sprintf("The write %d was refused after %.1f s", n+1, time.Since(started).Seconds())
			if e != nil {
				said += fmt.Sprintf(": status %d, %s", e.Status(), e.Code)
			}
			rest := time.NewTimer(rateRest)
			defer rest.Stop()
			select {
			case <-rest.C:
			case <-ctx.Done():
			}
			return said + "."
		}
	}
	return fmt.Sprintf("%d writes were taken in %.1f s.", rateWrites, time.Since(started).Seconds())
}

// allowWrites has further requests sent, beside those that a run may send.
func (s *sender) allowWrites(more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit, s.most = s.limit+more, s.most+more
}

// guided asks a person for steps in Roam, and says what it sees after each.
func (r *run) guided(ctx context.Context) (seen []string, err error) {
	uid, err := r.create(ctx, r.page, r.say("one"))
	for _, each := range []func(context.Context, string) (string, error){r.flightMode, r.closedWindow, r.lowerLevel, r.undo} {
		if err == nil {
			var said string
			said, err = each(ctx, uid)
			seen = append(seen, said)
		}
	}
	return seen, err
}

func (r *run) flightMode(ctx context.Context, uid string) (string, error) {
	before := time.Now().UnixMilli()
	err := r.options.Step(ctx, fmt.Sprintf("On a phone with this graph: switch flight mode on, set the text of the block %q on the page %q to %q, wait a minute, and switch flight mode off. Go on when Roam Desktop shows the new text.",
		r.say("one"), r.title(""), r.say("two")))
	if err != nil {
		return "", err
	}
	a := &asking{run: r}
	text, at := a.text(ctx, uid), a.times(ctx, ":edit/time", uid)[uid]
	switch {
	case a.err != nil:
		return "An edit made in flight mode: it could not be read.", nil
	case text != r.say("two"):
		return "An edit made in flight mode: it has not come.", nil
	case at < before:
		return "An edit made in flight mode: it bears no time of its own.", nil
	}
	return fmt.Sprintf("An edit made in flight mode: it bears a time %d s before it was read.", (time.Now().UnixMilli()-at)/1000), nil
}

func (r *run) closedWindow(ctx context.Context, _ string) (string, error) {
	if err := r.options.Step(ctx, "Go on, and close the graph's window within the next eight seconds."); err != nil {
		return "", err
	}
	err := errors.New("none")
	for end := time.Now().Add(callLimit); err != nil && time.Now().Before(end); {
		if _, err = r.rows(ctx, `[:find (count ?a) (count ?b) :timeout 8000 :where [?a :block/uid ?x] [?b :block/uid ?y] [(not= ?x ?y)]]`); err != nil {
			e, ok := problem.AsCall(err)
			if ok && strings.Contains(strings.ToLower(e.Call.Text), "took too long") {
				continue
			}
			if ok {
				return fmt.Sprintf("A window closed during a call: status %d, %s.", e.Status(), e.Code), nil
			}
		}
	}
	return "A window closed during a call: the call was answered.", nil
}

func (r *run) lowerLevel(ctx context.Context, uid string) (string, error) {
	if err := r.options.Step(ctx, "Open the graph again, and in Settings > Graph > Local API Tokens set the token to read only."); err != nil {
		return "", err
	}
	_, err := r.write(ctx, "data.block.update", part(uid, "string", r.say("three")))
	said := "A write with a lowered token: it was taken."
	if e, ok := problem.AsCall(err); ok {
		said = fmt.Sprintf("A write with a lowered token: status %d, %s.", e.Status(), e.Code)
	}
	return said, r.options.Step(ctx, "Set the token back to full.")
}

func (r *run) undo(ctx context.Context, uid string) (string, error) {
	if _, err := r.write(ctx, "data.block.update", part(uid, "string", r.say("four"))); err != nil {
		return "Undo in Roam: it could not be tried.", nil
	}
	if err := r.options.Step(ctx, "In Roam, undo once."); err != nil {
		return "", err
	}
	text, err := r.textOf(ctx, uid)
	if err == nil && text == r.say("four") {
		return "Undo in Roam: it leaves what an agent wrote.", nil
	}
	return "Undo in Roam: it takes back what an agent wrote.", nil
}
