package recording

import (
	"context"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
)

// askAgain is after how long Roam is asked again whether a graph is encrypted, where it was
// asked and did not say.
const askAgain = 10 * time.Minute

// KeepsTexts reports whether texts of a graph are kept, of which the user has said so much.
// Where that is nothing, it returns what Roam says, and they are kept only if Roam says that
// the graph is not encrypted (HISTORY.md, What is kept).
func (r *Recorder) KeepsTexts(ctx context.Context, graph localapi.Graph, said Keeping, caller ops.Caller) (bool, localapi.Encryption) {
	if said != Unsaid {
		return said == All, localapi.EncryptionUnsaid
	}
	encryption, _ := r.encryption(ctx, graph, caller)
	return encryption == localapi.NotEncrypted, encryption
}

// KnowsToKeep is KeepsTexts without asking Roam: of a graph that nothing is said of, and that
// Roam was not asked about, it returns false.
func (r *Recorder) KnowsToKeep(graph localapi.Graph, said Keeping) bool {
	if said != Unsaid {
		return said == All
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.graphs[graph]
	return g != nil && g.encryption == localapi.NotEncrypted
}

// encryption returns whether Roam says that a graph is encrypted. An answer is remembered,
// and for a while that there was none. The error is that of a call which Roam did not answer
// for another reason: the next one asks again.
func (r *Recorder) encryption(ctx context.Context, graph localapi.Graph, caller ops.Caller) (localapi.Encryption, error) {
	g := r.on(graph)
	r.mu.Lock()
	known, unsaid := g.encryption, g.unsaid
	r.mu.Unlock()
	if known != localapi.EncryptionUnsaid || !unsaid.IsZero() && r.now().Sub(unsaid) < askAgain {
		return known, nil
	}
	encryption, err := localapi.EncryptionIn(caller.Send(ctx, localapi.EncryptionAction))
	if err != nil {
		return localapi.EncryptionUnsaid, err
	}
	if encryption == localapi.EncryptionUnsaid && unsaid.IsZero() {
		r.log.Warn("Roam does not say whether the graph is encrypted, so no texts of it are kept unless the user says so", "graph", graph.Name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	g.encryption, g.unsaid = encryption, r.now()
	return encryption, nil
}
