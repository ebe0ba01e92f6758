//go:build campaign

package outline

import "testing"

func TestPlan_ofManyRandomPairs(t *testing.T) { testPairs(t, 100_000) }
