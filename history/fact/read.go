package fact

import (
	"context"
	"encoding/json"
)

// Ask runs an action of Roam that only reads, and returns its result.
type Ask func(ctx context.Context, action string, args ...any) (json.RawMessage, error)
