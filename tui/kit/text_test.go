package kit

import (
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "just now", 20 * time.Second: "20 s ago", 3 * time.Minute: "3 min ago", 5 * time.Hour: "5 h ago"} {
		if got := Ago(d); got != want {
			t.Errorf("Ago(%v) is %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{40 * time.Microsecond: "under 1 ms", 38 * time.Millisecond: "38 ms", 1400 * time.Millisecond: "1.4 s"} {
		if got := ShortDuration(d); got != want {
			t.Errorf("ShortDuration(%v) is %q, want %q", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0 seconds", time.Second: "1 second", 119 * time.Second: "119 seconds", 5*time.Minute - 20*time.Millisecond: "5 minutes"} {
		if got := InWords(d); got != want {
			t.Errorf("InWords(%v) is %q, want %q", d, got, want)
		}
	}
	if got := Clock(4*time.Minute + 12*time.Second); got != "4:12" {
		t.Errorf("Clock returns %q", got)
	}
}
