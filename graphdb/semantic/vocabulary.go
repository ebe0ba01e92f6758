package semantic

import (
	"cmp"
	"math"
	"slices"
)

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
func (v *vocabulary) known(list []word) []feature {
	weights := map[int32]float32{}
	for _, w := range list {
		if id, ok := v.ids[w.stem]; ok && v.count[id] > 0 && !commonWord(w.folded) {
			weights[id]++
		}
	}
	return features(weights)
}

// features returns weights in the order of the words' numbers.
func features(weights map[int32]float32) []feature {
	out := make([]feature, 0, len(weights))
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
func (x *Index) idf(term int32) float64 {
	return math.Log(1 + float64(len(x.docs))/float64(max(1, x.words.count[term])))
}

// bag collects the words of a document.
type bag struct {
	words   *vocabulary
	weights map[int32]float32
}

func (v *vocabulary) bag() bag { return bag{words: v, weights: map[int32]float32{}} }

func (b bag) add(list []word, weight float32) {
	for _, w := range list {
		if !commonWord(w.folded) {
			b.weights[b.words.id(w.stem)] += weight
		}
	}
}

// take returns the collected words and empties the bag.
func (b bag) take() ([]feature, float32) {
	list, length := features(b.weights), float32(0)
	for i, f := range list {
		length += f.weight
		if f.weight > 1 {
			list[i].weight = 1 + float32(math.Log(float64(f.weight)))
		}
	}
	clear(b.weights)
	return list, length
}
