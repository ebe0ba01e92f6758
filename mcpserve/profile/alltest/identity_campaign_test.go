//go:build campaign

package alltest

import "testing"

func TestManyBlocksOfOneWordKeepAllButTheWord(t *testing.T) { testOneWord(t, 100) }
