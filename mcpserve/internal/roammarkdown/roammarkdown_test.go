package roammarkdown

import "testing"

func TestStored(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"plain text":         {"Hello **you**", "Hello **you**"},
		"tag and bullet":     {`  - See this <roam uid="a" refs="2"/>`, "See this"},
		"a reference":        {`See ((k4B2xY9pL))<ref>ship the fix</ref> now`, "See ((k4B2xY9pL)) now"},
		"two references":     {`((a1))<ref>x</ref> and ((b2))<ref>y</ref>`, "((a1)) and ((b2))"},
		"lines":              {"one\ntwo <roam uid=\"a\"/>", "one\ntwo"},
		"a dash inside":      {"a - b", "a - b"},
		"an empty text":      {"", ""},
		"a tag-like nothing": {"<roamer/> stays", "<roamer/> stays"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Stored(tc.in); err != nil || got != tc.want {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
	if _, err := Stored(`long <roam uid="a" truncated="200"/>`); err != ErrTruncated {
		t.Errorf("cut text: %v", err)
	}
	if _, err := Stored("- a <roam uid=\"a\"/>\n  - b <roam uid=\"b\"/>"); err != ErrSeveralBlocks {
		t.Errorf("two blocks: %v", err)
	}
}
