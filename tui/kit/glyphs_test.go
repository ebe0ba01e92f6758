package kit

import (
	"testing"
)

func TestGlyphsFor(t *testing.T) {
	tests := map[string]struct {
		environ []string
		ascii   bool
	}{
		"a UTF-8 locale":               {[]string{"LANG=de_DE.UTF-8", "TERM=xterm"}, false},
		"LC_ALL counts before LANG":    {[]string{"LANG=de_DE.UTF-8", "LC_ALL=C", "TERM=xterm"}, true},
		"the Linux console":            {[]string{"LANG=de_DE.UTF-8", "TERM=linux"}, true},
		"C.utf8 is a UTF-8 locale":     {[]string{"LC_CTYPE=C.utf8"}, false},
		"the last value is what holds": {[]string{"LANG=C", "LANG=C.UTF-8"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := GlyphsFor(test.environ).CutMark != "…"; got != test.ascii {
				t.Errorf("ASCII: %v, want %v", got, test.ascii)
			}
		})
	}
}
