package page

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// heartbeat is the interval of comments that keep the stream alive.
const heartbeat = 20 * time.Second

// events sends server-sent events when something that a page shows has changed. The
// browser then loads the page again and updates what differs.
func (h *Handler) events(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	stream := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	calls, requests := h.options.Calls(ctx), h.options.Desk.Watch(ctx)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		switched := h.options.Switches.Changed()
		if err := stream.Flush(); err != nil {
			return
		}
		event := "event: changed\ndata: %s\n\n"
		what := ""
		select {
		case <-ctx.Done():
			return
		case <-h.closed:
			return
		case _, ok := <-calls:
			if !ok {
				return
			}
			what = "calls"
		case _, ok := <-requests:
			if !ok {
				return
			}
			what = "requests"
		case <-switched:
			what = "switches"
		case <-beat.C:
			event, what = ": %s\n\n", "still here"
		}
		if _, err := fmt.Fprintf(w, event, what); err != nil {
			return
		}
	}
}
