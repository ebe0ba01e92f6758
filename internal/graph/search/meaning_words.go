package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// meaningWord is a word of a text: its stem, in lower case and without accents.
type meaningWord struct {
	stem   string
	folded string // before it was stemmed
}

// appendWords appends the words of a text. Text in scripts without spaces is split into
// pairs of letters.
func appendWords(out []meaningWord, text string) []meaningWord {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unspacedLetter(r):
			end := runEnd(text, i, unspacedLetter)
			out = appendPairs(out, text, i, end)
			i = end
		case wordRune(r):
			end := runEnd(text, i, func(r rune) bool { return wordRune(r) && !unspacedLetter(r) })
			folded := fold(text[i:end])
			out = append(out, meaningWord{stem: Stem(folded), folded: folded})
			i = end
		default:
			i += n
		}
	}
	return out
}

func runEnd(text string, i int, in func(rune) bool) int {
	n := strings.IndexFunc(text[i:], func(r rune) bool { return !in(r) })
	if n < 0 {
		return len(text)
	}
	return i + n
}

func appendPairs(out []meaningWord, text string, start, end int) []meaningWord {
	for i := start; i < end; {
		_, n := utf8.DecodeRuneInString(text[i:])
		next := i + n
		if next == end {
			if i == start { // a letter alone
				out = append(out, meaningWord{stem: text[i:next], folded: text[i:next]})
			}
			break
		}
		_, m := utf8.DecodeRuneInString(text[next:])
		pair := text[i : next+m]
		out = append(out, meaningWord{stem: pair, folded: pair})
		i = next
	}
	return out
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// unspacedLetter reports whether a letter is of a script without spaces.
func unspacedLetter(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// fold folds case and removes accents.
func fold(s string) string {
	s = strings.ToLower(s)
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}

// commonWord reports whether a folded word is a stop word.
func commonWord(folded string) bool {
	switch folded {
	case "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
		"been", "before", "being", "between", "both", "but", "by", "can", "could", "did", "do", "does", "doing", "down",
		"during", "each", "few", "for", "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers",
		"him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "me", "more", "most", "my", "no", "nor",
		"not", "now", "of", "off", "on", "once", "only", "or", "other", "our", "ours", "out", "over", "own", "s", "same",
		"she", "should", "so", "some", "such", "t", "than", "that", "the", "their", "theirs", "them", "then", "there",
		"these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "very", "was", "we",
		"were", "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your",
		"yours", "d", "ll", "m", "re", "ve", "don", "get", "got", "let", "may", "must", "much", "many", "shall", "upon":
		return true
	}
	return false
}

// vocabulary numbers the words of a graph and counts the documents that have
// them.
type vocabulary struct {
	ids   map[string]int32
	count []int32
}

func (v *vocabulary) id(stem string) int32 {
	id, ok := v.ids[stem]
	if !ok {
		id = int32(len(v.count))
		v.ids[stem] = id
		v.count = append(v.count, 0)
	}
	return id
}

// known returns the words that are in the graph, each once.
func (v *vocabulary) known(list []meaningWord) []feature {
	weights := map[int32]float32{}
	for _, w := range list {
		if id, ok := v.ids[w.stem]; ok && v.count[id] > 0 && !commonWord(w.folded) {
			weights[id]++
		}
	}
	return appendFeatures(nil, weights)
}

// appendFeatures appends weights in the order of the words' numbers.
func appendFeatures(out []feature, weights map[int32]float32) []feature {
	for term, weight := range weights {
		out = append(out, feature{term, weight})
	}
	slices.SortFunc(out, func(a, b feature) int { return cmp.Compare(a.term, b.term) })
	return out
}

// counted adds a document's words to the counts, or subtracts them with -1.
func (v *vocabulary) counted(list []feature, by int32) {
	for _, f := range list {
		v.count[f.term] += by
	}
}

// idf returns the inverse document frequency of a word.
func (x *MeaningIndex) idf(term int32) float64 {
	return math.Log(1 + float64(len(x.docs))/float64(max(1, x.words.count[term])))
}

// bag collects the words of a document. One is used for all, so that little is left to
// collect beside a large graph.
type bag struct {
	words   *vocabulary
	weights map[int32]float32
	list    []meaningWord // that were added last
	taken   []feature     // that were taken last
}

func (v *vocabulary) bag() bag { return bag{words: v, weights: map[int32]float32{}} }

// add adds the words of a text, and reports whether it has any.
func (b *bag) add(text string, weight float32) bool {
	b.list = appendWords(b.list[:0], text)
	for _, w := range b.list {
		if !commonWord(w.folded) {
			b.weights[b.words.id(w.stem)] += weight
		}
	}
	return len(b.list) > 0
}

// take returns the collected words, with damped frequencies if asked, and empties the
// bag. They are there until it is called again.
func (b *bag) take(damped bool) ([]feature, float32) {
	b.taken = appendFeatures(b.taken[:0], b.weights)
	list, length := b.taken, float32(0)
	for i, f := range list {
		length += f.weight
		if damped && f.weight > 1 {
			list[i].weight = 1 + float32(math.Log(float64(f.weight)))
		}
	}
	clear(b.weights)
	return list, length
}
