package localapi

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/netutil"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// replies answers a request with a body of a size, whose length is told or not.
func replies(size int, told bool, part string) http.RoundTripper {
	return roundTrip(func(*http.Request) (*http.Response, error) {
		text := `{"success":true,"result":[1` + strings.Repeat(part, size/len(part)) + `]}`
		response := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text)), ContentLength: -1}
		if told {
			response.ContentLength = int64(len(text))
		}
		return response, nil
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// memoryOf returns the memory for replies, and what is in use of it.
func memoryOf(size int64) (_ *netutil.Memory, used func() int64) {
	var n atomic.Int64
	memory, _ := netutil.NewMemory(size, func(by int64) { n.Add(by) })
	return memory, n.Load
}

func TestARepliesMemoryIsCounted(t *testing.T) {
	long, short := `,"`+strings.Repeat("x", 1000)+`"`, ",1"
	for name, c := range map[string]struct {
		size           int
		part           string
		memory         int64
		code           problem.Code
		atLeast, atMax int64 // of what is kept, in bytes for each of the reply's
	}{
		"nothing for a small one":                  {30_000, long, netutil.LeastMemory, "", 0, 0},
		"a multiple for a large one":               {2_000_000, long, netutil.LeastMemory, "", memoryOfByte, memoryOfByte + 1},
		"a multiple for a very large one":          {60_000_000, long, netutil.DefaultMemory, "", memoryOfByte, memoryOfByte + 1},
		"more for a list of short values":          {1_000_000, short, netutil.LeastMemory, "", memoryOfValue / 2, memoryOfValue/2 + memoryOfByte + 1},
		"one that takes more than there is fails":  {20_000_000, long, netutil.LeastMemory, CodeMemoryExceeded, 0, 0},
		"short values that take too much fail too": {4_000_000, short, netutil.LeastMemory, CodeMemoryExceeded, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, told := range []bool{true, false} {
				memory, used := memoryOf(c.memory)
				client := New(Options{PortFile: PortFile{Path: portFile(t)}, Transport: replies(c.size, told, c.part), Memory: memory})
				ctx, release := WithReplies(t.Context())
				_, err := client.Call(ctx, Graph{Name: "g", Type: Hosted}, Token{}, "q")
				if problem.CodeOf(err) != c.code {
					t.Fatalf("told %v: %v", told, err)
				}
				if failed, ok := problem.AsCall(err); ok && !failed.Sent() {
					t.Error("the call is told as not sent")
				}
				if kept := used(); kept < c.atLeast*int64(c.size) || kept > c.atMax*int64(c.size) {
					t.Errorf("told %v: %d bytes are kept", told, kept)
				}
				if release(); used() != 0 {
					t.Errorf("told %v: %d bytes are kept at the end", told, used())
				}
			}
		})
	}
}

// A call keeps the memory of the reply that it has read last, and of no other.
func TestTheMemoryOfARepliesIsThatOfTheLast(t *testing.T) {
	memory, used := memoryOf(0)
	ctx, release := WithReplies(t.Context())
	call := func(ctx context.Context, size int) {
		client := New(Options{PortFile: PortFile{Path: portFile(t)}, Transport: replies(size, true, " "), Memory: memory})
		_, err := client.Call(ctx, Graph{Name: "g", Type: Hosted}, Token{}, "q")
		require.NoError(t, err)
	}
	call(ctx, 60_000_000)
	if call(ctx, 1_000_000); used()/1_000_000 != memoryOfByte {
		t.Errorf("%d bytes are in use", used())
	}
	if ReleaseReply(ctx); used() != 0 {
		t.Errorf("%d bytes are in use before it waits for other work", used())
	}
	release()
	if call(ctx, 1_000_000); used() != 0 {
		t.Errorf("%d bytes are in use after the end", used())
	}
	if call(t.Context(), 1_000_000); used() != 0 {
		t.Errorf("%d bytes are in use without work", used())
	}
}

// Twelve replies of 60 MB are read one after the other, each waiting for the one before, as long
// as that takes no more than 20 seconds.
func TestLargeRepliesWaitForEachOther(t *testing.T) {
	for _, told := range []bool{true, false} {
		port := portFile(t)
		synctest.Test(t, func(t *testing.T) {
			memory, used := memoryOf(0)
			client := New(Options{PortFile: PortFile{Path: port}, Transport: replies(60_000_000, told, `,"`+strings.Repeat("x", 1000)+`"`), Memory: memory})
			began := time.Now()
			var all sync.WaitGroup
			var read, busy atomic.Int64
			for range 12 {
				all.Go(func() {
					ctx, release := WithReplies(t.Context())
					defer release()
					_, err := client.Call(ctx, Graph{Name: "g", Type: Hosted}, Token{}, "q")
					switch {
					case err == nil:
						read.Add(1)
						time.Sleep(3 * time.Second) // what is done with it
					case problem.CodeOf(err) == CodeMemoryBusy && time.Since(began) == 20*time.Second:
						busy.Add(1)
					default:
						t.Errorf("told %v: after %v: %v", told, time.Since(began), err)
					}
				})
			}
			all.Wait()
			if read.Load() != 7 || busy.Load() != 5 || used() != 0 {
				t.Errorf("told %v: %d were read, %d were busy, %d bytes are in use", told, read.Load(), busy.Load(), used())
			}
		})
	}
}

func TestASmallReplyWaitsForNoMemory(t *testing.T) {
	memory, used := memoryOf(netutil.LeastMemory)
	taken, err := memory.Acquire(t.Context(), memory.Size(), memory.Size())
	require.NoError(t, err)
	call := func(ctx context.Context, size int, told bool) error {
		client := New(Options{PortFile: PortFile{Path: portFile(t)}, Transport: replies(size, told, ",1"), Memory: memory})
		_, err := client.Call(ctx, Graph{Name: "g", Type: Hosted}, Token{}, "q")
		return err
	}
	require.NoError(t, call(t.Context(), 1000, true))
	require.NoError(t, call(t.Context(), 1000, false))
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := call(short, 500_000, true); problem.CodeOf(err) != CodeTimeout {
		t.Errorf("it did not wait: %v", err)
	}
	taken.Release()
	require.NoError(t, call(t.Context(), 500_000, true))
	if used() != 0 {
		t.Errorf("%d bytes are in use", used())
	}
}

// portFile returns the path of a port file.
func portFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "port")
	writePort(t, path, 1)
	return path
}
