package search

import (
	"context"
	"math"
	"math/rand/v2"
)

const (
	leastDimensions, mostDimensions = 16, 64
	// rounds of refinement; further ones hardly change the order of results.
	rounds = 4
	// sampled bounds the documents from which the space is learnt. The others are
	// placed in it.
	sampled = 20_000
)

// space has vectors of words and documents, near each other if they occur together.
// Its axes are the first right singular vectors of the matrix of documents and words,
// found by subspace iteration from a fixed start.
type space struct {
	dimensions int
	rows       []int32   // of each word, counted from 1; 0: it was in no document
	terms      []float32 // a vector for each row
	mean       []float64 // of documents
}

// learn computes the space of documents, given as the words of each, weighted, as vectors of
// length 1. It numbers their words by row.
func learn(ctx context.Context, docs [][]feature, terms int) (space, error) {
	dimensions := int(2 * math.Sqrt(float64(len(docs))))
	s := space{dimensions: min(max(dimensions, leastDimensions), mostDimensions), rows: make([]int32, terms)}
	s.start(docs)
	at := make([]float64, s.dimensions)
	// Between the two halves of a round the vectors of the documents are kept, which are
	// fewer than the words, and those of the words are not.
	placed := make([]float32, len(docs)*s.dimensions)
	var lengths []float64
	for range rounds {
		for i, row := range docs {
			if i%1024 == 0 && ctx.Err() != nil {
				return space{}, ctx.Err()
			}
			s.sum(at, row)
			for j, a := range at {
				placed[i*s.dimensions+j] = float32(a)
			}
		}
		clear(s.terms)
		for i, row := range docs {
			doc := placed[i*s.dimensions:][:s.dimensions]
			for _, f := range row {
				axis := s.vector(f.term)
				for j, a := range doc {
					axis[j] += f.weight * a
				}
			}
		}
		lengths = s.orthogonalize()
	}
	s.scale(lengths)
	mean := make([]float64, s.dimensions) // of which nothing is subtracted yet
	for _, row := range docs {
		for j, v := range s.place(at, row) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(max(1, len(docs)))
	}
	s.mean = mean
	return s, nil
}

// start sets the axes to some that are orthonormal, and keeps of them what words of the
// documents have.
func (s *space) start(docs [][]feature) {
	s.terms = make([]float32, len(s.rows)*s.dimensions)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range s.terms {
		s.terms[i] = float32(random.NormFloat64())
	}
	s.orthogonalize()
	kept := make([]float32, 0, s.number(docs)*s.dimensions)
	for term, row := range s.rows {
		if row != 0 {
			kept = append(kept, s.terms[term*s.dimensions:][:s.dimensions]...)
		}
	}
	s.terms = kept
}

// number gives each word of the documents a row, and returns how many there are. The order
// is that of the words' numbers.
func (s *space) number(docs [][]feature) int {
	for _, row := range docs {
		for _, f := range row {
			s.rows[f.term] = 1
		}
	}
	n := int32(0)
	for term, there := range s.rows {
		if there != 0 {
			n++
			s.rows[term] = n
		}
	}
	return int(n)
}

// vector returns the vector of a word; nil for one that is in no document the space was made
// of.
func (s *space) vector(term int32) []float32 {
	if int(term) >= len(s.rows) || s.rows[term] == 0 {
		return nil
	}
	return s.terms[int(s.rows[term]-1)*s.dimensions:][:s.dimensions]
}

// unit makes a document's words a vector of length 1, weighted by rarity. It changes the
// list and returns it.
func unit(list []feature, idf func(int32) float64) []feature {
	length := 0.0
	for i, f := range list {
		w := float64(f.weight) * idf(f.term)
		list[i].weight = float32(w)
		length += w * w
	}
	length = math.Sqrt(max(length, 1e-12))
	for i := range list {
		list[i].weight /= float32(length)
	}
	return list
}

// sum sets at to the sum of the words' vectors.
func (s *space) sum(at []float64, row []feature) {
	clear(at)
	for _, f := range row {
		for j, v := range s.vector(f.term) {
			at[j] += float64(f.weight * v)
		}
	}
}

// place sets at to a document's vector, and returns it: of length 1, minus the mean of all
// documents, which is not specific to any.
func (s *space) place(at []float64, row []feature) []float64 {
	s.sum(at, row)
	if !normalize(at) {
		return at
	}
	for j, m := range s.mean {
		at[j] -= m
	}
	normalize(at)
	return at
}

// normalize scales a vector to length 1 and reports whether it is not zero.
func normalize(v []float64) bool {
	length := 0.0
	for _, x := range v {
		length += x * x
	}
	if length < 1e-18 {
		clear(v)
		return false
	}
	length = math.Sqrt(length)
	for i := range v {
		v[i] /= length
	}
	return true
}

// scale scales the axes by their singular values, whose squares are the lengths of the
// last round. So words that never occur together, but with the same others, are near
// each other.
func (s *space) scale(lengths []float64) {
	for start := 0; start < len(s.terms); start += s.dimensions {
		row := s.terms[start : start+s.dimensions]
		for j, length := range lengths {
			row[j] *= float32(math.Sqrt(length))
		}
	}
}

// orthogonalize makes the axes orthonormal, by the Gram-Schmidt process, and returns
// the lengths that they had.
func (s *space) orthogonalize() []float64 {
	d := s.dimensions
	lengths := make([]float64, d)
	overlaps := make([]float64, d)
	for j := range d {
		clear(overlaps)
		for start := 0; start < len(s.terms); start += d {
			row := s.terms[start : start+d]
			for k := range j + 1 {
				overlaps[k] += float64(row[k]) * float64(row[j])
			}
		}
		// The earlier axes are orthonormal, so the length that remains of this one is
		// known before it is changed.
		left := overlaps[j]
		for k := range j {
			left -= overlaps[k] * overlaps[k]
		}
		scale := 0.0 // an axis that the earlier ones span already
		if left > 1e-9*max(overlaps[j], 1e-9) {
			lengths[j] = math.Sqrt(left)
			scale = 1 / lengths[j]
		}
		for start := 0; start < len(s.terms); start += d {
			row := s.terms[start : start+d]
			value := float64(row[j])
			for k := range j {
				value -= overlaps[k] * float64(row[k])
			}
			row[j] = float32(value * scale)
		}
	}
	return lengths
}

// quantizedVector is a vector with a byte for each dimension; 0 for those that a space has not.
type quantizedVector [mostDimensions]int8

func quantized(at []float64) *quantizedVector {
	out := new(quantizedVector)
	for i, v := range at {
		out[i] = int8(math.Round(v * math.MaxInt8))
	}
	return out
}

// cosine returns the cosine similarity of two vectors, or 0 if it is negative.
func cosine(a, b *quantizedVector) float64 {
	sum := int32(0)
	for i, x := range a {
		sum += int32(x) * int32(b[i])
	}
	return max(0, float64(sum)/(math.MaxInt8*math.MaxInt8))
}
