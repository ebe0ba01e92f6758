package mcpserve

import (
	"testing"
	"time"
)

func TestDaysAreCheckedBeforeTheyAreSent(t *testing.T) {
	zone := time.FixedZone("east", 13*3600)
	now := time.Date(2026, time.March, 1, 0, 30, 0, 0, zone)
	for in, want := range map[string]string{
		"today": "03-01-2026", " Yesterday ": "02-28-2026", "TOMORROW": "03-02-2026",
		"11-21-2026": "11-21-2026", "2026-11-21": "11-21-2026", "02-29-2024": "02-29-2024",
		"02-29-2026": "", "99-99-2026": "", "constructor": "", "": "", "11/21/2026": "", "1-2-2026": "",
	} {
		got, err := parseDay(in, now)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestTextThatWasReadIsDecodedBeforeItIsWritten(t *testing.T) {
	m := roamMarks()
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
			if got, err := m.decode("update_block", tc.in); err != nil || got != tc.want {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
	if _, err := m.decode("update_block", `long <roam uid="a" truncated="200"/>`); failureOf(err).Code != CodeTruncatedSource {
		t.Errorf("cut text: %v", err)
	}
	if _, err := m.decode("update_block", "- a <roam uid=\"a\"/>\n  - b <roam uid=\"b\"/>"); failureOf(err).Code != CodeInvalidParams {
		t.Errorf("two blocks: %v", err)
	}
}
