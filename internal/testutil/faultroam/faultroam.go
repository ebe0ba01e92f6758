// Package faultroam is the sandbox as a Roam that does not do as it should, for tests: one
// whose replies get lost or have another form, and which does what it was asked late, in part
// or not at all.
//
// It wraps the handler of the sandbox's API, and knows nothing of what is behind it.
package faultroam

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"roam-mcp/internal/sandbox"
)

// choices lists the faults with the values that they take; nil: any.
//
// What is done with a request:
//
//   - fail=ACTION[:TEXT] throws the text; fail-done does so once the action is done.
//   - ignored=ACTION,… or all answers writes as if they were done, and does nothing.
//   - late=DURATION cuts the connection of each write, which is done that much later.
//   - drop=COUNT cuts the connection instead of the replies to the next actions.
//   - missing=ACTION,… lacks these actions or routes; no-batch those that change several blocks.
//   - too-large refuses all actions for the size of the request.
//
// How the graph is left:
//
//   - uids=refused, other or silent: the uid of a block that is gone is not given again, so that
//     the new block fails, has another one, or is not made. uids=all-other gives no block its uid.
//   - silent tells a write as done that found no page or block.
//   - plain leaves out how new blocks look, and properties.
//   - trimmed stores texts without blanks at their ends.
//   - commonmark reads markdown as CommonMark does, with tags, entities and quotes.
//   - misplaced puts a moved block one place too far.
//
// What replies are:
//
//   - reply=html, half or empty instead of each reply.
//   - no-api-version, no-delete-report and bare-guidelines leave these out.
//   - batch-form=list, count or none is the report of a batch.
//   - encrypted-form=error, null or text is graph.isEncrypted.
//   - as=ignored, limit-nil=cut and tag-form=none are reads without these.
func choices() map[string][]string {
	flag := []string{"on"}
	return map[string][]string{
		"fail": nil, "fail-done": nil, "ignored": nil, "late": nil, "drop": nil, "missing": nil, "no-batch": flag, "too-large": flag,
		"uids": {"refused", "other", "silent", "all-other"}, "silent": flag, "plain": flag, "trimmed": flag, "commonmark": flag, "misplaced": flag,
		"reply": {"html", "half", "empty"}, "no-api-version": flag, "no-delete-report": flag, "bare-guidelines": flag,
		"batch-form": {"list", "count", "none"}, "encrypted-form": {"error", "null", "text"},
		"as": {"ignored"}, "limit-nil": {"cut"}, "tag-form": {"none"},
	}
}

// Roam is a sandbox with faults.
type Roam struct {
	*sandbox.Server

	mu      sync.Mutex
	values  map[string]string // of the faults that are on
	gone    map[string]bool   // uids, while the fault uids is on
	drops   int               // replies that are still to be dropped
	stopped chan struct{}     // closed by Close
	running sync.WaitGroup    // late writes
}

// Start starts a sandbox without faults.
func Start(ctx context.Context, options sandbox.Options) (*Roam, error) {
	r := &Roam{values: map[string]string{}, gone: map[string]bool{}, stopped: make(chan struct{})}
	options.Around = r.wrap
	var err error
	r.Server, err = sandbox.Start(ctx, options)
	return r, err
}

// Turn turns faults and switches of the sandbox on, such as "drop=1" and "disabled", or off.
func (r *Roam) Turn(settings ...string) error {
	for _, text := range settings {
		name, value, given := strings.Cut(text, "=")
		values, known := choices()[name]
		if !given {
			value = "on"
		}
		switch {
		case !known:
			if err := r.turnSwitch(text); err != nil {
				return err
			}
		case value != "off" && values != nil && !slices.Contains(values, value):
			return fmt.Errorf("%s has no value %q", name, value)
		default:
			r.set(name, value)
		}
	}
	return nil
}

func (r *Roam) set(name, value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.values, name)
	if value != "off" {
		r.values[name] = value
	}
	if name == "drop" {
		_, _ = fmt.Sscan(value, &r.drops)
	}
}

// Clear turns all faults and switches off.
func (r *Roam) Clear() {
	r.mu.Lock()
	clear(r.values)
	clear(r.gone)
	r.mu.Unlock()
	r.Switches().Clear()
}

// Has reports whether a fault is on.
func (r *Roam) Has(name string) bool { return r.now()[name] != "" }

// now returns the faults that are on.
func (r *Roam) now() faults {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.values)
}

// takeDrop reports whether this reply is to be dropped.
func (r *Roam) takeDrop() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.values["drop"] == "" || r.drops < 1 {
		return false
	}
	r.drops--
	return true
}

// Close closes the sandbox. Late writes that wait are not done.
func (r *Roam) Close(ctx context.Context) error {
	r.mu.Lock()
	select {
	case <-r.stopped:
	default:
		close(r.stopped)
	}
	r.mu.Unlock()
	r.running.Wait()
	return r.Server.Close(ctx)
}

// faults are those that are on, with their values.
type faults map[string]string

// names reports whether a fault's list names an action or a route.
func (f faults) names(fault, what string) bool {
	return what != "" && slices.Contains(strings.Split(f[fault], ","), what)
}

// text returns the text with which an action throws, if the fault names it.
func (f faults) text(fault, action string) (text string, throws bool) {
	named, text, given := strings.Cut(f[fault], ":")
	if named == "" || named != action {
		return "", false
	}
	if !given {
		text = fault + " is on"
	}
	return text, true
}

// wrap returns the API behind the faults.
func (r *Roam) wrap(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		f := r.now()
		if len(f) == 0 {
			api.ServeHTTP(w, request)
			return
		}
		x, err := read(request)
		if err != nil {
			return // the client is gone
		}
		reply, cut := r.answer(api, x, f)
		if cut || x.action != "" && r.takeDrop() {
			panic(http.ErrAbortHandler) // cuts the connection, without a word in the log
		}
		f.form(x, reply)
		reply.send(w)
	})
}

// turnSwitch sets a switch of the sandbox.
func (r *Roam) turnSwitch(text string) error {
	settings, err := sandbox.ParseSettings([]string{text})
	if err == nil {
		r.Switches().Apply(settings...)
	}
	return err
}
