//go:build !campaign

package linkoracle_test

import "testing"

func TestWaysAreThoseOfABreadthFirstSearch(t *testing.T) { testPaths(t, 30) }
