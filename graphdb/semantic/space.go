package semantic

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
	terms      []float32 // a vector for each word that was known when it was made
	mean       []float64 // of documents
}

// learn computes the space of documents, with idf as the weight of words.
func learn(ctx context.Context, docs []document, terms int, idf func(int32) float64) (space, error) {
	step := max(1, (len(docs)+sampled-1)/sampled)
	dimensions := int(2 * math.Sqrt(float64(len(docs)/step)))
	s := space{dimensions: min(max(dimensions, leastDimensions), mostDimensions)}
	s.terms = make([]float32, terms*s.dimensions)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range s.terms {
		s.terms[i] = float32(random.NormFloat64())
	}
	next := make([]float32, len(s.terms))
	at := make([]float64, s.dimensions)
	for range rounds {
		s.orthogonalize()
		clear(next)
		for i := 0; i < len(docs); i += step {
			if i/step%1024 == 0 && ctx.Err() != nil {
				return space{}, ctx.Err()
			}
			row := unitRow(docs[i].features, idf)
			s.sum(at, row)
			for _, f := range row {
				axis := next[int(f.term)*s.dimensions:][:s.dimensions]
				for j, a := range at {
					axis[j] += f.weight * float32(a)
				}
			}
		}
		s.terms, next = next, s.terms
	}
	s.scale(s.orthogonalize())
	s.mean = make([]float64, s.dimensions)
	n := 0
	mean := make([]float64, s.dimensions)
	for i := 0; i < len(docs); i += step {
		for j, v := range s.place(docs[i].features, idf) {
			mean[j] += v
		}
		n++
	}
	for j := range mean {
		s.mean[j] = mean[j] / float64(max(1, n))
	}
	return s, nil
}

// unitRow returns a document's weighted words as a vector of length 1.
func unitRow(list []feature, idf func(int32) float64) []feature {
	row := make([]feature, len(list))
	length := 0.0
	for i, f := range list {
		w := float64(f.weight) * idf(f.term)
		row[i] = feature{f.term, float32(w)}
		length += w * w
	}
	length = math.Sqrt(max(length, 1e-12))
	for i := range row {
		row[i].weight /= float32(length)
	}
	return row
}

// sum sets at to the sum of the words' vectors. Words newer than the space have none.
func (s *space) sum(at []float64, row []feature) {
	clear(at)
	for _, f := range row {
		start := int(f.term) * s.dimensions
		if start >= len(s.terms) {
			continue
		}
		for j, v := range s.terms[start : start+s.dimensions] {
			at[j] += float64(f.weight * v)
		}
	}
}

// place returns a document's vector: of length 1, minus the mean of all documents,
// which is not specific to any.
func (s *space) place(list []feature, idf func(int32) float64) []float64 {
	at := make([]float64, s.dimensions)
	s.sum(at, unitRow(list, idf))
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

// quantized returns a vector with a byte for each dimension.
func (s *space) quantized(at []float64) []int8 {
	out := make([]int8, len(at))
	for i, v := range at {
		out[i] = int8(math.Round(v * math.MaxInt8))
	}
	return out
}

// cosine returns the cosine similarity of two vectors, or 0 if it is negative.
func cosine(a, b []int8) float64 {
	sum := int32(0)
	for i, x := range a {
		sum += int32(x) * int32(b[i])
	}
	return max(0, float64(sum)/(math.MaxInt8*math.MaxInt8))
}
