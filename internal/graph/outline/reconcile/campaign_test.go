//go:build campaign

package reconcile

import "testing"

func TestPlan_ofManyRandomPairs(t *testing.T) { testPairs(t, 100_000) }
