//go:build campaign

package linkoracle_test

import "testing"

func TestWaysOfTwoThousandPairsAreThoseOfABreadthFirstSearch(t *testing.T) { testPaths(t, 500) }
