//go:build campaign

package ops

import "testing"

func TestRewrite_ofManyRandomOutlines(t *testing.T) { testRandomOutlines(t, 1000) }

func TestMoveBlocksEqualAModelOfManyMoves(t *testing.T) { testRandomMoves(t, 2000, 60) }
