package recording

import (
	"context"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/textsafe"
)

// TakeBack tells that what the call writes from now on takes a recorded change back.
func (r *Recording) TakeBack(change int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.undoes = change
}

func (r *Recording) takingBack() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.undoes
}

// TakenBack records that the change of TakeBack, of a class, is taken back, but for what is
// left, for the reasons in left.
func (r *Recording) TakenBack(ctx context.Context, class fact.Class, left []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	change, err := r.recorder.options.Journal.TakenBack(ctx, history.Intent{
		Call: r.number, Who: r.call.Who, Graph: graphOf(r.call.Graph), Tool: r.call.Tool, Args: textsafe.KeepArguments(r.call.Args),
		Class: class, BeforeBy: history.ByNone, Lacks: left, Undoes: r.undoes,
	})
	if err != nil {
		return explainUnwritable(err)
	}
	if r.number == 0 {
		r.number = change.Call
		if r.call.Noted != nil {
			r.call.Noted(r.number)
		}
	}
	return nil
}
