package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"roam-mcp/internal/problem"
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
	a := &asking{run: r}
	uid := a.make(ctx, r.page, r.say("rate"))
	if a.err != nil {
		return "The rate could not be tried."
	}
	r.allow(rateWrites)
	pace := r.pace.Limit()
	r.pace.SetLimit(rate.Inf)
	defer r.pace.SetLimit(pace)
	started := time.Now()
	for n := range rateWrites {
		if a.update(ctx, uid, r.say("rate")); a.err != nil {
			said := fmt.Sprintf("The write %d was refused after %.1f s: %s", n+1, time.Since(started).Seconds(), outcome(a.err))
			select {
			case <-time.After(rateRest):
			case <-ctx.Done():
			}
			return said
		}
	}
	return fmt.Sprintf("%d writes were taken in %.1f s.", rateWrites, time.Since(started).Seconds())
}

// outcome says how Roam answered a call.
func outcome(err error) string {
	if e, ok := problem.AsCall(err); ok {
		return fmt.Sprintf("status %d, %s.", e.Status(), e.Code)
	}
	return "the call was answered."
}

// guided asks a person for steps in Roam, and says what it sees after each.
func (r *run) guided(ctx context.Context) (seen []string) {
	setup := &asking{run: r}
	uid := setup.make(ctx, r.page, r.say("one"))
	if setup.err != nil {
		return []string{"The steps could not be tried."}
	}
	for _, each := range []struct {
		step string
		look func(ctx context.Context, a *asking, uid string) string
	}{
		{fmt.Sprintf("On a phone with this graph: switch flight mode on, set the text of the block %q on the page %q to %q, wait a minute, and switch flight mode off. Go on when Roam Desktop shows the new text.",
			r.say("one"), r.title(""), r.say("two")), offlineEdit},
		{"Go on, and close the graph's window within the next eight seconds.", closedWindow},
		{"Open the graph again, and in Settings > Graph > Local API Tokens set the token to read only.", writeAgain},
		{"Set the token back to full.", writeAgain},
		{"In Roam, undo once.", undone},
	} {
		if r.Step(ctx, each.step) != nil {
			break
		}
		seen = append(seen, each.look(ctx, &asking{run: r}, uid))
	}
	return seen
}

func offlineEdit(ctx context.Context, a *asking, uid string) string {
	text, at := a.text(ctx, uid), a.times(ctx, ":edit/time", uid)[uid]
	if a.err != nil || text != a.say("two") {
		return "An edit made in flight mode: it has not come."
	}
	return fmt.Sprintf("An edit made in flight mode: it bears a time %d s before it was read.", (time.Now().UnixMilli()-at)/1000)
}

func closedWindow(ctx context.Context, a *asking, _ string) string {
	for end := time.Now().Add(callLimit); time.Now().Before(end); {
		_, err := a.send(ctx, a.query, `[:find (count ?a) (count ?b) :timeout 8000 :where [?a :block/uid ?x] [?b :block/uid ?y] [(not= ?x ?y)]]`)
		if e, ok := problem.AsCall(err); !ok || !strings.Contains(strings.ToLower(e.Call.Text), "took too long") {
			return "A window closed during a call: " + outcome(err)
		}
	}
	return "A window closed during a call: the call took too long."
}

func writeAgain(ctx context.Context, a *asking, uid string) string {
	_, err := a.send(ctx, "data.block.update", part(uid, "string", a.say("three")))
	return "A write with the token as it is now: " + outcome(err)
}

func undone(ctx context.Context, a *asking, uid string) string {
	text := a.text(ctx, uid)
	if a.err != nil {
		return "Undo in Roam: it could not be seen."
	}
	return "Undo in Roam: " + which(text == a.say("three"), "it leaves what an agent wrote.", "it takes back what an agent wrote.")
}
