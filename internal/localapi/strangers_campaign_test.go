//go:build campaign

package localapi

import "testing"

func TestNoStrangerSeesATokenInManyRounds(t *testing.T) { noStrangerSeesAToken(t, 2000) }
