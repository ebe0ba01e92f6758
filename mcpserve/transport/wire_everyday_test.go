//go:build !campaign

package transport_test

import "testing"

func TestIDsComeBackAsTheyCame(t *testing.T) { testIDs(t, 1, 300) }
