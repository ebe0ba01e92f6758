package plain

import (
	"fmt"
	"time"

	"roam-mcp/exchange"
)

// reminder wakes at the next moment at which the time left is worth a line: each
// full minute, and half a minute and ten seconds before the end.
func (w *wait) reminder() (<-chan time.Time, func()) {
	left := w.left()
	if left <= 0 {
		return nil, func() {}
	}
	mark := 10 * time.Second
	switch {
	case left > time.Minute:
		mark = (left - 1).Truncate(time.Minute)
	case left > 30*time.Second:
		mark = 30 * time.Second
	case left <= mark:
		return nil, func() {}
	}
	timer := time.NewTimer(left - mark)
	return timer.C, func() { timer.Stop() }
}

// left is how long a request stays open; zero in other states.
func (w *wait) left() time.Duration {
	if w.last.State != exchange.Waiting && w.last.State != exchange.Busy {
		return 0
	}
	return w.last.Left(w.graphs.Now())
}

func (w *wait) tellLeft() {
	if left := w.left(); left > 0 {
		w.tell(InWords(left) + " left.")
	}
}

// InWords rounds a duration to what a person would say: "5 minutes".
func InWords(d time.Duration) string {
	unit, n := "second", int(d.Round(time.Second)/time.Second)
	if n >= 120 {
		unit, n = "minute", (n+30)/60
	}
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
