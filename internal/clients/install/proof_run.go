package install

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/problem"
)

// run is one proof under way.
type run struct {
	launch clients.Launch
	probes []string
	limits limits
	report func(ProofStep)

	result Proof
}

// step reports that a step begins, does it, and reports how it ended. It returns why the
// step failed, nil where it succeeded.
func (r *run) step(s ProofStep, do func() (found string, err error)) (failed *failure) {
	begun := time.Now()
	s.Running = true
	r.tell(s)
	found, err := do()
	s.Running, s.Took = false, time.Since(begun)
	if err == nil {
		s.Found = found
	} else {
		if !errors.As(err, &failed) {
			failed = &failure{problem: problem.FromError(err)}
		}
		s.Failed, s.Err, s.Mend = true, failed.problem, failed.mend
	}
	r.result.Steps = append(r.result.Steps, s)
	r.tell(s)
	return failed
}

func (r *run) tell(s ProofStep) {
	if r.report != nil {
		r.report(s)
	}
}

// failure is why a step failed, with what mends it.
type failure struct {
	problem *problem.Error
	mend    Mend
	general bool // of a Call: it is the server that failed, so that no other graph is tried
}

func (f *failure) Error() string { return f.problem.Error() }
func (f *failure) Unwrap() error { return f.problem }

// all does all steps, and returns the error of the one that failed the proof.
func (r *run) all(ctx context.Context, graphs []Graph) error {
	started := time.Now()
	var server *process
	if failed := r.step(ProofStep{ID: StepStart}, func() (_ string, err error) {
		if server, err = startProcess(r.launch, r.limits.farewell); err != nil {
			return "", err
		}
		return server.path, nil
	}); failed != nil {
		return failed.problem
	}
	defer server.end()
	var session *mcp.ClientSession
	if failed := r.step(ProofStep{ID: StepInitialize}, func() (found string, err error) {
		session, found, err = r.initialize(ctx, server)
		return found, err
	}); failed != nil {
		return failed.problem
	}
	defer func() { _ = session.Close() }() // how it ends is server.end's
	var tools []*mcp.Tool
	if failed := r.step(ProofStep{ID: StepListTools}, func() (found string, err error) {
		tools, found, err = r.listTools(ctx, server, session)
		return found, err
	}); failed != nil {
		return failed.problem
	}
	defer func() { r.result.Took = time.Since(started) }()
	return r.call(ctx, server, session, tools, graphs)
}
