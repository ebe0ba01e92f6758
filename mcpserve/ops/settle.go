package ops

import "context"

// Settle finds out what became of a write that a server had begun, and that has ended
// before it knew. since is when it was about to be sent, in milliseconds of this machine's
// clock. It looks as for a write whose reply was lost: Yes or No only where that is known,
// with a sentence on how.
func (g *Graph) Settle(ctx context.Context, w Write, since int64) (Applied, string) {
	return g.investigate(ctx, w, since, unanswered)
}
