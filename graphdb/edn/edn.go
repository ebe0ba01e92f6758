// Package edn reads and writes EDN, the notation of Datalog queries, of pull
// patterns and of Roam's database dumps.
//
// It promises that input beyond its limits is refused, that an error has line and
// column, and that a printed value reads as an equal one. It interprets no tags: a
// tagged literal is a Tagged. Beyond the EDN specification it reads ##NaN, ##Inf,
// ##-Inf and #"regex", which occur in queries.
package edn

import (
	"fmt"
	"math/big"
)

// Values are nil, bool, int64, *big.Int (whole numbers beyond int64), float64,
// string and the types below.
type (
	// Keyword is a keyword with its colon, such as ":block/uid".
	Keyword string
	// Symbol is a symbol, such as "?title" or "clojure.string/includes?".
	Symbol string
	// Char is a character literal.
	Char rune
	// Decimal is a number with the suffix M, kept as written without it.
	Decimal string
	// Regex is the source of a #"regex" literal.
	Regex string
	// Vector is [a b].
	Vector []any
	// List is (a b).
	List []any
	// Set is #{a b}, in the order read.
	Set []any
	// Tagged is a tagged literal, #tag value.
	Tagged struct {
		Tag   Symbol
		Value any
	}
)

// Map is {k v}, in the order read.
type Map struct {
	Keys   []any
	Values []any
}

// Get returns the value under a key that equals the given one.
func (m *Map) Get(key any) (any, bool) {
	want := Print(key)
	for i, k := range m.Keys {
		if Print(k) == want {
			return m.Values[i], true
		}
	}
	return nil, false
}

// Put adds an entry, or changes the value of the entry with an equal key.
func (m *Map) Put(key, value any) {
	want := Print(key)
	for i, k := range m.Keys {
		if Print(k) == want {
			m.Values[i] = value
			return
		}
	}
	m.Keys, m.Values = append(m.Keys, key), append(m.Values, value)
}

// Limits bound the input of a Decoder.
type Limits struct {
	Bytes int64 // of the whole input; 0: 1 MiB
	Depth int   // of nested collections; 0: 100
}

func (l Limits) withDefaults() Limits {
	if l.Bytes == 0 {
		l.Bytes = 1 << 20
	}
	if l.Depth == 0 {
		l.Depth = 100
	}
	return l
}

// Error reports input that is not EDN, or beyond the limits.
type Error struct {
	Line, Column int // from 1; columns count bytes
	Message      string
}

var _ error = (*Error)(nil)

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

var _ fmt.Stringer = (*big.Int)(nil) // Print relies on it
