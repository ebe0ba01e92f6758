package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"roam-mcp/internal/budget"
)

const (
	// bodyTimeout is for the body of a request to arrive; for each further
	// bodyRate bytes that it has there is one second more.
	bodyTimeout = 10 * time.Second
	bodyRate    = 256 << 10
	// smallBody is up to how many bytes a message takes memory that is not counted.
	smallBody = budget.Small / MemoryOfByte
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
func (h *HTTPServer) readBody(w *deadlineWriter, r *http.Request) ([]byte, *budget.Share, bool) {
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
	case errors.Is(err, budget.ErrBusy):
		_, _ = io.Copy(io.Discard, steady) // a client that is still sending would not read the answer
		h.refuseForNow(w, r, nil, "Too many long messages are arriving, and use up the memory for them.")
	case budget.Is(err):
		h.refuse(w, r, http.StatusRequestEntityTooLarge, "The message takes more memory than roam-mcp may use for one (--memory). Send less at once.")
	default:
		h.refuse(w, r, http.StatusBadRequest, "The message did not arrive whole and in time.")
	}
	share.Release()
	return nil, nil, false
}

// readCounted reads to the end. What is beyond smallBody waits for the memory that its length
// takes, before it is read. What is short waits for what its values and lines take besides;
// what is long has that at once or not at all, since it holds memory that others wait for.
func (h *HTTPServer) readCounted(r *http.Request, steady *steadyReader) ([]byte, *budget.Share, error) {
	first, err := io.ReadAll(io.LimitReader(steady, smallBody))
	if err != nil {
		return nil, nil, err
	}
	if len(first) < smallBody {
		share, err := h.reserve(r, steady, MemoryOf(first))
		return first, share, err
	}
	length := h.options.MaxBody
	if r.ContentLength >= 0 {
		length = min(length, r.ContentLength)
	}
	share, err := h.reserve(r, steady, MemoryOfByte*length)
	if err != nil {
		return nil, nil, err
	}
	all := bytes.NewBuffer(make([]byte, 0, length+bytes.MinRead))
	all.Write(first)
	if _, err = all.ReadFrom(steady); err != nil {
		return nil, share, err
	}
	return all.Bytes(), share, share.Resize(MemoryOf(all.Bytes()))
}

// reserve waits for so many bytes of memory. The client is not late meanwhile.
func (h *HTTPServer) reserve(r *http.Request, steady *steadyReader, n int64) (*budget.Share, error) {
	_ = steady.setDeadline(time.Time{})
	client := r.Header.Get(headerSession)
	if client == "" {
		client = r.RemoteAddr
	}
	waiting, end := budget.WithWork(r.Context(), client)
	defer end()
	share, err := h.options.Memory.Reserve(waiting, budget.Message, n)
	steady.started, steady.read = time.Now(), 0
	_ = steady.setDeadline(steady.deadline())
	return share, err
}
