package search

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"roam-mcp/internal/testutil/require"
)

// questionVocabulary are words of random graphs, some of which have the same stem, the same
// letters but for case and marks, or the same beginning.
var questionVocabulary = strings.Fields("plan plans planned Planning café cafe CAFÉ note notes Über uber straße strasse run runs x123 x12 a12-b2 relate relation sky skies")

// random returns a graph, and its texts as the slow evaluator reads them.
func random(r *rand.Rand) corpus {
	c := corpus{above: map[string][]string{}, sizes: map[string]int{}}
	text := func() string {
		words := make([]string, 1+r.IntN(5))
		for i := range words {
			words[i] = questionVocabulary[r.IntN(len(questionVocabulary))] + [...]string{"", "", "", ",", "."}[r.IntN(5)]
		}
		return strings.Join(words, " ")
	}
	for p := range 5 {
		title := fmt.Sprint("Page", p, " ", text())
		c.texts = append(c.texts, Text{UID: title, Page: title, Text: title, IsPage: true})
		path := []string{title}
		for b := range 6 {
			block := Text{UID: fmt.Sprint(p, "-", b), Page: title, Text: text()}
			c.texts = append(c.texts, block)
			c.above[block.UID] = slices.Clone(path)
			if path = append(path, block.Text); r.IntN(2) == 0 {
				path = path[:1]
			}
		}
	}
	return c
}

// wantedPart is one part of a query, for the slow evaluator.
type wantedPart struct {
	any      []string // words, or a phrase in quotation marks, or the beginning of a word with *
	excluded bool
}

func (w wantedPart) String() string {
	if w.excluded {
		return "-" + w.any[0]
	}
	return strings.Join(w.any, " OR ")
}

func randomQuery(r *rand.Rand) (parts []wantedPart) {
	one := func() string {
		word := questionVocabulary[r.IntN(len(questionVocabulary))]
		switch r.IntN(6) {
		case 0:
			return `"` + word + " " + questionVocabulary[r.IntN(len(questionVocabulary))] + `"`
		case 1:
			if len(word) > 3 && !strings.Contains(word, "-") {
				return string([]rune(word)[:3]) + "*"
			}
		}
		return word
	}
	for range 1 + r.IntN(3) {
		part := wantedPart{any: []string{one()}, excluded: r.IntN(5) == 0}
		if !part.excluded && r.IntN(3) == 0 {
			part.any = append(part.any, one())
		}
		parts = append(parts, part)
	}
	return parts
}

var withoutMarks = strings.NewReplacer("é", "e", "É", "e", "ü", "u", "Ü", "u", "ß", "ss")

// slowWords splits a text by the rules, written apart from those of the package.
func slowWords(text string) []string {
	text = withoutMarks.Replace(text)
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// slowlyIn reports whether one thing wanted is in a text.
func slowlyIn(words []string, one string) bool {
	seek := slowWords(one)
	for at := 0; at+len(seek) <= len(words); at++ {
		all := true
		for i, word := range seek {
			switch {
			case strings.HasSuffix(one, "*"):
				all = all && strings.HasPrefix(words[at+i], word)
			case strings.HasPrefix(one, `"`):
				all = all && words[at+i] == word
			default:
				all = all && Stem(words[at+i]) == Stem(word)
			}
		}
		if all {
			return true
		}
	}
	return false
}

// slowly returns the uids of what has all that is wanted.
func slowly(c corpus, read map[string][]string, parts []wantedPart) []string {
	var found []string
	for _, text := range c.texts {
		around := append([]string{text.Text}, c.above[text.UID]...)
		ok, own, wants := true, false, false
		for _, part := range parts {
			met := false
			for _, one := range part.any {
				for i, each := range around {
					if slowlyIn(read[each], one) {
						met = true
						own = own || i == 0 && !part.excluded
					}
				}
			}
			ok = ok && met != part.excluded
			wants = wants || !part.excluded
		}
		if ok && own && wants {
			found = append(found, text.UID)
		}
	}
	return found
}

func TestQueriesFindWhatASlowEvaluatorDoes(t *testing.T) {
	runsAlone(t)
	t.Parallel()
	r := rand.New(rand.NewPCG(28, 1))
	for graph := range 3 {
		c := random(r)
		read := map[string][]string{}
		for _, text := range c.texts {
			read[text.Text] = slowWords(text.Text)
		}
		for range 5000 / 3 {
			parts := randomQuery(r)
			texts := make([]string, len(parts))
			for i, part := range parts {
				texts[i] = part.String()
			}
			query := strings.Join(texts, " ")
			q, err := ParseQuestion(query)
			require.NoError(t, err)
			pattern := regexp.MustCompile("(?i)" + q.Pattern(nil) + "|" + q.MarkedPattern(nil))
			set := q.Among(QuestionCorpus{Texts: len(c.texts)})
			for _, text := range c.texts {
				if pattern.MatchString(text.Text) { // as Roam does
					set.Add(text)
				}
			}
			for _, uid := range set.Best(1000, 1000) {
				set.Above(uid, c.above[uid])
			}
			found := set.Found()
			var got []string
			for _, result := range found.Results[:found.Total] {
				got = append(got, result.UID)
			}
			want := slowly(c, read, parts)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("graph %d, %s: found %v, want %v", graph, query, got, want)
			}
		}
	}
}

