package graphdb

import (
	"fmt"
	"math"
	"strconv"

	"roam-mcp/internal/graph/edn"
)

// EID is an entity id, ":db/id" in queries. Ids are positive; 0 is none. They are
// internal: an export does not contain them.
type EID int64

// MaxEID is the largest entity id.
const MaxEID EID = 1<<48 - 1

// Keyword is an EDN keyword with its colon, such as ":numbered".
type Keyword = edn.Keyword

// Opaque is text in some notation (JSON, EDN) that the graph does not parse, as for
// :block/props.
type Opaque string

// Kind is the type of a Value.
type Kind uint8

// The kinds of values. KindNone is that of the zero Value, which is never stored; in a
// schema it allows any kind.
const (
	KindNone Kind = iota
	KindString
	KindInt
	KindFloat
	KindBool
	KindKeyword
	KindRef
	KindOpaque
)

func (k Kind) String() string {
	names := [...]string{"none", "string", "int", "float", "bool", "keyword", "ref", "opaque"}
	if int(k) < len(names) {
		return names[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// holdsText reports whether values of this kind are text; the others are 64 bits.
func (k Kind) holdsText() bool {
	return k == KindString || k == KindKeyword || k == KindOpaque
}

// Value is one value of an attribute. Values are comparable with ==.
type Value struct {
	kind Kind
	bits int64
	text string
}

// StringValue returns a Value of text.
func StringValue(s string) Value { return Value{kind: KindString, text: s} }

// IntValue returns a Value of an integer; times are milliseconds since 1970.
func IntValue(n int64) Value { return Value{kind: KindInt, bits: n} }

// FloatValue returns a Value of a floating-point number.
func FloatValue(f float64) Value { return Value{kind: KindFloat, bits: int64(math.Float64bits(f))} }

// BoolValue returns a Value of a bool.
func BoolValue(b bool) Value {
	if b {
		return Value{kind: KindBool, bits: 1}
	}
	return Value{kind: KindBool}
}

// KeywordValue returns a Value of a keyword.
func KeywordValue(k Keyword) Value { return Value{kind: KindKeyword, text: string(k)} }

// RefValue returns a reference to an entity.
func RefValue(e EID) Value { return Value{kind: KindRef, bits: int64(e)} }

// OpaqueValue returns a Value of a document that the graph does not parse.
func OpaqueValue(o Opaque) Value { return Value{kind: KindOpaque, text: string(o)} }

// Kind returns the value's kind.
func (v Value) Kind() Kind { return v.kind }

// Text returns the text of a string, a keyword (with its colon) or an opaque
// document; "" for other kinds.
func (v Value) Text() string { return v.text }

// Int returns the number of KindInt, or 0.
func (v Value) Int() int64 {
	if v.kind == KindInt {
		return v.bits
	}
	return 0
}

// Float returns the number of KindFloat or KindInt, or 0.
func (v Value) Float() float64 {
	switch v.kind {
	case KindFloat:
		return math.Float64frombits(uint64(v.bits))
	case KindInt:
		return float64(v.bits)
	}
	return 0
}

// Bool returns the bool of KindBool, or false.
func (v Value) Bool() bool { return v.kind == KindBool && v.bits != 0 }

// Ref returns the entity that KindRef points to, or 0.
func (v Value) Ref() EID {
	if v.kind == KindRef {
		return EID(v.bits)
	}
	return 0
}

// Any returns the value as string, int64, float64, bool, Keyword, EID or Opaque; nil
// for the zero Value. ValueOf is its inverse.
func (v Value) Any() any {
	switch v.kind {
	case KindString:
		return v.text
	case KindInt:
		return v.bits
	case KindFloat:
		return v.Float()
	case KindBool:
		return v.Bool()
	case KindKeyword:
		return Keyword(v.text)
	case KindRef:
		return v.Ref()
	case KindOpaque:
		return Opaque(v.text)
	}
	return nil
}

// String returns the value for logs: text in quotes, references with a #.
func (v Value) String() string {
	switch v.kind {
	case KindString:
		return strconv.Quote(v.text)
	case KindRef:
		return "#" + strconv.FormatInt(v.bits, 10)
	case KindNone:
		return "none"
	}
	return fmt.Sprint(v.Any())
}

// Datom is one fact, or its retraction if Added is false.
type Datom struct {
	E     EID
	A     Attr
	V     Value
	Tx    int64 // the transaction; 0 in the datoms of a snapshot, which does not keep it
	Added bool
}
