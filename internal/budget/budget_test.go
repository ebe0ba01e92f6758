package budget

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/testutil/require"
)

const mb = 1 << 20

// most is the whole of the Content of a Budget of the usual size.
const most = Default / 8 * 5

func must(t *testing.T, b *Budget, ctx context.Context, part Part, n int64) *Share {
	t.Helper()
	share, err := b.Reserve(ctx, part, n)
	require.NoError(t, err)
	return share
}

func TestReserve(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, b *Budget){
		"what is small is neither counted nor held up": func(t *testing.T, b *Budget) {
			must(t, b, t.Context(), Content, most)
			if share := must(t, b, t.Context(), Content, Small); share != nil || b.Reserved() != most {
				t.Errorf("%v, %d reserved", share, b.Reserved())
			}
		},
		"what is more than all there is fails at once": func(t *testing.T, b *Budget) {
			began := time.Now()
			_, err := b.Reserve(t.Context(), Content, most+1)
			if !errors.As(err, new(*TooLargeError)) || time.Since(began) > 0 {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		},
		"a wait has an end": func(t *testing.T, b *Budget) {
			must(t, b, t.Context(), Content, most)
			began := time.Now()
			if _, err := b.Reserve(t.Context(), Content, mb); !errors.Is(err, ErrBusy) || time.Since(began) != Patience {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		},
		"a wait ends with its context": func(t *testing.T, b *Budget) {
			must(t, b, t.Context(), Content, most)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := b.Reserve(ctx, Content, mb); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		},
		"content and messages do not hold each other up": func(t *testing.T, b *Budget) {
			must(t, b, t.Context(), Content, most)
			must(t, b, t.Context(), Message, Default/4)
		},
		"work gives back what it has read before it waits for more": func(t *testing.T, b *Budget) {
			ctx, end := WithWork(t.Context(), "a")
			Keep(ctx, must(t, b, ctx, Content, most))
			Keep(ctx, must(t, b, ctx, Content, 2*mb))
			if b.Reserved() != 2*mb {
				t.Errorf("%d MiB are reserved", b.Reserved()/mb)
			}
			if end(); b.Reserved() != 0 {
				t.Errorf("%d MiB are reserved after the end", b.Reserved()/mb)
			}
			if Keep(ctx, must(t, b, ctx, Content, mb)); b.Reserved() != 0 {
				t.Error("what ended work gets is kept")
			}
		},
		"without work nothing is kept": func(t *testing.T, b *Budget) {
			if Keep(t.Context(), must(t, b, t.Context(), Content, mb)); b.Reserved() != 0 {
				t.Error("it is")
			}
		},
		"a share grows only as long as nobody waits": func(t *testing.T, b *Budget) {
			share := must(t, b, t.Context(), Content, most-2*mb)
			if share.Grow(most-mb) != nil || !errors.As(share.Grow(most+mb), new(*TooLargeError)) {
				t.Error("it grew otherwise")
			}
			go func() { _, _ = b.Reserve(t.Context(), Content, 4*mb) }()
			synctest.Wait()
			if !errors.Is(share.Grow(most), ErrBusy) {
				t.Error("it overtook who waits")
			}
			if share.Shrink(mb); b.Reserved() != 5*mb {
				t.Errorf("%d MiB are reserved", b.Reserved()/mb)
			}
		},
		"one who gives up lets those behind it go on": func(t *testing.T, b *Budget) {
			must(t, b, t.Context(), Content, most-2*mb)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { _, _ = b.Reserve(ctx, Content, most) }()
			synctest.Wait()
			done := make(chan error)
			go func() { _, err := b.Reserve(t.Context(), Content, mb); done <- err }()
			synctest.Wait()
			cancel()
			require.NoError(t, <-done)
		},
		"no Budget has no bounds": func(t *testing.T, _ *Budget) {
			var none *Budget
			if share := must(t, none, t.Context(), Content, 1<<40); share != nil {
				t.Error("it counts")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, New(Options{})) })
		})
	}
}

func TestAClientThatHoldsMuchWaitsForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{})
		greedy, end := WithWork(t.Context(), "greedy")
		defer end()
		first := must(t, b, greedy, Content, most)
		var mu sync.Mutex
		var order []string
		ask := func(client string) {
			ctx, _ := WithWork(t.Context(), client)
			go func() {
				share, err := b.Reserve(ctx, Content, most/2)
				if err != nil {
					return
				}
				mu.Lock()
				order = append(order, client)
				mu.Unlock()
				time.Sleep(time.Second)
				share.Release()
			}()
			synctest.Wait()
		}
		for range 3 {
			ask("greedy")
		}
		ask("modest")
		first.Shrink(most / 2)
		synctest.Wait()
		mu.Lock()
		got := fmt.Sprint(order)
		mu.Unlock()
		if got != "[modest]" {
			t.Errorf("the order is %s", got)
		}
		first.Release()
		time.Sleep(Patience)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if len(order) != 4 || b.Reserved() != 0 {
			t.Errorf("%v, %d reserved", order, b.Reserved())
		}
	})
}

// Whatever clients do, no more is reserved than there is, and all of it comes back.
func TestRandomWorkStaysWithinTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var peak int64
		b := New(Options{Changed: func(reserved int64) { peak = max(peak, reserved) }})
		var all sync.WaitGroup
		var failed sync.Map
		for n := range 200 {
			random := rand.New(rand.NewPCG(1, uint64(n)))
			all.Go(func() {
				for range 20 {
					ctx, end := WithWork(t.Context(), fmt.Sprint(random.IntN(5)))
					ctx, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(40))*time.Second)
					message, err := b.Reserve(ctx, Message, random.Int64N(Default/4))
					if err == nil {
						var share *Share
						if share, err = b.Reserve(ctx, Content, random.Int64N(most)); err == nil {
							_ = share.Grow(most / 2)
							share.Shrink(random.Int64N(most))
							Keep(ctx, share)
							time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
						}
					}
					if err != nil {
						failed.Store(err.Error(), true)
					}
					message.Release()
					cancel()
					end()
				}
			})
		}
		all.Wait()
		if b.Reserved() != 0 || peak > Default/8*7 || peak < Default/2 {
			t.Errorf("%d bytes are reserved at the end, %d MiB at most", b.Reserved(), peak/mb)
		}
		if _, busy := failed.Load(ErrBusy.Error()); !busy {
			t.Error("nobody had to wait too long")
		}
	})
}
