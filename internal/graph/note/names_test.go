package note_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/note"
)

var someTitles = map[string]string{
	"apollo001": "Projects/Apollo", "gemini001": "Projects/Gemini", "saturnv01": "Saturn V", "grace0001": "Grace", "01-15-2024": "January 15th, 2024",
	"moved-day": "January 16th, 2024", "stub00001": "In Progress", "stub00002": "in-progress", "bar": "a | b", "nested": "[[A]] and [[B]]",
	"old": "Archive/Notes", "new": "Projects/Notes", "grace0002": "GRÜSSE", "same0001": "Same", "same0002": "SAME", "tricky": "grace0001",
}

func TestResolve(t *testing.T) {
	names := note.NewNames(maps.All(someTitles))
	now := time.Date(2024, 1, 15, 23, 30, 0, 0, time.FixedZone("late", 9*3600))
	for name, tc := range map[string]struct {
		say        string
		slugs      bool
		want       string
		candidates []string
	}{
		"finds a uid":                                {say: "apollo001", want: "apollo001"},
		"finds a uid before a title":                 {say: "grace0001", want: "grace0001"},
		"finds a uid in parentheses":                 {say: " ((apollo001)) ", want: "apollo001"},
		"finds the uid of an address":                {say: "https://roamresearch.com/#/app/Work/page/apollo001?x=1", want: "apollo001"},
		"finds the uid of an address of the program": {say: "roam://#/app/Work/page/01-15-2024", want: "01-15-2024"},
		"does not believe another site's address":    {say: "https://example.com/page/apollo001"},
		"finds a title":                              {say: " Saturn V\n", want: "saturnv01"},
		"finds a title in brackets":                  {say: "[[Grace]]", want: "grace0001"},
		"finds a title that holds links":             {say: "[[A]] and [[B]]", want: "nested"},
		"finds a title as content shows it":          {say: `[[a \| b]]`, want: "bar"},
		"finds today":                                {say: "Today", want: "01-15-2024"},
		"finds tomorrow":                             {say: "tomorrow", want: "moved-day"},
		"misses a day without a page":                {say: "yesterday"},
		"finds an ISO day":                           {say: "2024-01-16", want: "moved-day"},
		"finds a day as Roam's uid":                  {say: "01-16-2024", want: "moved-day"},
		"finds a day as Roam writes it":              {say: "january 16th, 2024", want: "moved-day"},
		"finds a day without its ending":             {say: "January 16, 2024", want: "moved-day"},
		"finds a day as Logseq writes it":            {say: "Jan 16th, 2024", want: "moved-day"},
		"finds a day by its path":                    {say: "daily/2024-01-16", want: "moved-day"},
		"finds no day that does not exist":           {say: "2024-02-30"},
		"finds a path as a slug":                     {say: "projects/apollo.md", slugs: true, want: "apollo001"},
		"finds blanks as hyphens":                    {say: "saturn-v", slugs: true, want: "saturnv01"},
		"finds blanks as underscores":                {say: "SATURN__V.md", slugs: true, want: "saturnv01"},
		"finds a day's file":                         {say: "daily/2024-01-15.md", slugs: true, want: "01-15-2024"},
		"finds the last part of a path":              {say: "apollo", slugs: true, want: "apollo001"},
		"finds a title by a file in some folder":     {say: "people/grace.md", slugs: true, want: "grace0001"},
		"does not take another folder for the page":  {say: "Elsewhere/Gemini", slugs: true},
		"names all whose last part it is":            {say: "notes", slugs: true, candidates: []string{"Archive/Notes", "Projects/Notes"}},
		"names all whose slug it is":                 {say: "in_progress", slugs: true, candidates: []string{"In Progress", "in-progress"}},
		"takes no slug where none is asked for":      {say: "saturn-v", candidates: []string{"Saturn V"}},
		"finds a title without regard to case":       {say: "saturn v", want: "saturnv01"},
		"finds a title in other letters":             {say: "grüsse", want: "grace0002"},
		"names all that differ in case":              {say: "sAME", candidates: []string{"Same", "SAME"}},
		"names a title with a slip":                  {say: "Sarturn V", candidates: []string{"Saturn V"}},
		"names titles that hold it":                  {say: "Projects", candidates: []string{"Projects/Apollo", "Projects/Gemini", "Projects/Notes"}},
		"finds nothing in nothing":                   {say: " "},
		"finds nothing in brackets":                  {say: "[[]]"},
	} {
		t.Run(name, func(t *testing.T) {
			m := names.Resolve(tc.say, now, tc.slugs)
			if m.UID != tc.want || !slices.Equal(m.Candidates, tc.candidates) {
				t.Errorf("got %+v; want %q, %q", m, tc.want, tc.candidates)
			}
		})
	}
}

func TestAMissNamesFiveTitlesAtMost(t *testing.T) {
	pages := map[string]string{}
	for i := range 20_000 {
		pages[fmt.Sprint("uid", i)] = fmt.Sprintf("folder %05d/Same", i)
	}
	names := note.NewNames(maps.All(pages))
	for _, slugs := range []bool{true, false} {
		if m := names.Resolve("same", time.Time{}, slugs); m.UID != "" || len(m.Candidates) != 5 || m.Candidates[0] != "folder 00000/Same" {
			t.Errorf("got %+v", m)
		}
	}
}

// Names of many brackets, hyphens or parts must not make the time grow with the square.
func TestHostileNamesAreResolvedInLinearTime(t *testing.T) {
	names := note.NewNames(maps.All(someTitles))
	for _, part := range []string{"[[", "((", "-", "/", " ", "a/", `\|`, "İ", ".md", "https://roamresearch.com/page/", "12th, "} {
		names.Resolve(strings.Repeat(part, 1<<18/len(part)), time.Time{}, true)
		note.Key(strings.Repeat(part, 1<<18/len(part)))
	}
	pages := map[string]string{strings.Repeat("[[", 1<<19): strings.Repeat("a/", 1<<19)}
	note.NewNames(maps.All(pages)).Resolve("x", time.Time{}, true)
}

func FuzzResolve(f *testing.F) {
	for _, say := range []string{"apollo001", "[[a]]", "((b))", "2024-01-15", "daily/x.md", "A_b-C", "today", "İ", "roam://x/page/y", `a\|b`, "#x"} {
		f.Add(say, "Projects/Apollo", "in-progress")
	}
	f.Fuzz(func(t *testing.T, say, first, second string) {
		pages := map[string]string{"uid000001": first, "uid000002": second}
		if first == second {
			return
		}
		names := note.NewNames(maps.All(pages))
		for _, slugs := range []bool{true, false} {
			m := names.Resolve(say, time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC), slugs)
			if _, known := pages[m.UID]; m.UID != "" && !known || m.UID != "" && m.Candidates != nil {
				t.Errorf("%q is %+v", say, m)
			}
			for _, title := range m.Candidates {
				if title != first && title != second {
					t.Errorf("%q is not there", title)
				}
			}
			for uid := range pages {
				if m := names.Resolve(uid, time.Time{}, slugs); m.UID != uid {
					t.Errorf("%q is %+v", uid, m)
				}
			}
		}
		if key := note.Key(say); note.Key(key) != key {
			t.Errorf("the key of %q is %q", key, note.Key(key))
		}
	})
}
