package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"roam-mcp/internal/graph/graphdb"
)

// Datoms are packed in the rows of entities and changes, since reading a row for each
// of a million datoms would take seconds. A packed fact is an attribute's number, a
// kind, and the value: text with its length, or a number (floats by their bits). In
// changes, each fact is preceded by its entity and whether it was added.

var errPacking = errors.New("packed datoms end too early or make no sense")

func packFact(to []byte, attribute int64, v graphdb.Value) []byte {
	to = binary.AppendUvarint(to, uint64(attribute))
	to = append(to, byte(v.Kind()))
	//exhaustive:enforce
	switch v.Kind() {
	case graphdb.KindString, graphdb.KindKeyword, graphdb.KindOpaque:
		to = binary.AppendUvarint(to, uint64(len(v.Text())))
		return append(to, v.Text()...)
	case graphdb.KindFloat:
		return binary.LittleEndian.AppendUint64(to, math.Float64bits(v.Float()))
	case graphdb.KindBool:
		if v.Bool() {
			return append(to, 1)
		}
		return append(to, 0)
	case graphdb.KindRef:
		return binary.AppendUvarint(to, uint64(v.Ref()))
	case graphdb.KindInt, graphdb.KindNone: // a value of no kind is refused before it comes here
	}
	return binary.AppendVarint(to, v.Int())
}

// unpacker reads what packFact and packChange write.
type unpacker struct {
	rest  []byte
	names map[int64]graphdb.Attr
}

func (u *unpacker) more() bool { return len(u.rest) > 0 }

func (u *unpacker) uvarint() (uint64, error) {
	n, size := binary.Uvarint(u.rest)
	if size <= 0 {
		return 0, errPacking
	}
	u.rest = u.rest[size:]
	return n, nil
}

func (u *unpacker) take(n uint64) ([]byte, error) {
	if n > uint64(len(u.rest)) {
		return nil, errPacking
	}
	taken := u.rest[:n]
	u.rest = u.rest[n:]
	return taken, nil
}

func (u *unpacker) fact() (graphdb.Attr, graphdb.Value, error) {
	number, err := u.uvarint()
	if err != nil {
		return "", graphdb.Value{}, err
	}
	name, ok := u.names[int64(number)]
	if !ok {
		return "", graphdb.Value{}, fmt.Errorf("attribute %d has no name", number)
	}
	kind, err := u.take(1)
	if err != nil {
		return "", graphdb.Value{}, err
	}
	v, err := u.value(graphdb.Kind(kind[0]))
	return name, v, err
}

func (u *unpacker) value(kind graphdb.Kind) (graphdb.Value, error) {
	//exhaustive:enforce
	switch kind {
	case graphdb.KindString, graphdb.KindKeyword, graphdb.KindOpaque:
		return u.text(kind)
	case graphdb.KindInt:
		n, size := binary.Varint(u.rest)
		if size <= 0 {
			return graphdb.Value{}, errPacking
		}
		u.rest = u.rest[size:]
		return graphdb.IntValue(n), nil
	case graphdb.KindFloat:
		raw, err := u.take(8)
		if err != nil {
			return graphdb.Value{}, err
		}
		return graphdb.FloatValue(math.Float64frombits(binary.LittleEndian.Uint64(raw))), nil
	case graphdb.KindBool:
		raw, err := u.take(1)
		if err != nil {
			return graphdb.Value{}, err
		}
		return graphdb.BoolValue(raw[0] != 0), nil
	case graphdb.KindRef:
		n, err := u.uvarint()
		return graphdb.RefValue(graphdb.EID(n)), err
	case graphdb.KindNone:
	}
	return graphdb.Value{}, fmt.Errorf("values of kind %d are unknown", kind)
}

func (u *unpacker) text(kind graphdb.Kind) (graphdb.Value, error) {
	length, err := u.uvarint()
	if err != nil {
		return graphdb.Value{}, err
	}
	raw, err := u.take(length)
	if err != nil {
		return graphdb.Value{}, err
	}
	switch kind {
	case graphdb.KindKeyword:
		return graphdb.KeywordValue(graphdb.Keyword(raw)), nil
	case graphdb.KindOpaque:
		return graphdb.OpaqueValue(graphdb.Opaque(raw)), nil
	}
	return graphdb.StringValue(string(raw)), nil
}

// packChange packs a datom of a transaction.
func packChange(to []byte, attribute int64, d graphdb.Datom) []byte {
	added := uint64(0)
	if d.Added {
		added = 1
	}
	to = binary.AppendUvarint(to, uint64(d.E)<<1|added)
	return packFact(to, attribute, d.V)
}

func (u *unpacker) change(tx int64) (graphdb.Datom, error) {
	n, err := u.uvarint()
	if err != nil {
		return graphdb.Datom{}, err
	}
	name, v, err := u.fact()
	return graphdb.Datom{E: graphdb.EID(n >> 1), A: name, V: v, Tx: tx, Added: n&1 != 0}, err
}