func TestThreeWordsOfABlockFindIt(t *testing.T) {
	runsAlone(t)
	t.Parallel()
	help := helpGraph(t)
	r := rand.New(rand.NewPCG(28, 2))
	const queries = 300
	five, first := 0, 0 // its page is
	for n := 0; n < queries; {
		block := help.texts[r.IntN(len(help.texts))]
		if strings.Contains(block.Text, "://") { // nobody asks for the words of an address
			continue
		}
		words := slices.DeleteFunc(slowWords(withoutReferences(block.Text)), func(word string) bool { return len(word) < 3 || isFunctionWord(word) })
		slices.Sort(words)
		if words = slices.Compact(words); len(words) < 3 || block.IsPage {
			continue
		}
		n++
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		found := help.find(t, strings.Join(words[:3], " "), weights{})
		for i, result := range found.Results[:min(5, len(found.Results))] {
			if result.Page == block.Page || slices.Equal(slowWords(result.Text.Text), slowWords(block.Text)) {
				five++
				if i == 0 {
					first++
				}
				break
			}
		}
	}
	t.Logf("of %d, %d among the first five, %d first", queries, five, first)
	if five*100 < 96*queries || first*100 < 93*queries {
		t.Errorf("of %d, %d among the first five, %d first", queries, five, first)
	}
}

func TestNonsenseFindsNothingWhole(t *testing.T) {
	t.Parallel()
	help := helpGraph(t)
	for _, question := range []string{
		"boiling point of ethanol", "capital of Mongolia", "who painted the Sistine chapel", "recipe for lasagna with spinach", "tyre pressure of a bicycle",
		"how tall is Kilimanjaro", "symptoms of appendicitis", "train from Vienna to Budapest", "how to prune rosebushes", "exchange rate of the zloty",
		"when did Byzantium fall", "distance to Neptune", "lyrics of Bohemian Rhapsody", "offside rule in soccer", "how do penguins sleep",
		"chess opening against Sicilian defence", "how to knit a scarf", "vaccination schedule for kittens", "density of mercury", "warranty of my dishwasher",
	} {
		q, err := ParseQuestion(question)
		require.NoError(t, err)
		found := help.find(t, question, weights{})
		absent := 0
		for _, count := range found.Words {
			if count.Texts == 0 {
				absent++
			}
		}
		if found.Total != 0 || absent == 0 || len(found.Words) != len(q.Words()) {
			t.Errorf("%s: %d found, %v", question, found.Total, found.Words)
		}
		for _, result := range found.Results {
			if len(result.Lacks) == 0 {
				t.Errorf("%s: %s lacks nothing", question, result.UID)
			}
		}
	}
}
