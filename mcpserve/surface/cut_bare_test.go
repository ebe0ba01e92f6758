package surface

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCutCharacters(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		max  int
		want string
	}{
		"leaves a text alone that is short enough": {"漢字", 2, "漢字"},
		"counts characters, and not the mark":      {"漢字漢字", 3, "漢字漢... [truncated]"},
		"cuts what was cut before as if it was not": {
			strings.Repeat("x", 500) + TextCut, 500, strings.Repeat("x", 500) + TextCut,
		},
		"can leave nothing": {"x", 0, TextCut},
	} {
		t.Run(name, func(t *testing.T) {
			if got := CutCharacters(tc.text, tc.max); got != tc.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// FuzzFitBare cuts any reply: what comes out is JSON of the same kind, fits and has a
// note. Only a reply is refused that was too long.
func FuzzFitBare(f *testing.F) {
	long := strings.Repeat("a line of words\\n", 200)
	f.Add(`[{"id":"a","content":"`+long+`"},{"id":"b"}]`, uint16(300), 0)
	f.Add(`{"id":"a","content":"`+long+`","checkItems":[1,2,3]}`, uint16(150), 0)
	f.Add(`[[[["`+long+`"]]],null,7]`, uint16(0), 84)
	f.Add(`{"a":{"b":{"c":"`+long+`"}},"d":null}`, uint16(10), -1)
	f.Add(`{"a":"x","a":"`+long+`"}`, uint16(10), 1)
	tool := &Tool{Name: "tool", Cuts: []Cut{CutArray{Shrink: []string{"content"}, ShrinkTo: 50, Rest: NextOffset("search")}, CutContent{Field: "content"}}}
	f.Fuzz(func(t *testing.T, reply string, more uint16, offset int) {
		reply = strings.TrimSpace(reply)
		if !json.Valid([]byte(reply)) {
			return
		}
		most := noteRoom + 50 + int(more)
		frame := Frame{Tool: tool, Args: Arguments{"offset": offset}, Max: most}
		out, note, err := FitBare(json.RawMessage(reply), frame)
		switch {
		case err != nil:
			if Fits(reply, most) {
				t.Errorf("%.200s was refused: %v", reply, err)
			}
		case !json.Valid(out) || out[0] != reply[0] || !Fits(out, most):
			t.Errorf("%.200s became %.200s", reply, out)
		case string(out) != reply && note == "":
			t.Errorf("%.200s became %.200s, and nobody is told", reply, out)
		}
	})
}
