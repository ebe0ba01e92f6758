//go:build campaign

package ops

import "testing"

func TestRewrite_ofManyRandomOutlines(t *testing.T) { testRandomOutlines(t, 1000) }
