package difftest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Canonical writes an answer so that answers which are equal up to order are
// the same text: rows are sorted, and so are lists within a row; numbers are
// rounded to eleven digits, since sums of fractions depend on the order.
func Canonical(answer []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	rows, ok := v.([]any)
	if !ok {
		return string(appendCanonical(nil, v)), nil
	}
	texts := make([]string, len(rows))
	for i, row := range rows {
		cells, ok := row.([]any)
		if !ok {
			texts[i] = string(appendCanonical(nil, row))
			continue
		}
		b := []byte("[")
		for _, cell := range cells {
			b = append(appendCanonical(b, cell), ',')
		}
		texts[i] = string(append(b, ']'))
	}
	slices.Sort(texts)
	return string(bytes.Join(toBytes(texts), []byte("\n"))), nil
}

func toBytes(texts []string) [][]byte {
	out := make([][]byte, len(texts))
	for i, t := range texts {
		out[i] = []byte(t)
	}
	return out
}

func appendCanonical(b []byte, v any) []byte {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return append(b, v...)
		}
		if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return strconv.AppendInt(b, int64(f), 10)
		}
		return strconv.AppendFloat(b, f, 'g', 11, 64)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = string(appendCanonical(nil, item))
		}
		slices.Sort(items)
		b = append(b, '[')
		for _, item := range items {
			b = append(append(b, item...), ',')
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b = append(strconv.AppendQuote(b, k), ':')
			b = append(appendCanonical(b, v[k]), ',')
		}
		return append(b, '}')
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // text, true, false and null can always be written
	}
	return append(b, text...)
}

// hash is short: what matters is that two answers do not agree by chance.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:5])
}
