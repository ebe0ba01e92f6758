package activity

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestTidying(t *testing.T) {
	read, write, version := Event{Ended: true}, Event{Ended: true, Change: 7}, Event{Ended: true, Versioned: true}
	type step struct {
		after time.Duration
		call  Event
	}
	for name, tc := range map[string]struct {
		steps []step
		quiet time.Duration // after them
		want  int
	}{
		"never without a write":                      {[]step{{0, read}, {time.Minute, read}}, 3 * time.Hour, 0},
		"once it was idle after a version of a note": {[]step{{0, version}}, 31 * time.Second, 1},
		"once it was idle after a write":             {[]step{{0, write}}, 31 * time.Second, 1},
		"not while tools are called":                 {[]step{{0, write}, {20 * time.Second, read}, {20 * time.Second, read}}, 29 * time.Second, 0},
		"once they are called no more":               {[]step{{0, write}, {20 * time.Second, read}, {20 * time.Second, read}}, 31 * time.Second, 1},
		"not twice in an hour":                       {[]step{{0, write}, {time.Minute, write}, {time.Minute, write}}, 50 * time.Minute, 1},
		"again after an hour":                        {[]step{{0, write}, {time.Minute, write}}, time.Hour + time.Minute, 2},
		"not again where nothing was written since":  {[]step{{0, write}, {time.Minute, read}}, 5 * time.Hour, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				calls, ended, got := make(chan Event), make(chan struct{}), 0
				go func() {
					defer close(ended)
					tidyAfter(ctx, calls, func(context.Context) { got++ })
				}()
				for _, step := range tc.steps {
					time.Sleep(step.after) // of the bubble's clock
					calls <- step.call
				}
				time.Sleep(tc.quiet)
				cancel()
				<-ended
				if got != tc.want {
					t.Errorf("it was tidied %d times, want %d", got, tc.want)
				}
			})
		})
	}
}
