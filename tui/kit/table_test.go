package kit

import (
	"slices"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	columns := []Column{{Head: "NO.", Right: true, Drops: 2}, {Head: "NAME", Narrow: 4}, {Head: "NONE"}, {Head: "PATH", Narrow: 6, Drops: 1, TheEnd: true}, {Head: "END", Grows: true}}
	rows := [][]string{{"9", "日本語", "", "~/a/long/path", "done"}, {"412", "work of the week", "", "", "not sent"}}
	table := NewTable(columns...)
	for _, row := range rows {
		table.Measure(row...)
	}
	for width, want := range map[int][]string{
		52: {"NO.  NAME              PATH           END", "  9  日本語            ~/a/long/path  done", "412  work of the week                 not sent"},
		44: {"NAME              PATH           END", "日本語            ~/a/long/path  done", "work of the week                 not sent"}, // the number goes, and the rest is as it was
		36: {"NO.  NAME       PATH        END", "  9  日本語     …long/path  done", "412  work of …              not sent"},
		24: {"NAME    PATH    END", "日本語  …/path  done", "work …          not sent"},
		16: {"NAME    END", "日本語  done", "work …  not sent"},
	} {
		layout := table.In(UnicodeGlyphs(), width)
		got := []string{layout.Heads(), layout.Line(rows[0]...), layout.Line(rows[1]...)}
		for i, line := range got {
			got[i] = strings.TrimRight(line, " ")
		}
		if !slices.Equal(got, want) {
			t.Errorf("in %d cells:\n%s\nwant\n%s", width, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if got, want := NewTable(columns...).Lines(UnicodeGlyphs(), rows), []string{"  9  日本語            ~/a/long/path  done", "412  work of the week                 not sent"}; !slices.Equal(got, want) {
		t.Errorf("the lines are\n%s", strings.Join(got, "\n"))
	}
}
