package search

import (
	"math"
	"slices"
	"testing"
)

func TestWordsAreUnpackedAsTheyWere(t *testing.T) {
	many := make([]feature, 1000)
	for i := range many {
		many[i] = feature{int32(i * i), 1 + float32(math.Sqrt(float64(i)))}
	}
	x := NewMeaningIndex()
	for name, list := range map[string][]feature{
		"none":                            nil,
		"the first word":                  {{0, 1}},
		"one word after the other":        {{0, 0.5}, {1, 0.5}, {2, 2}},
		"words that are far apart":        {{3, 1}, {127, 1.5}, {128, 1}, {1 << 14, 1}, {math.MaxInt32, 2}},
		"more weights than are in a byte": many,
	} {
		t.Run(name, func(t *testing.T) {
			d := document{features: x.packer.pack(list)}
			if got := x.unpacked(&d); !slices.Equal(got, list) {
				t.Errorf("%v, want %v", got, list)
			}
		})
	}
}
