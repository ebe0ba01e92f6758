package mirror

import (
	"testing"
	"time"

	"roam-mcp/internal/testutil/demograph"
)

// still is a clock that stands still, so that Roam seems to take no time.
func still() time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) }

func TestCalls(t *testing.T) {
	for _, test := range []struct {
		name       string
		options    Options
		need       Need
		cold, warm int
	}{
		{"links of a small graph", Options{}, Links, 3, 1},
		{"texts of a small graph", Options{}, Texts, 3, 1},
		{"links by queries, some blocks hidden", Options{few: -1, small: -1}, Links, 4, 1},
		{"texts of a large graph", Options{small: -1}, Texts, 3, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, demograph.JSON)
			w.create("grace0001", "newblock1", "written a moment ago")
			k := w.keeper(test.options)
			w.view(k, test.need)
			if n := w.count(); n > test.cold {
				t.Errorf("cold: %d calls, want %d at most", n, test.cold)
			}
			w.view(k, test.need) // what was edited last is seen as known from here on
			w.count()
			w.view(k, test.need)
			if n := w.count(); n != test.warm {
				t.Errorf("warm: %d calls, want %d", n, test.warm)
			}
			w.create("grace0001", "newblock2", "see [[Ada]]")
			v := w.view(k, test.need)
			if n := w.count(); n > test.warm+1 {
				t.Errorf("after an edit: %d calls, want %d at most", n, test.warm+1)
			}
			grace, _ := v.NodeOf("grace0001")
			ada, _ := v.NodeOf("ada000001")
			if path := v.Links().Path(grace, ada); len(path) != 2 {
				t.Errorf("path %v, want one step", path)
			}
		})
	}
}
