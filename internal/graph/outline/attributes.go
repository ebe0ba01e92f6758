package outline

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/roamtext"
)

// triple is a fact that a block such as "Author:: [[Ann]]" states of what is above it
// (LOCAL_API.md 9.11). Its entity, attribute and value each have a source, the block
// that says it. All are uids, but for a value that is a text.
type triple struct {
	entity, attribute, value fact
}

type fact struct {
	source, value string
	text          bool // value is a text
}

// attributeBlock returns the uid of the page that a block's text names as attribute,
// and the text after the colons.
func attributeBlock(r graphdb.Reader, text string) (page, rest string, ok bool) {
	if !strings.Contains(text, "::") {
		return "", "", false
	}
	refs := roamtext.References(text)
	if len(refs) == 0 || refs[0].Kind != roamtext.Attribute {
		return "", "", false
	}
	page = r.String(PageByTitle(r, refs[0].Content(text)), graphdb.BlockUID)
	return page, text[refs[0].End:], page != ""
}

// subjectOf returns what the attributes below a page or block are said of: what its
// text refers to, if it is nothing but one reference, else itself.
func subjectOf(r graphdb.Reader, e graphdb.EID) graphdb.EID {
	if !IsPage(r, e) {
		if to := onlyReferences(r, r.String(e, graphdb.BlockString)); len(to) == 1 {
			return to[0]
		}
	}
	return e
}

// onlyReferences returns what a text refers to if it consists of nothing else.
func onlyReferences(r graphdb.Reader, text string) []graphdb.EID {
	if !strings.ContainsAny(text, "[(#") {
		return nil
	}
	var to []graphdb.EID
	end := 0
	for _, ref := range roamtext.References(text) {
		if ref.Start < end {
			continue // a link within a title
		}
		if ref.Kind == roamtext.Attribute || strings.TrimSpace(text[end:ref.Start]) != "" {
			return nil
		}
		end = ref.End
		e := PageByTitle(r, ref.Content(text))
		if ref.Kind == roamtext.BlockRef {
			e = ByUID(r, ref.Content(text))
		}
		if e == 0 {
			return nil
		}
		if !slices.Contains(to, e) {
			to = append(to, e)
		}
	}
	if strings.TrimSpace(text[end:]) != "" {
		return nil
	}
	return to
}

// triplesOf returns what an attribute block says, and of what; none if it says nothing.
func triplesOf(r graphdb.Reader, block graphdb.EID) (subject graphdb.EID, triples []triple) {
	page, rest, ok := attributeBlock(r, r.String(block, graphdb.BlockString))
	parent := Parent(r, block)
	if !ok || parent == 0 {
		return 0, nil
	}
	subject = subjectOf(r, parent)
	uid := func(e graphdb.EID) string { return r.String(e, graphdb.BlockUID) }
	base := triple{entity: fact{source: uid(parent), value: uid(subject)}, attribute: fact{source: uid(block), value: page}}
	say := func(value fact) {
		base.value = value
		triples = append(triples, base)
	}
	if strings.TrimSpace(rest) != "" {
		to := onlyReferences(r, rest)
		for _, e := range to {
			say(fact{source: uid(block), value: uid(e)})
		}
		if to == nil {
			say(fact{source: uid(block), value: rest, text: true})
		}
		return subject, triples
	}
	for _, child := range r.Refs(block, graphdb.BlockChildren) {
		to := onlyReferences(r, r.String(child, graphdb.BlockString))
		if to == nil {
			to = []graphdb.EID{child}
		}
		for _, e := range to {
			say(fact{source: uid(child), value: uid(e)})
		}
		if len(triples) >= maxTriples {
			break
		}
	}
	return subject, triples
}

// maxTriples is how many triples are kept of one page or block.
const maxTriples = 5_000

// saying is a block that is, was or may be an attribute block.
type saying struct {
	uid string        // since the block may be gone later
	of  []graphdb.EID // of what it said something before
}

// noteAttribute is called before and after a block's text, place or children change,
// so that what it says follows when the transaction ends.
func (w *Writer) noteAttribute(block graphdb.EID) {
	text := w.tx.String(block, graphdb.BlockString)
	if w.tx.ReverseCount(graphdb.AttrsLookup, block) == 0 && !strings.Contains(text, "::") {
		return // the most frequent case
	}
	if w.sayings == nil {
		w.sayings = map[graphdb.EID]*saying{}
		w.tx.BeforeCommit(w.updateAttributes)
	}
	known := w.sayings[block]
	if known == nil {
		known = &saying{uid: w.tx.String(block, graphdb.BlockUID)}
		w.sayings[block] = known
	}
	for e := range w.tx.ReverseSeq(graphdb.AttrsLookup, block) {
		if !slices.Contains(known.of, e) {
			known.of = append(known.of, e)
		}
	}
}

