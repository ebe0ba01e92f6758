//go:build campaign

package wiki

import "testing"

func TestPatchAppliesWhatManyDiffsSay(t *testing.T) { testRandomDiffs(t, 1000) }
