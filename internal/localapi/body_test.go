package localapi

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/budget"
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

func TestARepliesMemoryIsReserved(t *testing.T) {
	long, short := `,"`+strings.Repeat("x", 1000)+`"`, ",1"
	for name, c := range map[string]struct {
		size           int
		part           string
		memory         int64
		code           problem.Code
		atLeast, atMax int64 // of what is kept, in bytes for each of the reply's
	}{
		"nothing for a small one":                  {30_000, long, budget.Least, "", 0, 0},
		"a multiple for a large one":               {1_000_000, long, budget.Least, "", memoryOfByte, memoryOfByte + 1},
		"a multiple for a very large one":          {4_000_000, long, budget.Default, "", memoryOfByte, memoryOfByte + 1},
		"more for a list of short values":          {1_000_000, short, budget.Least, "", memoryOfValue / 2, memoryOfValue/2 + memoryOfByte + 1},
		"one that takes more than there is fails":  {20_000_000, long, budget.Least, budget.CodeTooLarge, 0, 0},
		"short values that take too much fail too": {4_000_000, short, budget.Least, budget.CodeTooLarge, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, told := range []bool{true, false} {
				memory := budget.New(budget.Options{Size: c.memory})
				client := New(Options{PortFile: PortFile{Path: portFile(t)}, Transport: replies(c.size, told, c.part), Memory: memory, MaxReply: c.memory / 10})
				if told || c.code != "" {
					client.options.MaxReply = defaultMaxReply
				}
				ctx, end := budget.WithWork(t.Context(), "a")
				_, err := client.Call(ctx, Graph{Name: "g", Type: Hosted}, Token{}, "q")
				if problem.CodeOf(err) != c.code {
					t.Fatalf("told %v: %v", told, err)
				}
				if failed, ok := problem.AsCall(err); ok && !failed.Sent() {
					t.Error("the call is told as not sent")
				}
				if kept := memory.Reserved(); kept < c.atLeast*int64(c.size) || kept > c.atMax*int64(c.size) {
					t.Errorf("told %v: %d bytes are kept", told, kept)
				}
				if end(); memory.Reserved() != 0 {
					t.Errorf("told %v: %d bytes are kept at the end", told, memory.Reserved())
				}
			}
		})
	}
}

func TestALargeReplyWaitsForMemoryAndASmallOneDoesNot(t *testing.T) {
	memory := budget.New(budget.Options{Size: budget.Least})
	taken, err := memory.Reserve(t.Context(), budget.Content, budget.Least/2)
	require.NoError(t, err)
	call := func(ctx context.Context, size int) error {
		client := New(Options{PortFile: PortFile{Path: portFile(t)}, Transport: replies(size, true, ",1"), Memory: memory})
		_, err := client.Call(ctx, Graph{Name: "g", Type: Hosted}, Token{}, "q")
		return err
	}
	require.NoError(t, call(t.Context(), 1000))
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := call(short, 4_000_000/memoryOfValue*2); err != nil {
		t.Errorf("what there is room for: %v", err)
	}
	if err := call(short, 3_000_000); problem.CodeOf(err) != CodeTimeout {
		t.Errorf("it did not wait: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- call(t.Context(), 500_000) }()
	taken.Release()
	require.NoError(t, <-done)
	if memory.Reserved() != 0 {
		t.Errorf("%d bytes are still reserved", memory.Reserved())
	}
}

// portFile returns the path of a port file.
func portFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "port")
	writePort(t, path, 1)
	return path
}
