package files

import (
	"context"
	"time"
)

// Poll looks every so often, and returns a channel that receives after each look that
// was not the same as the one before, until ctx ends; then it is closed. The first look is
// taken before Poll returns, so that no change after that is missed. Changes that follow
// each other closely may be received as one.
func Poll[T any](ctx context.Context, every time.Duration, look func() T, same func(a, b T) bool) <-chan struct{} {
	changed := make(chan struct{}, 1)
	last := look()
	go func() {
		defer close(changed)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			now := look()
			if same(now, last) {
				continue
			}
			last = now
			select {
			case changed <- struct{}{}:
			default: // nobody has received the one before
			}
		}
	}()
	return changed
}
