//go:build !campaign

package alltest

import "testing"

func TestTextsAreSeenAndWrittenBackByteForByte(t *testing.T) { testTexts(t, 1, 12) }
