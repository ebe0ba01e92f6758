package files

import "testing"

func TestHeadAndTail(t *testing.T) {
	for name, test := range map[string]struct {
		writes     []string
		head, tail string
		cut        bool
	}{
		"are all where there is little":    {[]string{"ab", "", "c"}, "abc", "abc", false},
		"are all where it just fits":       {[]string{"ab", "cd"}, "abcd", "abcd", false},
		"are of what is written in pieces": {[]string{"ab", "cd", "ef"}, "abcd", "cdef", true},
		"are of what is written at once":   {[]string{"abcdefgh", "i"}, "abcd", "fghi", true},
	} {
		t.Run(name, func(t *testing.T) {
			head, tail := &Head{Max: 4}, &Tail{Max: 4}
			for _, text := range test.writes {
				if n, err := head.Write([]byte(text)); n != len(text) || err != nil {
					t.Errorf("%d, %v", n, err)
				}
				if n, err := tail.Write([]byte(text)); n != len(text) || err != nil {
					t.Errorf("%d, %v", n, err)
				}
			}
			if end, cut := tail.Text(); head.String() != test.head || end != test.tail || cut != test.cut {
				t.Errorf("%q, %q, %v", head, end, cut)
			}
		})
	}
}
