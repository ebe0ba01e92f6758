package outline

import (
	"fmt"
	"strings"
	"testing"
)

// draw writes an outline in a line for each block.
func draw(blocks []Block, depth int) string {
	var out strings.Builder
	for _, b := range blocks {
		fmt.Fprintf(&out, "%s%s", strings.Repeat("  ", depth), b.String)
		if b.UID != "" {
			out.WriteString(" ^" + b.UID)
		}
		out.WriteString("\n" + draw(b.Children, depth+1))
	}
	return out.String()
}

func TestApply(t *testing.T) {
	for name, tc := range map[string]struct {
		shown, unseen, sent, now string
		want                     string
		conflicts                string
	}{
		"leaves what was left as it was":                        {"a ^1\nb ^2", "", "a\nb", "a ^1\nb ^2", "a ^1\nb ^2", ""},
		"keeps what somebody changed and the sender left":       {"a ^1\nb ^2", "", "a\nb", "a2 ^1\nb ^2", "a2 ^1\nb ^2", ""},
		"keeps gone what somebody deleted and the sender left":  {"a ^1\nb ^2", "", "a\nb\nc", "b ^2", "b ^2\nc", ""},
		"changes one and keeps what somebody changed beside it": {"one two ^1\nb ^2", "", "one three\nb", "one two ^1\nb2 ^2", "one three ^1\nb2 ^2", ""},
		"keeps what was added since":                            {"a ^1\nb ^2", "", "a\nb", "a ^1\nnew ^9\nb ^2", "a ^1\nnew ^9\nb ^2", ""},
		"keeps what was added since where all else goes":        {"a ^1\nb ^2", "", "", "a ^1\nnew ^9\nb ^2", "new ^9", ""},
		"keeps what a cut left out":                             {"a ^1\nb ^2\nc ^3", "2 3", "a2 a", "a ^1\nb ^2\nc ^3", "a2 a ^1\nb ^2\nc ^3", ""},
		"puts new text where the part was":                      {"a ^1\nb ^2\nc ^3", "1 3", "x\ny", "a ^1\nb ^2\nc ^3", "a ^1\nx\ny\nc ^3", ""},
		"puts new text behind what it was sent behind":          {"a ^1\nb ^2\nc ^3", "3", "a\nb\nx", "a ^1\nb ^2\nc ^3", "a ^1\nb ^2\nx\nc ^3", ""},
		"puts new text in front of what it was sent in front":   {"p ^0\na ^1", "0", "x\na", "p ^0\na ^1", "p ^0\nx\na ^1", ""},
		"puts new text at the place for it where there is none": {"p ^0\nq ^1", "0 1", "x", "p ^0\nq ^1", "p ^0\nx\nq ^1", ""},
		"saves what was not shown from what goes":               {"a ^1\n  b ^2\n    c ^3", "3", "", "a ^1\n  b ^2\n    c ^3", "c ^3", ""},
		"takes a part below blocks that were not shown":         {"a ^1\n  b ^2\n  c ^3\nd ^4", "1 4", "? ^1\n  b\n  x\n  c", "a ^1\n  b ^2\n  c ^3\nd ^4", "a ^1\n  b ^2\n  x\n  c ^3\nd ^4", ""},
		"refuses to change what somebody changed":               {"one two ^1", "", "one three", "one four ^1", "", "1 one two/one three/one four"},
		"takes the same change for done":                        {"one two ^1", "", "one three", "one three ^1", "one three ^1", ""},
		"refuses to take away what somebody changed":            {"a ^1\nb ^2", "", "b", "a2 ^1\nb ^2", "", "1 a/-/a2"},
		"refuses to take away what somebody wrote below":        {"a ^1\nb ^2", "", "b", "a ^1\n  new ^9\nb ^2", "", "1 a/-/a+new"},
		"changes what somebody wrote below":                     {"one two ^1", "", "one three", "one two ^1\n  new ^9", "one three ^1\n  new ^9", ""},
		"changes what somebody moved something below":           {"one two ^1\nb ^2", "", "one three\nb", "one two ^1\n  b ^2", "one three ^1\n  b ^2", ""},
		"changes by its place what somebody wrote below":        {"a ^1\nopen ^2", "", "a\ndone", "a ^1\nopen ^2\n  new ^9", "a ^1\ndone ^2\n  new ^9", ""},
		"refuses to change what somebody moved":                 {"a ^1\nopen ^2", "", "a\ndone", "a ^1\n  open ^2", "", "2 open/done/open"},
		"refuses to change by its place what somebody changed":  {"a ^1\nopen ^2", "", "a\ndone", "a ^1\nlow ^2", "", "2 open/done/low"},
		"takes by its place no block that was not shown":        {"a ^1\nb ^2\n  c ^3", "1 2", "x", "a ^1\nb ^2\n  c ^3", "a ^1\nx\nb ^2", ""},
		"refuses to change what is gone":                        {"one two ^1\nb ^2", "", "one three\nb", "b ^2", "", "1 one two/one three/-"},
		"takes for done that what goes is gone":                 {"a ^1\nb ^2", "", "b", "b ^2", "b ^2", ""},
		"refuses to write below what is gone":                   {"a ^1\nb ^2", "", "a\n  x\nb", "b ^2", "", "1 a/a/-"},
		"refuses to take away what moved":                       {"a ^1\nb ^2", "", "b", "b ^2\n  a ^1", "", "1 a/-/a"},
		"moves as it was sent":                                  {"a ^1\nb ^2\nc ^3", "", "c\na\nb", "a ^1\nb ^2\nc ^3", "c ^3\na ^1\nb ^2", ""},
		"moves what somebody changed":                           {"a ^1\nb ^2\nc ^3", "", "c\na\nb", "a ^1\nb ^2\nc2 ^3", "c2 ^3\na ^1\nb ^2", ""},
		"keeps the order that somebody made":                    {"a ^1\nb ^2\nc ^3", "", "a\nb\nc\nd", "c ^3\nb ^2\na ^1", "c ^3\nd\nb ^2\na ^1", ""},
		"moves below another block with what is below it":       {"a ^1\n  new ^9\nb ^2", "9", "b\n  a", "a ^1\n  new ^9\nb ^2", "b ^2\n  a ^1\n    new ^9", ""},
		"turns a nest inside out":                               {"a ^1\n  b ^2\n    c ^3", "", "c\n  b\n    a", "a ^1\n  b ^2\n    c ^3", "c ^3\n  b ^2\n    a ^1", ""},
		"takes of equal blocks the one that nobody touched":     {"a ^1\na ^2", "", "a", "a ^1\na2 ^2", "a2 ^2", ""},
		"takes of equal blocks the one that is gone":            {"a ^1\na ^2", "", "a", "a ^1", "a ^1", ""},
		"takes of equal blocks with others between":             {"a ^1\nb ^2\na ^3", "", "a", "a ^1\nb ^2\na ^3\n  new ^9", "a ^3\n  new ^9", ""},
		"takes of equal blocks with the same below":             {"a ^1\n  k ^2\na ^3\n  k ^4", "", "a\n  k", "a ^1\n  k ^2\na ^3\n  k2 ^4", "a ^3\n  k2 ^4", ""},
	} {
		t.Run(name, func(t *testing.T) {
			view := View{Blocks: parse(tc.shown), Unseen: map[string]bool{}}
			for _, uid := range strings.Fields(tc.unseen) {
				view.Unseen[uid] = true
			}
			before := draw(view.Blocks, 0)
			want, conflicts := Difference(view, parse(tc.sent)).Apply(parse(tc.now), 1)
			if got := strings.TrimSpace(draw(want, 0)); got != tc.want {
				t.Errorf("the outline is\n%s\nwant\n%s", got, tc.want)
			}
			var said []string
			for _, c := range conflicts {
				say := func(text *string) string {
					if text == nil {
						return "-"
					}
					return *text
				}
				line := fmt.Sprintf("%s %s/%s/%s", c.UID, c.Shown, say(c.Sent), say(c.Now))
				for _, b := range c.Below {
					line += "+" + b.String
				}
				said = append(said, line)
			}
			if got := strings.Join(said, "; "); got != tc.conflicts {
				t.Errorf("the conflicts are %s, want %s", got, tc.conflicts)
			}
			if draw(view.Blocks, 0) != before {
				t.Error("the view was changed")
			}
		})
	}
}

func TestEdits_IsEmpty(t *testing.T) {
	view := View{Blocks: parse("a ^1\n  b ^2\nc ^3"), Unseen: map[string]bool{"3": true}}
	for sent, want := range map[string]bool{"a\n  b": true, "a\nb": false, "a": false, "a\n  b\nx": false, "a\n  b c": false} {
		if got := Difference(view, parse(sent)).IsEmpty(); got != want {
			t.Errorf("of %q it is %v", sent, got)
		}
	}
}
