package plain

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"roam-mcp/history"
	"roam-mcp/history/review"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// fakeHistory has calls with the numbers from 1.
type fakeHistory struct{ calls int }

var _ tui.History = fakeHistory{}

func (f fakeHistory) Calls(_ context.Context, filter history.Filter) (history.Page, error) {
	var page history.Page
	for number := int64(f.calls); number > 0; number-- {
		call := history.Call{
			ID: number, Graph: history.Graph{Name: "work-notes", Type: "hosted"}, Session: 41, Agent: "night-agent", Tool: "update_block",
			At: time.Now(), State: history.CallDone, Summary: fmt.Sprintf(`"text %d"`, number),
		}
		if filter.Before > 0 && number >= filter.Before || len(filter.Graphs) > 0 && filter.Graphs[0] != call.Graph || filter.Page == "elsewhere" {
			continue
		}
		if len(page.Calls) == filter.Limit {
			page.More = true
			break
		}
		page.Calls = append(page.Calls, call)
	}
	return page, nil
}

func (fakeHistory) Sessions(context.Context, history.Filter) ([]history.Session, error) {
	return nil, nil
}

func (f fakeHistory) Diff(_ context.Context, number int64) (review.Diff, error) {
	if number > int64(f.calls) {
		return review.Diff{}, &problem.Error{Code: "NOT_FOUND", Message: fmt.Sprintf("No call %d is recorded.", number)}
	}
	return review.Diff{
		Head: []string{fmt.Sprintf("%d  update_block by night-agent (session s41) in Work, 14:01:10", number)}, Says: "tidy up",
		Sections: []review.Section{{Path: []string{"Plan Q4", "Milestones"}, UID: "hH38FJnvO", Now: "not known: Roam can't be asked", Lines: []review.DiffLine{
			{Kind: review.Removed, Text: "  Ship\x1b[31m it " + strings.Repeat("soon ", 30)}, {Kind: review.Added, Text: "  Ship it later"}, {Kind: review.Note, Text: "heading 2, was 3"},
		}}},
		Foot: []string{"Times can't be restored."},
	}, nil
}

func (fakeHistory) Watch(context.Context) <-chan struct{} { return nil }

func (fakeHistory) Notices(context.Context) ([]history.Notice, error) {
	return []history.Notice{{Message: "The journal was damaged, and a new one has begun.", Hint: problem.Say("The old one is beside it.")}}, nil
}

func (fakeHistory) PlanUndo(context.Context, tui.Undo) ([]tui.UndoPlan, error) { return nil, nil }

func (fakeHistory) Name(history.Graph) string { return "Work" }

func TestHistory(t *testing.T) {
	with := func(t *testing.T, calls int) *world {
		w := newWorld(t)
		w.ports.History = fakeHistory{calls}
		return w
	}
	for name, tc := range map[string]struct {
		calls int
		lines []string
		want  []string
		not   string
	}{
		"is listed, the newest first": {45, []string{"history", "all", "more", "more", "back"},
			[]string{"The journal was damaged, and a new one has begun. The old one is beside it.", "45: ", "night-agent in Work, update_block: \"text 45\", done.", "\n26: ", "(default: back):\n25: ", "\n1: "}, "\n0: "},
		"tells what a call has changed": {3, []string{"h", "", "2", "x", "9", ""},
			[]string{"2 update_block by night-agent", "It says: \"tidy up\"", "  Plan Q4 > Milestones ((hH38FJnvO))\n", "    -   Ship it soon soon", "\n        soon", "    +   Ship it later\n", "    ~ heading 2, was 3\n", "    now: not known: Roam can't be asked\n", "Times can't be restored.", "Type the number that its line begins with.", "No call 9 is recorded."}, ""},
		"is that of one graph":         {3, []string{"history", "graph", "Reading"}, []string{"Nothing that was written fits."}, "text 3"},
		"is that of today":             {3, []string{"history", "today", ""}, []string{"text 3"}, ""},
		"is searched by words":         {3, []string{"history", "words", "TEXT tool:update 2", ""}, []string{"page:TITLE", "text 2"}, "text 3"},
		"of nothing says what will be": {0, []string{"history", ""}, []string{"Nothing is recorded yet.", "So far nothing is kept.", "  roam-mcp history purge"}, ""},
		"says what is kept":            {3, []string{"history", "kept"}, []string{"To forget what is kept"}, "text 3"},
		"is left without a look":       {3, []string{"history", "back"}, nil, "text 3"},
		"looks through what is older":  {9000, []string{"history", "words", "night-agent 3999", "more", "more", ""}, []string{"None of the newest calls fits; more looks through older ones.", "\n3999: "}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			printed := with(t, tc.calls).says(tc.lines, tc.want...)
			if tc.not != "" && strings.Contains(printed, tc.not) {
				t.Errorf("it says %q:\n%s", tc.not, printed)
			}
		})
	}
	t.Run("is said not to be there where there is none", func(t *testing.T) {
		newWorld(t).says([]string{"history"}, "There is no history here. Where there is one, this prints it:")
	})
	t.Run("ends with the input", func(t *testing.T) {
		if printed, err := with(t, 3).run("history", "all"); !endedAt(err, "") {
			t.Errorf("%v:\n%s", err, printed)
		}
	})
}
