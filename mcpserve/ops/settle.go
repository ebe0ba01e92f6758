package ops

import (
	"context"
	"time"
)

// onItsWay is how long a write may be on its way whose server has ended. What Roam gets
// after it, such as a look, Roam answers after it.
const onItsWay = 10 * time.Second

// Settle finds out what became of a write that a server had begun, and that has ended
// before it knew. since is when it was about to be sent, in milliseconds of this machine's
// clock. It looks as for a write whose reply was lost, and once where that was long ago:
// Applied is Yes or No only where that is known, and Evidence says how. Reply is what Roam
// would have said of a write that was done, as far as that can be told for certain.
func (g *Graph) Settle(ctx context.Context, w Write, since int64) Outcome {
	left := unanswered
	if g.operations.options.Now().Sub(time.UnixMilli(since)) > onItsWay {
		left = broken
	}
	applied, evidence := g.investigate(ctx, w, since, left)
	if parts, ok := w.(partial); ok && applied == Unknown {
		if reply, ok := g.partlyDone(ctx, parts); ok {
			return Outcome{Applied: Yes, Evidence: evidence, Reply: reply}
		}
	}
	outcome := Outcome{Applied: applied, Evidence: evidence}
	if applied == Yes {
		outcome.Reply, _ = g.recovered(ctx, w, since)
	}
	return outcome
}
