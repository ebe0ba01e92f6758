//go:build !campaign

package mcpserve_test

import "testing"

func TestTextsAreSeenAndWrittenBackByteForByte(t *testing.T) { testTexts(t, 1, 12) }