// noteAround notes all blocks whose statements a block's text is part of: itself, its
// parent, whose value it may be, and its children, whose subject it may name.
func (w *Writer) noteAround(block graphdb.EID) {
	w.noteAttribute(block)
	w.noteAttribute(Parent(w.tx, block))
	if len(onlyReferences(w.tx, w.tx.String(block, graphdb.BlockString))) == 1 {
		for _, k := range w.tx.Refs(block, graphdb.BlockChildren) {
			w.noteAttribute(k)
		}
	}
}

// updateAttributes brings :entity/attrs and :attrs/lookup in step with the blocks
// that were noted.
func (w *Writer) updateAttributes() error {
	type change struct {
		without map[string]bool // uids of attribute blocks
		with    []triple
	}
	changes := map[graphdb.EID]*change{}
	of := func(e graphdb.EID) *change {
		if changes[e] == nil {
			changes[e] = &change{}
		}
		return changes[e]
	}
	for _, block := range slices.Sorted(maps.Keys(w.sayings)) {
		s := w.sayings[block]
		for _, e := range s.of {
			c := of(e)
			if c.without == nil {
				c.without = map[string]bool{}
			}
			c.without[s.uid] = true
		}
		if subject, triples := triplesOf(w.tx, block); len(triples) > 0 {
			c := of(subject)
			c.with = append(c.with, triples[:min(len(triples), maxTriples-len(c.with))]...)
		}
	}
	clear(w.sayings)
	for _, e := range slices.Sorted(maps.Keys(changes)) {
		if err := w.setAttributes(e, changes[e].without, changes[e].with); err != nil {
			return err
		}
	}
	return nil
}

// setAttributes takes what some attribute blocks said from an entity and adds triples.
func (w *Writer) setAttributes(e graphdb.EID, without map[string]bool, with []triple) error {
	if !w.tx.Has(e, graphdb.BlockUID) {
		return nil // it is gone
	}
	var said []string
	var mentioned []graphdb.EID
	mention := func(uid string) {
		if to := ByUID(w.tx, uid); to != 0 {
			mentioned = append(mentioned, to)
		}
	}
	for _, t := range storedTriples(w.tx.String(e, graphdb.EntityAttrs)) {
		if without[uidIn(t, 1, keySource)] {
			continue
		}
		said = append(said, edn.Print(t))
		for place := range 3 {
			mention(uidIn(t, place, keySource))
			mention(uidIn(t, place, keyValue))
		}
	}
	for _, t := range with[:min(len(with), max(0, maxTriples-len(said)))] {
		said = append(said, t.print())
		for _, f := range [...]fact{t.entity, t.attribute, t.value} {
			mention(f.source)
			if !f.text {
				mention(f.value)
			}
		}
	}
	if len(said) == 0 {
		return errors.Join(w.tx.RetractAttr(e, graphdb.EntityAttrs), w.tx.RetractAttr(e, graphdb.AttrsLookup))
	}
	slices.Sort(said) // as package edn prints a set
	set := graphdb.Opaque("#{" + strings.Join(said, " ") + "}")
	if err := w.tx.Set(e, graphdb.EntityAttrs, graphdb.OpaqueValue(set)); err != nil {
		return err
	}
	return w.setRefs(e, graphdb.AttrsLookup, mentioned)
}

// storedTriples reads a value of :entity/attrs; nothing of one that is no set.
func storedTriples(stored string) edn.Set {
	if stored == "" {
		return nil
	}
	v, err := edn.Parse(stored, edn.Limits{Bytes: int64(len(stored)) + 1})
	set, ok := v.(edn.Set)
	if err != nil || !ok {
		return nil
	}
	return set
}

// uidIn returns the uid that a stored triple has at a place, as source or value; blank
// for a text.
func uidIn(t any, place int, key edn.Keyword) string {
	facts, _ := t.(edn.Vector)
	if place >= len(facts) {
		return ""
	}
	m, _ := facts[place].(*edn.Map)
	if m == nil {
		return ""
	}
	v, _ := m.Get(key)
	if lookup, ok := v.(edn.Vector); ok && len(lookup) == 2 && lookup[0] == any(keyUID) {
		uid, _ := lookup[1].(string)
		return uid
	}
	return ""
}

var (
	keySource = edn.Keyword(":source")
	keyValue  = edn.Keyword(":value")
	keyUID    = edn.Keyword(":block/uid")
)

// print returns the triple as package edn prints it.
func (t triple) print() string {
	b := make([]byte, 0, 256)
	for i, f := range [...]fact{t.entity, t.attribute, t.value} {
		open := byte(' ')
		if i == 0 {
			open = '['
		}
		b = append(b, open)
		b = append(edn.Append(append(b, "{:source [:block/uid "...), f.source), "], :value "...)
		if f.text {
			b = append(edn.Append(b, f.value), '}')
		} else {
			b = append(edn.Append(append(b, "[:block/uid "...), f.value), "]}"...)
		}
	}
	return string(append(b, ']'))
}
