package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"roam-mcp/internal/netutil"
)

const (
	// bodyTimeout is for the body of a request to arrive; for each further
	// bodyRate bytes that it has there is one second more.
	bodyTimeout = 10 * time.Second
	bodyRate    = 256 << 10
	// smallBody is up to how many bytes a message takes memory that is not counted.
	smallBody = netutil.UncountedMemory / memoryOfByte
)

// steadyReader reads a body that has to keep coming: each read moves the deadline
// of the connection to where the bytes that have come allow.
type steadyReader struct {
	body        io.Reader
	setDeadline func(time.Time) error
	started     time.Time
	timeout     time.Duration
	read        int64
}

// Read implements io.Reader.
func (s *steadyReader) Read(p []byte) (int, error) {
	n, err := s.body.Read(p)
	s.read += int64(n)
	_ = s.setDeadline(s.deadline()) // every connection of net/http has deadlines
	return n, err
}

func (s *steadyReader) deadline() time.Time {
	return s.started.Add(s.timeout + time.Duration(s.read)*time.Second/bodyRate)
}

// readBody takes the message in, within the limits of size, time and memory, and lifts that of
// time. The share of the memory is for who answers the message to release.
func (h *HTTPServer) readBody(w *deadlineWriter, r *http.Request) ([]byte, *netutil.Share, bool) {
	steady := &steadyReader{
		body: http.MaxBytesReader(w, r.Body, h.options.MaxBody), setDeadline: w.control.SetReadDeadline,
		started: time.Now(), timeout: h.bodyTimeout,
	}
	body, share, err := h.readCounted(r, steady)
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		_ = w.control.SetReadDeadline(time.Time{})
		return body, share, true
	case errors.As(err, &tooLarge):
		h.refuse(w, r, http.StatusRequestEntityTooLarge, fmt.Sprintf("The message is longer than %d bytes.", tooLarge.Limit))
	case errors.Is(err, netutil.ErrMemoryBusy):
		_, _ = io.Copy(io.Discard, steady) // a client that is still sending would not read the answer
		h.refuseForNow(w, r, nil, "Too many long messages are arriving, and use up the memory for them.")
	case errors.As(err, new(*netutil.MemoryError)):
		h.refuse(w, r, http.StatusRequestEntityTooLarge, "The message takes more memory than roam-mcp may use for one (--memory). Send less at once.")
	default:
		h.refuse(w, r, http.StatusBadRequest, "The message did not arrive whole and in time.")
	}
	share.Release()
	return nil, nil, false
}

// readCounted reads to the end. What is beyond smallBody waits, before it is read, for the
// memory that the lines and values of a message of its length may take, and gives back what its
// own do not.
func (h *HTTPServer) readCounted(r *http.Request, steady *steadyReader) ([]byte, *netutil.Share, error) {
	first, err := io.ReadAll(io.LimitReader(steady, smallBody))
	if err != nil {
		return nil, nil, err
	}
	if len(first) < smallBody {
		n := memoryOf(first)
		share, err := h.acquire(r, steady, n, n)
		return first, share, err
	}
	atLeast, atMost := int64(smallBody+1), h.options.MaxBody
	if r.ContentLength >= 0 {
		atLeast = min(atMost, r.ContentLength)
		atMost = atLeast
	}
	share, err := h.acquire(r, steady, memoryOfByte*atLeast, mostOfByte*atMost)
	if err != nil {
		return nil, nil, err
	}
	all := bytes.NewBuffer(make([]byte, 0, atLeast+bytes.MinRead))
	all.Write(first)
	if _, err = all.ReadFrom(steady); err != nil {
		return nil, share, err
	}
	return all.Bytes(), share, share.Settle(memoryOf(all.Bytes()))
}

// acquire waits for the memory of a message. The client is not late meanwhile.
func (h *HTTPServer) acquire(r *http.Request, steady *steadyReader, least, most int64) (*netutil.Share, error) {
	_ = steady.setDeadline(time.Time{})
	share, err := h.options.Memory.Acquire(r.Context(), least, most)
	steady.started, steady.read = time.Now(), 0
	_ = steady.setDeadline(steady.deadline())
	return share, err
}
