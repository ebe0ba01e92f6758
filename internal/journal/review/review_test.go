package review_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/testutil/golden"
)

var noon = time.Date(2026, time.November, 21, 14, 30, 0, 0, time.UTC)

func nickname(history.Graph) string { return "Work" }

// page and block are facts of one page with some blocks.
func page(uid, title string, children ...string) fact.Fact {
	return fact.Fact{UID: uid, Title: title, Page: uid, Children: children}
}

func block(uid, parent, text string, order int) fact.Fact {
	return fact.Fact{UID: uid, Text: text, Page: "plan-page", Parent: parent, Order: order, Edited: noon.Add(-10 * time.Minute).UnixMilli(), EditorName: "Ana"}
}

func state(facts ...fact.Fact) fact.State {
	s := fact.State{Things: map[string]fact.Fact{}}
	for _, f := range facts {
		s.Things[f.UID] = f
	}
	return s
}

func gone(uids ...string) (facts []fact.Fact) {
	for _, uid := range uids {
		facts = append(facts, fact.Fact{UID: uid, Gone: true})
	}
	return facts
}

// with returns a fact with something else in it.
func with(f fact.Fact, change func(*fact.Fact)) fact.Fact {
	change(&f)
	return f
}

func touches(role fact.Role, uids ...string) (list []fact.Touch) {
	for _, uid := range uids {
		list = append(list, fact.Touch{UID: uid, Role: role, Page: "plan-page"})
	}
	return list
}

// sample is a call of one change, and what Roam has now.
type sample struct {
	name, tool string
	class      fact.Class
	before     fact.State
	after      fact.State
	touches    []fact.Touch
	now        *fact.State // nil: Roam can't be asked
	only       string
	edit       func(*history.Record)
}

func (s sample) record() history.Record {
	call := history.Call{
		ID: 412, Graph: history.Graph{Name: "jfb", Type: "hosted"}, Session: 41, Agent: "claude-code", Client: "claude-code", Tool: s.tool,
		At: noon.Add(-25 * time.Minute), Took: 61 * time.Millisecond, State: history.CallDone, Changes: 1,
	}
	change := history.ChangeRecord{
		Change: history.Change{Call: 412, ID: 900, Seq: 1}, Action: "data.block.update", Class: s.class, State: history.StateDone, Touches: s.touches,
		BeforeBy: history.ByLook, AfterBy: history.BySoon,
	}
	if s.before.Things != nil || s.before.Shortcuts != nil {
		change.Before = s.before.JSON()
	}
	if s.after.Things != nil || s.after.Shortcuts != nil {
		change.After = s.after.JSON()
	}
	r := history.Record{Call: call, Changes: []history.ChangeRecord{change}}
	if s.edit != nil {
		s.edit(&r)
	}
	return r
}

// TestDiff compares differences with testdata, each with the summary of its call.
func TestDiff(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			r := s.record()
			now := review.Now{At: noon}
			if s.now != nil {
				now.Known, now.State = true, *s.now
			}
			var tally review.Tally
			for _, c := range r.Changes {
				before, _ := fact.Parse(c.Before)
				after, _ := fact.Parse(c.After)
				tally.Add(review.Part{Class: c.Class, Before: before, After: after, Touches: c.Touches, Pages: r.Pages})
			}
			text := "summary: " + tally.String() + "\nasked: " + strings.Join(review.Missing(r, s.only, now.State), " ") + "\n\n" + plainly(review.DiffOf(r, s.only, now, nickname))
			golden.File(t, "testdata/"+strings.ReplaceAll(s.name, " ", "-")+".golden", text)
		})
	}
}

// The summary of a call that brings back what was says so.
func TestTally_ofARestore(t *testing.T) {
	made := review.Part{Class: fact.ClassMake, After: and(plan(), ship("December 1st, 2026")), Touches: touches(fact.RoleMade, "ship")}
	went := review.Part{Class: fact.ClassGone, Before: and(plan(), ship("December 1st, 2026")), Touches: touches(fact.RoleGone, "ship")}
	for name, tc := range map[string]struct {
		parts []review.Part
		want  string
	}{
		"of blocks that are back":        {[]review.Part{made}, `restored: 1 block on "Plan Q4"`},
		"of blocks that went":            {[]review.Part{went}, `restored: "Ship the beta by [[December 1st, 2026]]" gone`},
		"of which nothing was done, yet": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tally := review.Tally{Restores: true}
			for _, part := range tc.parts {
				part.Pages = map[string]string{"plan-page": "Plan Q4"}
				tally.Add(part)
			}
			if got := tally.String(); got != tc.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

// The page of a summary is the one that was written to, whatever a later read has found.
func TestTally_namesThePageThatWasWrittenTo(t *testing.T) {
	on := func(page, title, text string) fact.State {
		b := block("ship", page, text, 0)
		b.Page, b.PageTitle = page, title
		return state(b)
	}
	moved := on("plan-page", "Plan Q4", "old")
	moved.Things["other-page"] = page("other-page", "Other")
	for name, tc := range map[string]struct {
		part review.Part
		want string
	}{
		"of a text whose block was moved since": {review.Part{Class: fact.ClassText, Before: on("plan-page", "Plan Q4", "old"), After: on("other-page", "Other", "new"), Touches: touches(fact.RoleTarget, "ship")}, `1 block on "Plan Q4"`},
		"of a text whose page was renamed since": {review.Part{Class: fact.ClassText, Before: on("plan-page", "Plan Q4", "old"), After: on("plan-page", "Plan Q1", "new"), Touches: touches(fact.RoleTarget, "ship"),
			Pages: map[string]string{"plan-page": "Plan Q1"}}, `1 block on "Plan Q4"`},
		"of a block that was moved on since": {review.Part{Class: fact.ClassPlace, Before: moved, After: on("third-page", "Third", "old"),
			Touches: append(touches(fact.RoleTarget, "ship"), touches(fact.RolePlace, "plan-page", "other-page")...)}, `1 block moved to "Other"`},
	} {
		t.Run(name, func(t *testing.T) {
			var tally review.Tally
			tally.Add(tc.part)
			if got := tally.String(); got != tc.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

// plainly writes a difference as text, with the mark of each state in words.
func plainly(d review.Diff) string {
	var out strings.Builder
	for _, line := range d.Head {
		fmt.Fprintln(&out, line)
	}
	if d.Says != "" {
		fmt.Fprintf(&out, "it says: %q\n", d.Says)
	}
	for _, s := range d.Sections {
		fmt.Fprintf(&out, "\n%s ((%s))\n", strings.Join(s.Path, " > "), s.UID)
		for _, line := range s.Lines {
			fmt.Fprintln(&out, " "+[]string{" ", "-", "+", "~"}[line.Kind]+" "+line.Text)
		}
		fmt.Fprintf(&out, "   now: %s %v\n", s.Now, s.NowMark)
	}
	for _, line := range d.Foot {
		fmt.Fprintln(&out, "\n"+line)
	}
	return out.String()
}
