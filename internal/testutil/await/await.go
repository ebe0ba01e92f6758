// Package await lets a test wait for what happens beside it: it polls, or
// receives, until a deadline so late that no slow machine misses it. It does not
// know what it waits for.
package await

import (
	"fmt"
	"testing"
	"time"
)

const (
	limit    = 2 * time.Minute
	interval = 5 * time.Millisecond
)

// Condition polls until the condition holds, and fails the test where it does not.
func Condition(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !holds(); time.Sleep(interval) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// Value receives from the channel, and fails the test where nothing comes. From a
// closed channel it returns the zero value.
func Value[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(limit):
		t.Fatalf("not in time: %s", what)
		panic("unreachable")
	}
}

// NoError polls until try has no error. Once the time is over it returns the last
// one.
func NoError(within time.Duration, try func() error) error {
	for deadline := time.Now().Add(within); ; time.Sleep(interval) {
		err := try()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not so after %v: %w", within, err)
		}
	}
}
