package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

const (
	runLength  = 8
	runLetters = "bcdfghjklmnpqrstvwxz" // no words can be made of them

	timeLimit     = 90 * time.Second
	cleaningLimit = 30 * time.Second
)

// Options of a probe.
type Options struct {
	Caller Caller
	Graph  localapi.Graph
	Token  localapi.Token
	Folder string // of the lists of what probes make
	// Only are the ids of the beliefs that are asked about; none: all.
	Only []string
	// Hidden are words that must not be in what is found: the names of the graph, of the
	// user and of their home folder.
	Hidden []string
	// WritesPerSecond bounds how many writes are sent; 0: 10.
	WritesPerSecond int
	// Rate adds 2,000 writes without a bound.
	Rate bool
	// Step asks a person to do something in Roam, and returns when it is done. Nil: nobody
	// is asked.
	Step func(ctx context.Context, what string) error
}

// Report is what a probe has found.
type Report struct {
	File File
	// Why says of each id without an answer why there is none.
	Why map[string]string
	// Left are the pages that are still there.
	Left []Left
	// Gone reports that Roam stopped answering.
	Gone bool
	// Seen are sentences on what came of Rate and of the steps of a person.
	Seen []string
}

// Left is a page, or a block on a page of somebody else, that a probe made and that is
// still there.
type Left struct {
	Title   string // of the page; of a block that was moved away, the word of the run
	Foreign bool   // somebody else wrote on it, or refers to it
}

// Count returns how many answers have a verdict.
func (r Report) Count(verdict Verdict) (n int) {
	for _, check := range r.File.Checks {
		if check.Verdict == verdict {
			n++
		}
	}
	return n
}

// CheckIDs returns an error unless there is a belief with each of the ids.
func CheckIDs(ids []string) error {
	for _, id := range ids {
		if _, ok := Find(id); !ok {
			return fmt.Errorf("there is no belief %q", id)
		}
	}
	return nil
}

// run is one probe.
type run struct {
	*sender
	page    string   // uid of its page
	honours bool     // whether Roam gives a new block the uid that it is sent
	query   string   // the action that queries are asked with
	pool    []string // uids that are on the list
	// encrypted is what Roam says of the graph; nil: nothing that is true or false.
	encrypted *bool
}

// Run probes a graph, and removes what it made. The end of the context ends the questions,
// and not the cleaning. An error means that nothing was asked.
func Run(ctx context.Context, o Options) (Report, error) {
	made, err := newList(o.Folder, o.Graph, randomRun())
	if err != nil {
		return Report{}, err
	}
	r := &run{sender: newSender(o, made, maxRequests-keptForCleaning)}
	report := Report{Why: map[string]string{}}
	asking, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	if err = r.begin(asking); err == nil {
		r.askAll(asking, &report)
		if o.Step != nil && ctx.Err() == nil {
			report.Seen = r.guided(ctx)
		}
		if o.Rate && ctx.Err() == nil {
			report.Seen = append(report.Seen, r.rate(ctx))
		}
	}
	report.File.System = runtime.GOOS + "/" + runtime.GOARCH
	report.File.GraphType, report.File.APIVersion, report.File.Encrypted = string(o.Graph.Type), r.version, r.encrypted
	report.Gone = r.silent >= brokenOff
	report.Left = r.cleanUp(context.WithoutCancel(ctx))
	report.File.Cleaned = len(report.Left) == 0
	return report, err
}

// randomRun returns what is in all titles and texts of a run.
func randomRun() string {
	random := make([]byte, runLength)
	_, _ = rand.Read(random) // it never fails
	for i, b := range random {
		random[i] = runLetters[int(b)%len(runLetters)]
	}
	return string(random)
}

// mayNot reports whether the token, or its user, may not do what was asked for.
func mayNot(err error) bool {
	code := problem.CodeOf(err)
	return code == localapi.CodeInsufficientScope || code == localapi.CodeScopeExceedsPermission
}

// begin makes the page of the run. What needs no page can be asked without.
func (r *run) begin(ctx context.Context) error {
	a := &asking{run: r}
	a.pagesTitled(ctx, []string{r.title("")}) // finds the action that answers queries
	a.try(ctx, "data.block.delete", object{"block": object{"uid": a.fresh()}})
	if mayNot(a.err) { // what can't be removed is not made
		r.barred = a.err
		return nil
	}
	r.page = a.newPage(ctx, "")
	if a.err == nil {
		first := &asking{run: r, parent: r.page}
		r.honours = uidHonoured(ctx, first) == "honoured" && first.err == nil
	}
	if _, told := problem.As(a.err); told || a.err == nil || errors.Is(a.err, context.Canceled) {
		return a.err
	}
	return &problem.Error{Code: problem.CodeFailed, Message: "The probe could not begin: " + problem.Sentence(a.err.Error()), Err: a.err}
}

// askAll asks about each belief, in the order of package
func (r *run) askAll(ctx context.Context, report *Report) {
	var all []*asking
	for _, check := range Checks() {
		belief, _ := Find(check.ID)
		if len(r.Only) > 0 && !slices.Contains(r.Only, check.ID) {
			continue
		}
		a := &asking{run: r, belief: belief}
		all = append(all, a)
		report.File.Checks = append(report.File.Checks, a.answer(ctx, check.run))
	}
	disturbed := r.disturbed(ctx)
	for i, a := range all {
		found := &report.File.Checks[i]
		if disturbed[a.parent] {
			a.err, *found = errDisturbed, Answer{ID: found.ID, Expected: found.Expected, Verdict: Untold, MS: found.MS}
		}
		if a.err != nil {
			report.Why[found.ID] = whyNot(a.err)
		}
	}
}

// title returns the title of a page of this run; that of its own page for no name.
func (r *run) title(name string) string { return strings.TrimSpace(TitleStart + r.say(name)) }

// say returns a text of this run.
func (r *run) say(words string) string { return r.made.Run + " " + words }
