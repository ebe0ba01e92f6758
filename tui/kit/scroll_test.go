package kit

import "testing"

func TestWindow(t *testing.T) {
	for name, c := range map[string]struct{ offset, from, to, total, height, want int }{
		"stays while the row is in sight":           {2, 5, 6, 20, 10, 2},
		"goes down to a row below":                  {2, 12, 13, 20, 10, 3},
		"goes up to a row above":                    {9, 4, 5, 20, 10, 4},
		"shows the first line of what is too large": {0, 4, 18, 20, 10, 4},
		"leaves no room below the end":              {15, 18, 19, 20, 10, 10},
		"begins at the first line of a short list":  {3, 2, 3, 5, 10, 0},
		"begins at the first line of no list":       {3, 0, 1, 0, 10, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Window(c.offset, c.from, c.to, c.total, c.height); got != c.want {
				t.Errorf("Window is %d, want %d", got, c.want)
			}
		})
	}
}
