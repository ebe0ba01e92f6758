package historyview

import (
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestParseRange(t *testing.T) {
	for text, want := range map[string]Range{
		"412":      {from: 412, to: 412},
		"412.2":    {from: 412, to: 412, part: 2},
		"s41":      {session: 41},
		"405..412": {from: 405, to: 412},
	} {
		got, err := ParseRange(text)
		require.NoError(t, err)
		if got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"", "0", "s", "s0", "-1", "412.", "412.0", "412.x", "412..405", "..", "1..", "latest", "99999999999999999999"} {
		if got, err := ParseRange(text); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func TestPurgeAsks(t *testing.T) {
	for want, options := range map[string]Purge{
		"Forget 12 calls in Work? This can't be taken back.":                 {Graph: "Work"},
		"Forget the texts of 12 calls? This can't be taken back.":            {Texts: true},
		"Forget 12 calls in Work, older than 30d? This can't be taken back.": {Graph: "Work", Before: "30d"},
		"Forget all that is recorded, 12 calls? This can't be taken back.":   {All: true},
		"Forget 12 calls in Wrk ? This can't be taken back.":                 {Graph: "W\u202erk\n\x1b[2J"},
	} {
		if got := options.Question("12 calls"); got != want {
			t.Errorf("%+v asks %q, want %q", options, got, want)
		}
	}
}
