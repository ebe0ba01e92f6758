//go:build !campaign

package store

import "time"

// togetherFor is how long readers and writers run together in everyday tests.
const togetherFor = time.Second
