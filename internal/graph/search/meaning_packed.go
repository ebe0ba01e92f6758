package search

import "encoding/binary"

// packed are the words of a document in the order of their numbers, in about three bytes
// each: how much the number is greater than that of the word before, and the number of the
// weight, as varints.
type packed string

// packer numbers weights, of which there are few: most are sums of the same fractions.
type packer struct {
	weights []float32
	numbers map[float32]uint32
	buffer  []byte
}

// pack returns a document's words, packed.
func (p *packer) pack(list []feature) packed {
	p.buffer = p.buffer[:0]
	before := int32(0)
	for _, f := range list {
		number, known := p.numbers[f.weight]
		if !known {
			number = uint32(len(p.weights))
			p.numbers[f.weight] = number
			p.weights = append(p.weights, f.weight)
		}
		p.buffer = binary.AppendUvarint(p.buffer, uint64(f.term-before))
		p.buffer = binary.AppendUvarint(p.buffer, uint64(number))
		before = f.term
	}
	return packed(p.buffer)
}

// unpacked returns the words of a document. They are there until it is called again, and may
// be changed.
func (x *MeaningIndex) unpacked(d *document) []feature {
	x.list = x.list[:0]
	term, number := int32(0), uint32(0)
	for rest := d.features; len(rest) > 0; {
		term, number, rest = rest.next(term)
		x.list = append(x.list, feature{term, x.packer.weights[number]})
	}
	return x.list
}

// next returns the first word and the number of its weight, and the words that follow.
func (p packed) next(before int32) (term int32, number uint32, rest packed) {
	step, rest := p.uvarint()
	number, rest = rest.uvarint()
	return before + int32(step), number, rest
}

// uvarint returns the number that a text begins with, and what follows it.
func (p packed) uvarint() (uint32, packed) {
	if p[0] < 0x80 {
		return uint32(p[0]), p[1:]
	}
	if p[1] < 0x80 {
		return uint32(p[0]&0x7f) | uint32(p[1])<<7, p[2:]
	}
	n := uint32(0)
	for i := 0; ; i++ {
		n |= uint32(p[i]&0x7f) << (7 * i)
		if p[i] < 0x80 {
			return n, p[i+1:]
		}
	}
}
