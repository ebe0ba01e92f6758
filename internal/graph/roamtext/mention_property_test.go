package roamtext

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// vocabulary is small, so that titles overlap and meet often.
var vocabulary = []string{"rye", "Oven", "fund", "Ana", "dough", "starter", "Köln", "the"}

func phrase(random *rand.Rand, words int) string {
	out := make([]string, words)
	for i := range out {
		out[i] = vocabulary[random.IntN(len(vocabulary))]
		if random.IntN(3) == 0 {
			out[i] = strings.ToUpper(out[i])
		}
	}
	return strings.Join(out, " ")
}

// slow finds the same by trying every title at every place, longest first.
func slow(titles []string, text string) []string {
	type place struct {
		title      string
		start, end int
	}
	var places []place
	for _, title := range titles {
		pattern := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(title))
		for at := 0; at <= len(text); at++ {
			found := pattern.FindStringIndex(text[at:])
			if found == nil {
				break
			}
			start, end := at+found[0], at+found[1]
			if (start == 0 || text[start-1] == ' ') && (end == len(text) || text[end] == ' ') {
				places = append(places, place{title, start, end})
			}
			at = start
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if d := strings.Count(b.title, " ") - strings.Count(a.title, " "); d != 0 {
			return d
		}
		if d := (b.end - b.start) - (a.end - a.start); d != 0 {
			return d
		}
		return a.start - b.start
	})
	taken := make([]bool, len(text))
	kept := map[int]string{}
	seen := map[string]int{}
	for _, p := range places {
		if slices.Contains(taken[p.start:p.end], true) {
			continue
		}
		for i := p.start; i < p.end; i++ {
			taken[i] = true
		}
		if before, twice := seen[p.title]; twice {
			if before < p.start {
				continue
			}
			delete(kept, before)
		}
		seen[p.title], kept[p.start] = p.start, p.title
	}
	var out []string
	for i := range text {
		if title, ok := kept[i]; ok {
			out = append(out, fmt.Sprintf("%s@%d", title, i))
		}
	}
	return out
}

func TestFindMentionsIsWhatTryingEveryTitleFinds(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 7))
		var titles []string
		folded := map[string]bool{}
		for range 1 + random.IntN(8) {
			title := phrase(random, 1+random.IntN(3))
			// Titles that differ by case alone, and plain ones, have rules of
			// their own, which the slow way does not know.
			if words := split(title); !folded[foldTitle(title)] && !tooPlain(title, words) {
				titles = append(titles, title)
				folded[foldTitle(title)] = true
			}
		}
		text := phrase(random, 1+random.IntN(12))
		found, err := FindMentions(t.Context(), pagesOf(titles...), []Passage{{"b", text}})
		require.NoError(t, err)
		var got []string
		for _, m := range found {
			got = append(got, fmt.Sprintf("%s@%d", m.Page.Title, m.Start))
		}
		if want := slow(titles, text); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q in %q: %v, want %v", seed, titles, text, got, want)
		}
	}
}

// FuzzFindMentions takes any text and titles. Whatever is found stands where it is said
// to, overlaps nothing, is plain text, and is the same in any order of titles.
func FuzzFindMentions(f *testing.F) {
	f.Add("the Oven Fund meeting, `code` [[Ana]] {{x}}", "[[Oven Fund]] meeting", "Oven Fund")
	f.Add("明日は東京へ İ ﬁ e\u0301\u0301", "東京", "É́")
	f.Add("[[[[a]] #[[ ((x)) ``` $$ https://x.test [l](t", "test", "###")
	f.Fuzz(func(t *testing.T, text, first, second string) {
		if len(text) > 4000 {
			return
		}
		pages := pagesOf(first, second)
		found, err := FindMentions(t.Context(), pages, []Passage{{"b", text}})
		require.NoError(t, err)
		plain, _ := plainText(text)
		if len(plain) != len(text) {
			t.Fatalf("%d bytes of plain text, %d of text", len(plain), len(text))
		}
		end := 0
		for _, m := range found {
			if m.Start < end || m.End <= m.Start || m.End > len(text) || text[m.Start:m.End] != m.Text || m.Count < 1 {
				t.Fatalf("%+v in %q", m, text)
			}
			if strings.IndexByte(plain[m.Start:m.End], masked) >= 0 {
				t.Fatalf("%+v is no plain text in %q", m, text)
			}
			end = m.End
		}
		slices.Reverse(pages)
		again, _ := FindMentions(t.Context(), pages, []Passage{{"b", text}})
		if first != second && !slices.Equal(found, again) {
			t.Fatalf("the order of the titles matters: %+v and %+v", found, again)
		}
	})
}

// Openings without end must not make the time grow with the square of the text.
func TestFindMentionsInTextOfNothingButOpenings(t *testing.T) {
	for _, opening := range []string{"[[", "((", "{{", "[", "`", "$$", "#[[", "[x](", "a::", "[[a", "((a", "]]"} {
		text := strings.Repeat(opening, 1<<19/len(opening))
		if _, err := FindMentions(t.Context(), pagesOf("Ana"), []Passage{{"b", text}}); err != nil {
			t.Error(err)
		}
	}
	nestedLinks := strings.Repeat("[[", 1<<17) + "x" + strings.Repeat("]]", 1<<17)
	if _, err := FindMentions(t.Context(), pagesOf("Ana"), []Passage{{"b", nestedLinks}}); err != nil {
		t.Error(err)
	}
}

func BenchmarkFindMentions(b *testing.B) {
	for _, titles := range []int{1000, 5000, 50_000} {
		b.Run(fmt.Sprintf("%d titles", titles), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 2))
			word := func() string { return fmt.Sprintf("word%d", random.IntN(titles)) }
			pages := make([]NamedPage, titles)
			for i := range pages {
				title := word()
				for range random.IntN(3) {
					title += " " + word()
				}
				pages[i] = NamedPage{title, fmt.Sprintf("uid%06d", i)}
			}
			blocks := make([]Passage, 300) // a long page
			for i := range blocks {
				text := ""
				for range 20 {
					text += word() + " "
				}
				blocks[i] = Passage{fmt.Sprintf("b%d", i), text + "[[" + word() + "]]"}
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := FindMentions(b.Context(), pages, blocks); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
