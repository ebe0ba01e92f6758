package search

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

// knownItem is a question in words of one's own, and the page that is meant.
type knownItem struct {
	question string
	page     graphdb.EID
}

// synonyms has words for words, from neither graph.
var synonyms = map[string]string{
	"add": "insert", "answer": "reply", "ask": "inquire", "begin": "start", "book": "volume", "bread": "loaf",
	"bring": "carry", "build": "construct", "button": "control", "buy": "purchase", "change": "alter", "choose": "pick",
	"click": "press", "close": "shut", "command": "instruction", "connect": "join", "copy": "duplicate", "cost": "price",
	"create": "make", "daily": "everyday", "day": "date", "delete": "remove", "display": "show", "edit": "modify",
	"end": "finish", "explain": "describe", "export": "download", "fast": "quick", "feature": "function", "filter": "narrow",
	"find": "locate", "graph": "network", "guide": "manual", "help": "assist", "hide": "conceal", "idea": "thought",
	"image": "picture", "import": "load", "keep": "hold", "link": "connection", "list": "enumeration", "look": "view",
	"meeting": "appointment", "menu": "choices", "money": "funds", "move": "shift", "name": "title", "need": "require",
	"note": "record", "open": "unfold", "page": "document", "people": "persons", "person": "human", "place": "spot",
	"plan": "scheme", "question": "query", "quick": "fast", "quote": "citation", "read": "peruse", "reference": "mention",
	"remove": "erase", "rename": "retitle", "right": "correct", "search": "seek", "select": "choose", "send": "mail",
	"share": "publish", "shortcut": "hotkey", "show": "display", "sidebar": "panel", "small": "little", "sort": "order",
	"start": "begin", "step": "stage", "task": "todo", "text": "words", "think": "consider", "tool": "instrument",
	"type": "enter", "use": "employ", "user": "person", "video": "film", "walk": "hike", "want": "wish", "way": "method",
	"work": "labour", "write": "compose",
}

// inflected returns another form of a word, by rules that are right for most.
func inflected(word string) string {
	for _, form := range []struct{ end, other string }{
		{"ies", "y"}, {"sses", "ss"}, {"ing", "ed"}, {"ed", "ing"}, {"ss", "sses"}, {"s", ""}, {"y", "ies"}, {"e", "ing"}, {"", "s"},
	} {
		if base, ok := strings.CutSuffix(word, form.end); ok && len(base) > 2 {
			return base + form.other
		}
	}
	return word
}

// lettersOf returns the words of a text that a reader sees, in lower case.
func lettersOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// contentWords returns those that say something: they are long, and no part of an
// address.
func contentWords(text string) []string {
	text = strings.Join(slices.DeleteFunc(strings.Fields(text), func(s string) bool { return strings.Contains(s, "://") || strings.Contains(s, "((") }), " ")
	return slices.DeleteFunc(lettersOf(text), func(w string) bool { return len(w) < 4 })
}

// paraphrases makes questions of blocks that it picks: some words of one, some of them
// in another form or replaced by another word, in another order, and at times a word of
// the page's title or of the block above.
func paraphrases(db *graphdb.DB, count int) []knownItem {
	random := rand.New(rand.NewPCG(7, 11))
	var blocks []graphdb.EID
	hidden := map[graphdb.EID]bool{}
	for e := range outline.AllHidden(db) {
		hidden[e] = true
	}
	for e, text := range db.Entities(graphdb.BlockString) {
		if len(contentWords(text.Text())) >= 5 && db.Ref(e, graphdb.BlockPage) != 0 && !hidden[e] {
			blocks = append(blocks, e)
		}
	}
	random.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	var items []knownItem
	for _, e := range blocks[:min(count, len(blocks))] {
		page := db.Ref(e, graphdb.BlockPage)
		picked := contentWords(db.String(e, graphdb.BlockString))
		random.Shuffle(len(picked), func(i, j int) { picked[i], picked[j] = picked[j], picked[i] })
		picked = picked[:min(len(picked), 3+random.IntN(3))]
		for i, word := range picked {
			switch other := cmp.Or(synonyms[word], synonyms[strings.TrimSuffix(word, "s")]); {
			case other != "" && random.IntN(2) == 0:
				picked[i] = other
			case random.IntN(2) == 0:
				picked[i] = inflected(word)
			}
		}
		around := contentWords(outline.TextOf(db, []graphdb.EID{page, outline.Parent(db, e)}[random.IntN(2)]))
		if len(around) > 0 && random.IntN(3) == 0 {
			picked = append(picked, around[random.IntN(len(around))])
		}
		items = append(items, knownItem{strings.Join(picked, " "), page})
	}
	return items
}

// recall returns the share of the questions whose page is among the first ten.
func recall(items []knownItem, search func(question string) []graphdb.EID) float64 {
	found := 0
	for _, item := range items {
		pages := search(item.question)
		if slices.Contains(pages[:min(10, len(pages))], item.page) {
			found++
		}
	}
	return float64(found) / float64(len(items))
}

