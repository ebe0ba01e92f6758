package surface

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// readTo shows the passages of a text one after another, in replies of at most max tokens,
// and returns what they show.
func readTo(t *testing.T, text string, most, max int) (shown string, replies int) {
	t.Helper()
	tool := &Tool{Name: "read", Cuts: []Cut{CutContent{Field: "content"}}}
	world := problem.World{Tool: func(problem.Task) string { return "read" }}
	for from := 0; ; replies++ {
		p := &Passage{Field: "content", Text: text, From: from, Most: most, Reads: "read"}
		reply := p.Into(rawjson.With("id", "a").With("content", "all of it").With("tags", []string{"b"}).JSON())
		if !Fits(reply, max) {
			shorter, note, err := FitBare(reply, Frame{Tool: tool, World: world, Max: max, Passage: p})
			if err != nil || note != "" {
				t.Fatal(err, note)
			}
			reply = shorter
		}
		content, _ := rawjson.Parse(reply).Text("content")
		told := world.Say(p.Goes(reply))
		if told == "" {
			return shown + content, replies + 1
		}
		part := strings.TrimSuffix(content, TextCut)
		shown += part
		was := from
		from += len([]rune(part))
		want := fmt.Sprintf("; call read with offset %d.", from)
		if part == content || from == was || !strings.HasSuffix(told, want) || !Fits(reply, max) || !json.Valid(reply) {
			t.Fatalf("from %d: %q, and it says %q", was, content, told)
		}
	}
}

func TestAPassageThatIsFollowedToItsEndShowsEachCharacterOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a line of words\n", "漢字", "\n", "\n\n", `"\\`, TextCut, TextCut + "\n", "é", "🚀", strings.Repeat(" ", 40), "word ", strings.Repeat("x", 300)}
	for range 300 {
		var text strings.Builder
		for range r.IntN(400) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		if shown, _ := readTo(t, text.String(), r.IntN(2)*(1+r.IntN(500)), noteRoom+100+r.IntN(800)); shown != text.String() {
			t.Fatalf("%q is shown as %q", text.String(), shown)
		}
	}
}

func TestALongPassageTakesFewReplies(t *testing.T) {
	for name, text := range map[string]string{
		"of lines":               strings.Repeat("- a line of some words\n", 43_000),
		"of one line":            strings.Repeat("words and ", 100_000),
		"of a long line at last": "short\n" + strings.Repeat("words and ", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			if shown, replies := readTo(t, text, 0, 18_000); shown != text || replies > 25 {
				t.Errorf("%d replies show %d of %d bytes", replies, len(shown), len(text))
			}
		})
	}
}

func TestWhereAPassageIsCut(t *testing.T) {
	for name, tc := range map[string]struct{ text, want, told string }{
		"at the end of a line":         {"one two\nthree four", "one two\n... [truncated]", "Shown characters 1 to 8 of 18 of the content."},
		"in a line that is most of it": {"1\n2 three four five", "1\n2 three ... [truncated]", "Shown characters 1 to 10 of 19 of the content."},
		"nowhere where it is short":    {"one\ntwo", "one\ntwo", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Passage{Field: "content", Text: tc.text, Most: 10, Reads: "read"}
			reply := p.Into([]byte(`{}`))
			content, _ := rawjson.Parse(reply).Text("content")
			if told := (problem.World{}).Say(p.Goes(reply)); content != tc.want || told != tc.told {
				t.Errorf("got %q and %q", content, told)
			}
		})
	}
}
