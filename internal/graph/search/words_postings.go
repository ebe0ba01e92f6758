package search

import (
	"encoding/binary"
)

// postings lists the notes that have a term, in the order of their numbers. Each is a
// sequence of varints: the distance from the note before times 4, with 2 for tokens in
// the title and 1 for tokens in tags; the number of tokens in the title and of those in
// tags, where there are any; the number of those in the content; the size of what follows
// in bytes; the places of the tokens, each as the distance from the one before.
type postings struct {
	text string
	data []byte
	last int32 // note, plus 1
	len  int32 // number of notes
}

const (
	inTags   = 1
	inTitles = 2
	flagBits = 2
)

// token is a term and its place in a note, in an order by both.
type token uint64

func occurrence(term, at int32) token { return token(term)<<32 | token(uint32(at)) }

func (t token) term() int32 { return int32(t >> 32) }
func (t token) at() int32   { return int32(uint32(t)) }

// builder has what it takes to add notes.
type builder struct {
	tokenizer
	tokens []token
	at     int32
	places []byte
	entry  []byte
}

// counts are how often a note has a term.
type counts struct{ title, tags, content int32 }

// encode appends a note to a list, with the places of the term.
func (b *builder) encode(list *postings, number int32, tokens []token, d *doc) {
	var n counts
	b.places = b.places[:0]
	before := int32(0)
	for _, t := range tokens {
		n.count(d, t.at())
		b.places = binary.AppendUvarint(b.places, uint64(t.at()-before))
		before = t.at()
	}
	b.entry = appendEntry(b.entry[:0], number-list.last, n, b.places)
	list.append(b.entry)
	list.last = number + 1
	list.len++
}

// count counts a token at a place.
func (n *counts) count(d *doc, at int32) {
	switch {
	case at < d.tags:
		n.title++
	case at < d.blocks:
		n.tags++
	default:
		n.content++
	}
}

func appendEntry(to []byte, gap int32, n counts, places []byte) []byte {
	head := uint64(gap) << flagBits
	if n.title > 0 {
		head |= inTitles
	}
	if n.tags > 0 {
		head |= inTags
	}
	to = binary.AppendUvarint(to, head)
	if n.title > 0 {
		to = binary.AppendUvarint(to, uint64(n.title))
	}
	if n.tags > 0 {
		to = binary.AppendUvarint(to, uint64(n.tags))
	}
	to = binary.AppendUvarint(to, uint64(n.content))
	to = binary.AppendUvarint(to, uint64(len(places)))
	return append(to, places...)
}

// append appends an entry. It leaves less room for more than the built-in one.
func (l *postings) append(entry []byte) {
	if need := len(l.data) + len(entry); need > cap(l.data) {
		grown := make([]byte, len(l.data), need+need/8)
		copy(grown, l.data)
		l.data = grown
	}
	l.data = append(l.data, entry...)
}

// renumbered returns the list with other numbers of notes; -1: it is gone.
func (l *postings) renumbered(number []int32) postings {
	out := postings{text: l.text}
	var entry []byte
	for r := l.reader(); r.next(); {
		if n := number[r.doc]; n >= 0 {
			entry = appendEntry(entry[:0], n-out.last, r.counts, r.places)
			out.append(entry)
			out.last = n + 1
			out.len++
		}
	}
	return out
}

// reader reads a list.
type reader struct {
	data []byte
	doc  int32
	counts
	places []byte
}

func (l *postings) reader() reader { return reader{data: l.data, doc: -1} }

// next goes to the next note; false at the end.
func (r *reader) next() bool {
	data := r.data
	if len(data) == 0 {
		return false
	}
	head, at := varint(data, 0)
	var n, size uint64
	r.doc += 1 + int32(head>>flagBits)
	r.counts = counts{}
	if head&inTitles != 0 {
		n, at = varint(data, at)
		r.title = int32(n)
	}
	if head&inTags != 0 {
		n, at = varint(data, at)
		r.tags = int32(n)
	}
	n, at = varint(data, at)
	r.content = int32(n)
	size, at = varint(data, at)
	end := at + int(size)
	r.places, r.data = data[at:end], data[end:]
	return true
}

// varint reads a varint, and returns where it ends.
func varint(data []byte, at int) (uint64, int) {
	if c := data[at]; c < 0x80 {
		return uint64(c), at + 1
	}
	return longVarint(data, at)
}

func longVarint(data []byte, at int) (uint64, int) {
	n, size := binary.Uvarint(data[at:])
	return n, at + size
}

// appendPlaces appends the places of a term in a note.
func appendPlaces(to []int32, places []byte) []int32 {
	at := int32(0)
	for len(places) > 0 {
		n, size := binary.Uvarint(places)
		places = places[size:]
		at += int32(n)
		to = append(to, at)
	}
	return to
}
