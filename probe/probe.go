// Package probe asks a Roam how it behaves where nobody but Roam can tell, and removes what
// it made for that.
//
// It promises that no write names what it did not make itself, that what it makes is on
// disk before, so that another process can remove what a killed one left, and that what
// somebody else wrote there stays. What it finds has no token, no name of a graph and no
// text of others. It knows no terminal, no configuration and no switch of the sandbox.
package probe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"roam-mcp/graphdb/outline"
	"roam-mcp/internal/observed"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

const (
	runLength  = 8
	runLetters = "bcdfghjklmnpqrstvwxz" // no words can be made of them

	timeLimit     = 90 * time.Second
	cleaningLimit = 30 * time.Second
)

// Codes of what a probe ends with.
const (
	CodeOtherwise  problem.Code = "PROBE_OTHERWISE"   // some answers are otherwise than expected
	CodeNotCleaned problem.Code = "PROBE_NOT_CLEANED" // something that it made is still there
)

// Options of a probe.
type Options struct {
	Caller Caller
	Graph  localapi.Graph
	Token  localapi.Token
	Folder string // of the lists of what probes make
	// Version is that of this program.
	Version string
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
	File observed.File
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
	Title   string // of the page; of a block that was moved away, its text
	Foreign bool   // somebody else wrote on it, or refers to it
}

// Count returns how many answers have a verdict.
func (r Report) Count(verdict observed.Verdict) (n int) {
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
		if _, ok := observed.Find(id); !ok {
			return fmt.Errorf("there is no belief %q", id)
		}
	}
	return nil
}

// run is one probe.
type run struct {
	*sender
	options Options
	page    string // uid of its page
	uids    honour
	query   string   // the action that queries are asked with
	pool    []string // uids that are on the list
	// encrypted is what Roam says of the graph; nil: nothing that is true or false.
	encrypted *bool
}

// honour says what becomes of the uid that a new block is given.
type honour int

const (
	unknown     honour = iota
	honoured           // the block has it
	notHonoured        // Roam gives another one, or refuses the creation
)

// Run probes a graph, and removes what it made. The end of the context ends the questions,
// and not the cleaning. An error means that nothing was asked.
func Run(ctx context.Context, o Options) (Report, error) {
	made, err := newList(o.Folder, o.Graph, randomRun())
	if err != nil {
		return Report{}, err
	}
	r := &run{sender: newSender(o, made, maxRequests-keptForCleaning), options: o}
	report := Report{Why: map[string]string{}}
	asking, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	err = r.begin(asking)
	if mayNot(err) { // what needs no page can be asked nevertheless
		err = nil
	}
	if err == nil {
		r.askAll(asking, &report)
		r.askMore(ctx, &report)
	}
	r.describe(&report)
	report.Gone = errors.Is(r.state(), errGone)
	report.Left = r.cleanUp(context.WithoutCancel(ctx))
	report.File.Cleaned = len(report.Left) == 0
	return report, err
}

// randomRun returns what is in all titles and texts of a run.
func randomRun() string {
	random := make([]byte, runLength)
	_, _ = io.ReadFull(rand.Reader, random) // it never fails
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

// begin makes the page of the run.
func (r *run) begin(ctx context.Context) error {
	_, err := r.pagesTitled(ctx, r.title("")) // finds the action that answers queries
	if err != nil {
		return explained(err)
	}
	uid, err := r.uid()
	if err != nil {
		return err
	}
	// What can't be removed is not made.
	_, err = r.write(ctx, "data.block.delete", object{"block": object{"uid": uid}})
	if mayNot(err) {
		r.barred = err
		return err
	}
	if err != nil && !refused(err) {
		return explained(err)
	}
	r.page, err = r.newPage(ctx, "")
	return explained(err)
}

// explained returns an error that a person may read.
func explained(err error) error {
	if _, ok := problem.As(err); ok || err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &problem.Error{Code: problem.CodeFailed, Message: "The probe could not begin: " + problem.Sentence(err.Error()), Err: err}
}

// askAll asks about each belief, in the order of package observed.
func (r *run) askAll(ctx context.Context, report *Report) {
	var all []*asking
	for _, check := range Checks() {
		belief, _ := observed.Find(check.ID)
		if len(r.options.Only) > 0 && !slices.Contains(r.options.Only, check.ID) {
			continue
		}
		a := &asking{run: r, check: check, belief: belief}
		all = append(all, a)
		report.File.Checks = append(report.File.Checks, a.answer(ctx))
	}
	disturbed := r.disturbed(ctx)
	for i, a := range all {
		found := &report.File.Checks[i]
		if disturbed[a.parent] {
			a.err, *found = errDisturbed, observed.Check{ID: found.ID, Expected: found.Expected, Verdict: observed.Untold, MS: found.MS}
		}
		if a.err != nil {
			report.Why[found.ID] = whyNot(a.err)
		}
	}
}

// askMore does what is asked for apart. No failure of it is one of the probe.
func (r *run) askMore(ctx context.Context, report *Report) {
	if r.options.Step != nil && ctx.Err() == nil {
		seen, _ := r.guided(ctx)
		report.Seen = append(report.Seen, seen...)
	}
	if r.options.Rate && ctx.Err() == nil {
		report.Seen = append(report.Seen, r.rate(ctx))
	}
}

// describe enters what is known of the Roam and of this program.
func (r *run) describe(report *Report) {
	file := &report.File
	file.Probe, file.System = r.options.Version, runtime.GOOS+"/"+runtime.GOARCH
	file.GraphType, file.APIVersion = string(r.graph.Type), r.version
	file.Encrypted = r.encrypted
}

// uid returns one that is on the list and given to nothing yet.
func (r *run) uid() (string, error) {
	const atOnce = 64
	if len(r.pool) == 0 {
		for range atOnce {
			uid, err := outline.NewUID(rand.Reader)
			if err != nil {
				return "", err
			}
			r.pool = append(r.pool, uid)
		}
		if err := r.made.add(r.pool, nil); err != nil {
			return "", err
		}
	}
	uid := r.pool[0]
	r.pool = r.pool[1:]
	return uid, nil
}

// title returns the title of a page of this run.
func (r *run) title(name string) string {
	if name == "" {
		return TitleStart + r.made.Run
	}
	return TitleStart + r.made.Run + " " + name
}

// say returns a text of this run.
func (r *run) say(words string) string { return r.made.Run + " " + words }
