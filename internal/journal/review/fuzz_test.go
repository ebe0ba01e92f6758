package review_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/textsafe"
)

// FuzzDiffOf makes differences and summaries of any facts, in circles too: it ends, and
// nothing that a terminal would obey comes out.
func FuzzDiffOf(f *testing.F) {
	classes := []fact.Class{
		fact.ClassMake, fact.ClassText, fact.ClassLook, fact.ClassPlace, fact.ClassGone, fact.ClassRename,
		fact.ClassMerge, fact.ClassShortcut, fact.ClassComment, fact.ClassFile, fact.ClassOpaque,
	}
	for _, s := range samples() {
		for _, c := range s.record().Changes {
			f.Add(c.Before, c.After, "ship", uint8(slices.Index(classes, c.Class)), uint8(fact.RoleTarget))
		}
	}
	f.Add([]byte(`{"things":{"a":{"text":"\u001b[2J","parent":"b"},"b":{"text":"x","parent":"a"}}}`), []byte(`{"things":{"a":{"gone":true}}}`), "a", uint8(4), uint8(fact.RoleGone))
	f.Fuzz(func(t *testing.T, before, after []byte, uid string, class, role uint8) {
		change := history.ChangeRecord{
			Class: classes[int(class)%len(classes)], State: history.StateDone, Before: before, After: after,
			Touches: []fact.Touch{{UID: uid, Role: fact.Role(role % 8)}, {UID: "b", Role: fact.RoleMade, Page: uid}},
		}
		r := history.Record{Call: history.Call{ID: 1, Tool: uid, Agent: uid}, Changes: []history.ChangeRecord{change}}
		was, _ := fact.Parse(before)
		is, _ := fact.Parse(after)
		var tally review.Tally
		tally.Add(review.Part{Class: change.Class, Before: was, After: is, Touches: change.Touches})
		if utf8.RuneCountInString(tally.String()) > 120 {
			t.Errorf("the summary is longer than 120 characters: %q", tally.String())
		}
		_ = review.Missing(r, "", was)
		text := tally.String() + plainly(review.DiffOf(r, "", review.Now{Known: true, State: was, At: noon}, nickname))
		text += plainly(review.DiffOf(r, uid, review.Now{At: noon}, nickname))
		if i := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && textsafe.Unshowable(c) }); i >= 0 {
			t.Errorf("%q comes out", text[i:min(len(text), i+20)])
		}
	})
}
