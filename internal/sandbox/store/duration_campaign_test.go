//go:build campaign

package store

import "time"

// togetherFor is how long readers and writers run together in a campaign.
const togetherFor = 30 * time.Second
