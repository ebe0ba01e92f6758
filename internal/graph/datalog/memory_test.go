package datalog

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestEqualsThatDoNotFitTogether has eight callers who each need more than half of the
// memory, and take it step by step at the same time.
func TestEqualsThatDoNotFitTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const steps, callers = 10, 8
		memory := NewMemory(16 * drawnAtOnce)
		var served [callers]bool
		var running sync.WaitGroup
		for i := range callers {
			running.Go(func() {
				time.Sleep(time.Duration(i)) // so that they come in this order
				share := memory.Open()
				defer share.Release()
				for range steps {
					if !share.Hold(drawnAtOnce) {
						time.Sleep(time.Millisecond) // the error is sent
						return
					}
					time.Sleep(time.Millisecond)
				}
				served[i] = true
			})
		}
		running.Wait()
		if !served[0] || memory.Held() != 0 {
			t.Errorf("served: %v; %d bytes are held in the end", served, memory.Held())
		}
	})
}

func TestWhoWaitsForMemory(t *testing.T) {
	const all = 8 * drawnAtOnce
	hold := func(t *testing.T, s *Share, units int) {
		if !s.Hold(units * drawnAtOnce) {
			t.Fatal("there is no room")
		}
	}
	for name, c := range map[string]struct {
		first, second int // units that each holds
		secondAsks    bool
		units         int           // that one of them asks for
		freed         time.Duration // after which the other gives back
		want          bool
		after         time.Duration
	}{
		"the first waits until the second is done":    {first: 4, second: 4, units: 4, freed: time.Second, want: true, after: time.Second},
		"the first waits for so long only":            {first: 4, second: 4, units: 4, freed: time.Hour, after: longestWait},
		"the first does not wait for what never fits": {first: 4, second: 4, units: 5, freed: time.Second},
		"the second does not wait":                    {first: 4, second: 4, secondAsks: true, units: 1, freed: time.Second},
		"one that holds nothing waits":                {first: 8, secondAsks: true, units: 2, freed: time.Second, want: true, after: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				memory := NewMemory(all)
				asks, other := memory.Open(), memory.Open()
				hold(t, asks, c.first)
				if c.second > 0 {
					hold(t, other, c.second)
				}
				if c.secondAsks {
					asks, other = other, asks
				}
				time.AfterFunc(c.freed, other.Release)
				start := time.Now()
				if got := asks.Hold(c.units * drawnAtOnce); got != c.want || time.Since(start) != c.after {
					t.Errorf("%v after %v", got, time.Since(start))
				}
				asks.Release()
				time.Sleep(c.freed)
				synctest.Wait()
				if memory.Held() != 0 || len(memory.holders) != 0 {
					t.Errorf("%d bytes are held in the end", memory.Held())
				}
			})
		})
	}
}

func TestNobodyWaitsForMemoryWhoseClientIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		db, memory := wide(t, 100), NewMemory(4*drawnAtOnce)
		other := memory.Open()
		other.Hold(4 * drawnAtOnce)
		time.AfterFunc(time.Second, func() { cancel(nil) })
		start := time.Now()
		err := runWith(ctx, db, `[:find ?a ?b :where [?a :block/uid] [?b :block/uid]]`, Options{Memory: memory.Open()})
		if took := time.Since(start); err == nil || took != time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}
