package search

import (
	"slices"
	"strings"
	"sync"

	"roam-mcp/internal/graph/note"
)

// Doc is a note as an index takes it in.
type Doc struct {
	Key     string // tells notes apart
	Path    string // folders, and the name behind the last /
	Title   string
	Tags    []string // titles of tags
	Created int64    // ms since 1970; 0: unknown
	Updated int64    // ms since 1970; 0: unknown
	Blocks  []string // visible ones, as Roam stores their texts
}

// WordIndex holds the words of notes. It is safe for concurrent use: a search sees all of an
// Apply or nothing.
type WordIndex struct {
	mu             sync.RWMutex
	terms          map[string]int32 // by token, or by a key with its sign
	lists          []postings       // by number of the term
	sorted         []int32          // the terms in order of their texts
	docs           []doc
	numbers        map[string]int32 // by Doc.Key
	void           int              // docs that are gone
	title, content int64            // tokens of all docs that are not

	build builder
	spare *sync.Pool // of *scratch; the runtime holds a pool, and must not hold the index by it
}

// doc is a note in the index. Its tokens are numbered from 0: those of the title, then
// those of the tags, then those of the blocks. Between two texts a number is left out.
type doc struct {
	key, path        string // key "": it is gone
	created, updated int64
	title, content   int32 // number of tokens
	tags, blocks     int32 // where the tokens of tags and blocks begin
}

// NewWordIndex returns an empty index.
func NewWordIndex() *WordIndex {
	return &WordIndex{terms: map[string]int32{}, numbers: map[string]int32{}, spare: new(sync.Pool)}
}

// Len returns the number of notes.
func (x *WordIndex) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.numbers)
}

// Size returns about how many bytes the index holds.
func (x *WordIndex) Size() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	const perList, perTerm = 48, 64 // a postings; an entry of terms and of sorted
	const perDoc, perNumber = 64, 56
	size := int64(perList*cap(x.lists) + perDoc*cap(x.docs) + perNumber*len(x.numbers))
	for i := range x.lists {
		size += perTerm + int64(len(x.lists[i].text)+cap(x.lists[i].data))
	}
	for i := range x.docs {
		size += int64(len(x.docs[i].key) + len(x.docs[i].path))
	}
	return size
}

// Apply takes in notes that are new or have changed, and forgets those with the keys
// gone.
func (x *WordIndex) Apply(changed []Doc, gone []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	known := len(x.lists)
	for _, key := range gone {
		x.remove(key)
	}
	for i := range changed {
		x.remove(changed[i].Key)
		x.add(&changed[i])
	}
	if x.void > 64 && x.void > len(x.docs)/10 {
		x.compact()
	} else if known < len(x.lists) {
		x.sort(known)
	}
}

// remove voids a note.
func (x *WordIndex) remove(key string) {
	if n, ok := x.numbers[key]; ok {
		d := &x.docs[n]
		x.title -= int64(d.title)
		x.content -= int64(d.content)
		*d = doc{}
		delete(x.numbers, key)
		x.void++
	}
}

// add appends a note.
func (x *WordIndex) add(from *Doc) {
	number := int32(len(x.docs))
	d := doc{key: from.Key, path: from.Path, created: from.Created, updated: from.Updated}
	b := &x.build
	b.tokens, b.at = b.tokens[:0], 0
	title, _ := readable(from.Title)
	d.title = x.tokens(title)
	d.tags = b.at
	for _, tag := range from.Tags {
		x.tokens(tag)
	}
	d.blocks = b.at
	var all has
	for _, block := range from.Blocks {
		text, shows := readable(block)
		d.content += x.tokens(text)
		all |= shows
	}
	slices.Sort(b.tokens)
	for left := b.tokens; len(left) > 0; {
		t, end := left[0].term(), 1
		for end < len(left) && left[end].term() == t {
			end++
		}
		b.encode(&x.lists[t], number, left[:end], &d)
		left = left[end:]
	}
	for _, key := range keysOf(from, all) {
		b.encode(&x.lists[x.term([]byte(key))], number, nil, &d)
	}
	x.docs = append(x.docs, d)
	x.numbers[d.key] = number
	x.title += int64(d.title)
	x.content += int64(d.content)
}

// keysOf returns the keys of a note, each once.
func keysOf(from *Doc, all has) []string {
	var keys []string
	for _, tag := range from.Tags {
		keys = append(keys, tagKey+note.Key(tag))
	}
	for _, folder := range foldersOf(foldPath(from.Path)) {
		keys = append(keys, folderKey+folder)
	}
	for name, is := range hasNames {
		if all&is != 0 {
			keys = append(keys, hasKey+name)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// tokens appends the tokens of a text to those of the note that is built, and returns how
// many there are.
func (x *WordIndex) tokens(text string) int32 {
	b := &x.build
	first := b.at
	b.tokenizer.each(text, func(folded []byte, _, _ int, _ shape) {
		b.tokens = append(b.tokens, occurrence(x.term(folded), b.at))
		b.at++
	})
	count := b.at - first
	b.at++ // no phrase goes on in the next text
	return count
}

// term returns the number of a term.
func (x *WordIndex) term(text []byte) int32 {
	if t, ok := x.terms[string(text)]; ok {
		return t
	}
	t := int32(len(x.lists))
	x.lists = append(x.lists, postings{text: string(text)})
	x.terms[x.lists[t].text] = t
	return t
}

// sort takes the terms from a number on into the sorted ones.
func (x *WordIndex) sort(from int) {
	byText := func(a, b int32) int { return strings.Compare(x.lists[a].text, x.lists[b].text) }
	fresh := make([]int32, len(x.lists)-from)
	for i := range fresh {
		fresh[i] = int32(from + i)
	}
	slices.SortFunc(fresh, byText)
	merged := make([]int32, 0, len(x.sorted)+len(fresh))
	for _, old := range x.sorted {
		for len(fresh) > 0 && byText(fresh[0], old) < 0 {
			merged, fresh = append(merged, fresh[0]), fresh[1:]
		}
		merged = append(merged, old)
	}
	x.sorted = append(merged, fresh...)
}

// beginning returns the terms that begin with a text.
func (x *WordIndex) beginning(text string) []int32 {
	at, _ := slices.BinarySearchFunc(x.sorted, text, func(t int32, text string) int { return strings.Compare(x.lists[t].text, text) })
	end := at
	for end < len(x.sorted) && strings.HasPrefix(x.lists[x.sorted[end]].text, text) {
		end++
	}
	return x.sorted[at:end]
}

// compact leaves out the notes that are gone, and terms that only they had.
func (x *WordIndex) compact() {
	number := make([]int32, len(x.docs))
	docs := make([]doc, 0, len(x.numbers))
	for i, d := range x.docs {
		number[i] = -1
		if d.key != "" {
			number[i] = int32(len(docs))
			x.numbers[d.key] = number[i]
			docs = append(docs, d)
		}
	}
	lists := make([]postings, 0, len(x.lists))
	terms := make(map[string]int32, len(x.terms))
	for i := range x.lists {
		if kept := x.lists[i].renumbered(number); len(kept.data) > 0 {
			terms[kept.text] = int32(len(lists))
			lists = append(lists, kept)
		}
		x.lists[i] = postings{}
	}
	x.docs, x.lists, x.terms, x.void, x.sorted = docs, lists, terms, 0, nil
	x.sort(0)
}
