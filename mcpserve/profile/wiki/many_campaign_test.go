//go:build campaign

package wiki_test

import "testing"

func TestRestoresOfManyRandomVersions(t *testing.T) { testRandomRestores(t, 1000) }
