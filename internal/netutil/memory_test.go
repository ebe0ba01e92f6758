package netutil

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const mb = 1 << 20

// counted returns the memory for replies, and what is in use of it.
func counted() (_ *Memory, used func() int64) {
	var mu sync.Mutex
	var n int64
	memory, _ := NewMemory(DefaultMemory, func(by int64) {
		mu.Lock()
		defer mu.Unlock()
		n += by
	})
	return memory, func() int64 {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

func acquire(t *testing.T, m *Memory, n int64) *Share {
	t.Helper()
	share, err := m.Acquire(t.Context(), n, n)
	if err != nil {
		t.Fatal(err)
	}
	return share
}

func TestAcquire(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, m *Memory, used func() int64){
		"neither counts a small message nor holds it up": func(t *testing.T, m *Memory, used func() int64) {
			acquire(t, m, m.Size())
			if share := acquire(t, m, UncountedMemory); share != nil || used() != m.Size() {
				t.Errorf("%v, %d bytes are in use", share, used())
			}
		},
		"refuses at once what is more than all there is": func(t *testing.T, m *Memory, _ func() int64) {
			began := time.Now()
			_, err := m.Acquire(t.Context(), m.Size()+1, m.Size()+1)
			if !errors.As(err, new(*MemoryError)) || time.Since(began) > 0 {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		},
		"takes no more than all there is for what may need more": func(t *testing.T, m *Memory, used func() int64) {
			share, err := m.Acquire(t.Context(), mb, 10*m.Size())
			if err != nil || used() != m.Size() {
				t.Errorf("%d bytes are in use: %v", used(), err)
			}
			if err := share.Settle(2 * mb); err != nil || used() != 2*mb {
				t.Errorf("%d bytes are in use: %v", used(), err)
			}
			if err := share.Settle(m.Size() + 1); !errors.As(err, new(*MemoryError)) {
				t.Error(err)
			}
			share.Release()
			if share.Release(); used() != 0 {
				t.Errorf("%d bytes are in use after the end", used())
			}
		},
		"waits for 20 seconds": func(t *testing.T, m *Memory, _ func() int64) {
			acquire(t, m, m.Size())
			began := time.Now()
			if _, err := m.Acquire(t.Context(), mb, mb); !errors.Is(err, ErrMemoryBusy) || time.Since(began) != 20*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		},
		"ends with its context": func(t *testing.T, m *Memory, _ func() int64) {
			acquire(t, m, m.Size())
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := m.Acquire(ctx, mb, mb); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		},
		"lets those go on that are behind one who gives up": func(t *testing.T, m *Memory, _ func() int64) {
			acquire(t, m, m.Size()-2*mb)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { _, _ = m.Acquire(ctx, m.Size(), m.Size()) }()
			synctest.Wait()
			done := make(chan error)
			go func() { _, err := m.Acquire(t.Context(), mb, mb); done <- err }()
			synctest.Wait()
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		},
		"has no bounds without a Memory": func(t *testing.T, _ *Memory, _ func() int64) {
			if share := acquire(t, nil, 1<<40); share != nil {
				t.Error("it counts")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, used := counted()
				test(t, m, used)
			})
		})
	}
}

func TestMemoryOfRepliesAndOfMessagesIsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replies, messages := NewMemory(LeastMemory, nil)
		acquire(t, replies, replies.Size())
		acquire(t, messages, messages.Size())
		if replies.Size()+messages.Size() != LeastMemory/8*7 {
			t.Errorf("%d and %d bytes", replies.Size(), messages.Size())
		}
	})
}

// Whatever is read, no more is in use than there is, everybody gets an answer, and all of the
// memory comes back.
func TestRandomMessagesStayWithinTheMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, used := counted()
		var peak int64
		stop := make(chan struct{})
		var sampling sync.WaitGroup
		sampling.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
					peak = max(peak, used())
				}
			}
		})
		var all sync.WaitGroup
		for n := range 200 {
			random := rand.New(rand.NewPCG(1, uint64(n)))
			all.Go(func() {
				for range 20 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(40))*time.Second)
					least := random.Int64N(m.Size())
					share, err := m.Acquire(ctx, least, least*(1+random.Int64N(9)))
					if err == nil {
						_ = share.Settle(least)
						time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
					}
					share.Release()
					cancel()
				}
			})
		}
		all.Wait()
		close(stop)
		sampling.Wait()
		if used() != 0 || peak > m.Size() || peak < m.Size()/2 {
			t.Errorf("%d bytes are in use at the end, %d MiB at most", used(), peak/mb)
		}
	})
}
