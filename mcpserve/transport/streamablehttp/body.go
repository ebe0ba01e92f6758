package streamablehttp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// bodyTimeout is for the body of a request to arrive; for each further
	// bodyRate bytes that it has there is one second more.
	bodyTimeout = 10 * time.Second
	bodyRate    = 256 << 10
	// A body with more than largeBody bytes is read only while fewer than
	// mostLargeBodies others are, since all of it is held.
	largeBody       = 256 << 10
	mostLargeBodies = 16
)

var errManyLargeBodies = errors.New("too many long messages are arriving")

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

// readBody takes the message in, within the limits of size, time and number, and
// lifts that of time.
func (h *Server) readBody(w *deadlineWriter, r *http.Request) ([]byte, bool) {
	steady := &steadyReader{
		body: http.MaxBytesReader(w, r.Body, h.options.MaxBody), setDeadline: w.control.SetReadDeadline,
		started: time.Now(), timeout: h.bodyTimeout,
	}
	body, err := h.readLarge(steady)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		h.refuse(w, r, http.StatusRequestEntityTooLarge, fmt.Sprintf("The message is longer than %d bytes.", tooLarge.Limit))
		return nil, false
	case errors.Is(err, errManyLargeBodies):
		h.refuseForNow(w, r, nil, "Too many long messages are arriving.")
		return nil, false
	case err != nil:
		h.refuse(w, r, http.StatusBadRequest, "The message did not arrive whole and in time.")
		return nil, false
	}
	_ = w.control.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, true
}

// readLarge reads to the end. Beyond largeBody it needs a place among those that
// do.
func (h *Server) readLarge(body io.Reader) ([]byte, error) {
	first, err := io.ReadAll(io.LimitReader(body, largeBody))
	if err != nil || len(first) < largeBody {
		return first, err
	}
	select {
	case h.largeBodies <- struct{}{}:
	default:
		return nil, errManyLargeBodies
	}
	defer func() { <-h.largeBodies }()
	all := bytes.NewBuffer(first)
	_, err = all.ReadFrom(body)
	return all.Bytes(), err
}
