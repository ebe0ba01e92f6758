// Package require ends a test where something that it builds on fails.
package require

import "testing"

// NoError ends the test at once if err is not nil.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
