//go:build campaign

package ops

import "testing"

func TestManySequencesOfWritesWithoutConsent(t *testing.T) { sequencesOfRules(t, 300, 40) }