// pagesOf returns the pages of results, each where its first result is.
func pagesOf(db *graphdb.DB, results []graphdb.EID) []graphdb.EID {
	var pages []graphdb.EID
	for _, e := range results {
		if !outline.IsPage(db, e) {
			e = db.Ref(e, graphdb.BlockPage)
		}
		if !slices.Contains(pages, e) {
			pages = append(pages, e)
		}
	}
	return pages
}

// pageRanking is BM25F over pages, with the fields title, tags and content.
type pageRanking struct {
	pages []graphdb.EID
	terms []map[string][pageFields]float64 // of each page, how often each field has a word
	sizes [][pageFields]float64            // of each page, the lengths of its fields
	mean  [pageFields]float64              // of those
	with  map[string]int                   // how many pages have a word
	form  func(string) string
}

const pageFields = 3

func newRanking(db *graphdb.DB, form func(string) string) *pageRanking {
	r := &pageRanking{with: map[string]int{}, form: form}
	for page, title := range db.Entities(graphdb.NodeTitle) {
		terms, size := map[string][pageFields]float64{}, [pageFields]float64{}
		add := func(field int, text string) {
			for _, word := range lettersOf(text) {
				counts := terms[form(word)]
				counts[field]++
				terms[form(word)] = counts
				size[field]++
			}
		}
		add(0, title.Text())
		for _, block := range outline.Subtree(db, page)[1:] {
			text := db.String(block, graphdb.BlockString)
			for i, word := range strings.Fields(text) {
				if strings.HasPrefix(word, "#") || i > 0 && strings.HasPrefix(text, "Tags::") {
					add(1, word)
				}
			}
			add(2, text)
		}
		r.pages, r.terms = append(r.pages, page), append(r.terms, terms)
		r.sizes = append(r.sizes, size)
		for word := range terms {
			r.with[word]++
		}
	}
	for field := range r.mean {
		for _, size := range r.sizes {
			r.mean[field] += size[field] / float64(len(r.pages))
		}
		r.mean[field] = max(1, r.mean[field])
	}
	return r
}

func (r *pageRanking) search(question string) []graphdb.EID {
	weights, lengths := [pageFields]float64{3, 2, 1}, [pageFields]float64{0.5, 0, 0.75}
	asked := map[string]bool{}
	for _, word := range lettersOf(question) {
		asked[r.form(word)] = true
	}
	known := slices.Sorted(maps.Keys(asked))
	scores := map[graphdb.EID]float64{}
	for i, page := range r.pages {
		for _, word := range known {
			sum := 0.0
			for field, n := range r.terms[i][word] {
				sum += weights[field] * n / (1 - lengths[field] + lengths[field]*r.sizes[i][field]/r.mean[field])
			}
			if sum > 0 {
				n := float64(r.with[word])
				scores[page] += math.Log(1+(float64(len(r.pages))-n+0.5)/(n+0.5)) * sum / (1.2 + sum)
			}
		}
	}
	return slices.SortedFunc(maps.Keys(scores), func(a, b graphdb.EID) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
}

func TestAQuestionInOtherWordsFindsThePage(t *testing.T) {
	runsAlone(t)
	t.Run("of the sample graph", func(t *testing.T) {
		compareRecall(t, importGraph(t, "..", "..", "..", "assets", "demo.json").DB(), 100)
	})
	t.Run("of the help graph", func(t *testing.T) {
		compareRecall(t, importGraph(t, helpgraph.Path(t, "help.json")).DB(), 300)
	})
}

// compareRecall fails the test if a ranking by words alone finds more of the pages, and
// checks all scores.
func compareRecall(t *testing.T, db *graphdb.DB, count int) {
	items := paraphrases(db, count)
	if len(items) < count {
		t.Fatalf("%d questions", len(items))
	}
	searchWith := func(x *MeaningIndex) func(string) []graphdb.EID {
		return func(question string) []graphdb.EID {
			found, err := x.SearchScored(t.Context(), db, MeaningQuery{Text: question, Limit: 1000})
			require.NoError(t, err)
			var results []graphdb.EID
			for i, f := range found {
				if f.Score <= 0 || f.Score > 1 || i > 0 && f.Score > found[i-1].Score {
					t.Fatalf("%q: result %d has the score %v", question, i, f.Score)
				}
				results = append(results, f.E)
			}
			return pagesOf(db, results)
		}
	}
	meaning := recall(items, searchWith(NewMeaningIndex()))
	pages := recall(items, searchWith(NewPageMeaningIndex()))
	words := recall(items, newRanking(db, func(word string) string { return word }).search)
	stems := recall(items, newRanking(db, Stem).search)
	const slow = 100 // questions are enough for a search that finds next to none
	text := recall(items[:slow], func(question string) []graphdb.EID {
		found, err := outline.Search(t.Context(), db, outline.SearchOptions{Query: question, Limit: 1000})
		require.NoError(t, err)
		return pagesOf(db, found.Hits)
	})
	t.Logf("recall@10 of %d: meaning %.3f, of pages alone %.3f; BM25F %.3f, with stems %.3f; Roam's search %.3f", count, meaning, pages, words, stems, text)
	if min(meaning, pages) < words {
		t.Errorf("meaning finds %.3f of the pages, without blocks %.3f, BM25F %.3f", meaning, pages, words)
	}
}
