package search

import (
	"cmp"
	"math"
	"slices"
)

// Text is a block, or the title of a page.
type Text struct {
	UID     string
	Page    string // what tells its page from others; that of a page's title is the same
	Text    string
	IsPage  bool
	Heading int
	Edited  int64
}

// QuestionResult is a text that was found.
type QuestionResult struct {
	Text
	Above      []string // the title of its page, and the texts of the blocks above it
	Score      float64
	Has, Lacks []string // of what is wanted, in it or above it
}

// Found is what was found.
type Found struct {
	Results []QuestionResult // best first
	Total   int              // how many of them have all that is wanted
	Partial int              // how many others there are, one of each page
	Words   []QuestionWord   // of what is wanted
}

// QuestionWord says in how many texts something wanted is.
type QuestionWord struct {
	Word  string
	Texts int
}

// Weights of BM25F: its k1; what a word counts in the text itself, in a heading, above
// it, and in the title of its page; and how much the lengths of texts count.
const (
	questionSaturation  = 1.2
	ownWeight           = 1.0
	headingWeight       = 1.5
	aboveWeight         = 0.5
	questionTitleWeight = 2.5
	ownLength           = 0.75
	questionTitleLength = 0.5
	pageLength          = 0.75
	pageWeight          = 0.25 // of the page's score beside that of the text
	usualPage           = 5    // texts of a page that is neither long nor short
)

// bestOfPage is how many blocks of a page are looked at more closely where none has all
// that is wanted.
const bestOfPage = 3

// wantedCounts are how often each wanted thing is in a text.
type wantedCounts []uint8

// has returns the set of what is there.
func (c wantedCounts) has() uint64 {
	var set uint64
	for i, n := range c {
		if n > 0 {
			set |= 1 << i
		}
	}
	return set
}

// questionEntry is a text that has something wanted.
type questionEntry struct {
	Text
	own       wantedCounts
	above     wantedCounts // nil: unknown
	path      []string
	excluded  bool
	hasOwn    uint64
	hasAll    uint64 // with what is above it, as far as that is known
	score     float64
	placeOf   *page
	parentsIn bool
}

// page is what a page has of what is wanted.
type page struct {
	title  wantedCounts // nil: its title has nothing
	words  int          // in the title
	texts  int          // of it that have something
	counts wantedCounts // of all texts
	best   *questionEntry
	score  float64
	full   bool // one of its texts has all that is wanted
}

// QuestionTexts are the texts among which the best are looked for.
type QuestionTexts struct {
	query   *Question
	weights weights
	sizes   func(page string) int
	all     int // how many texts the graph has
	entries []*questionEntry
	byUID   map[string]*questionEntry
	pages   map[string]*page
	known   map[string]int // counts of what was not looked for
	lengths int            // of all texts
	titles  int            // how many entries are titles
	inTitle int            // the lengths of those

	now      wantedCounts
	excluded bool
	matcher  *matcher
	rarity   []float64
	required uint64
}

// QuestionCorpus holds statistics of the whole graph.
type QuestionCorpus struct {
	Texts int                   // how many blocks and pages there are
	Size  func(page string) int // how many blocks a page has; nil: unknown
	Known map[string]int        // in how many texts words are that were not looked for everywhere

	without weights
}

// weights switch parts of the ranking off, so that a test can say what each is worth.
type weights struct{ page, above, title, heading, share, rarity, length bool }

// Among returns an empty set of texts of a graph.
func (q *Question) Among(of QuestionCorpus) *QuestionTexts {
	s := &QuestionTexts{query: q, weights: of.without, all: of.Texts, sizes: of.Size, byUID: map[string]*questionEntry{}, pages: map[string]*page{}, known: of.Known}
	s.matcher = newMatcher(q, func(term, _, _ int) {
		if s.now[term] < math.MaxUint8 {
			s.now[term]++
		}
	}, func() { s.excluded = true })
	for i := range q.terms {
		if q.terms[i].required {
			s.required |= 1 << i
		}
	}
	return s
}

// count counts what is wanted in a text; nil where there is nothing.
func (s *QuestionTexts) count(text string) (wantedCounts, bool) {
	if s.now == nil {
		s.now = make(wantedCounts, len(s.query.terms))
	}
	clear(s.now)
	s.excluded = false
	s.matcher.read(text)
	if s.now.has() == 0 {
		return nil, s.excluded
	}
	found := s.now
	s.now = nil
	return found, s.excluded
}

// Add adds a text, unless it has no term of the query or was added before.
func (s *QuestionTexts) Add(t Text) {
	own, excluded := s.count(t.Text)
	if own == nil || s.byUID[t.UID] != nil {
		return
	}
	p := s.pages[t.Page]
	if p == nil {
		p = &page{counts: make(wantedCounts, len(own))}
		s.pages[t.Page] = p
	}
	e := &questionEntry{Text: t, own: own, excluded: excluded, hasOwn: own.has(), placeOf: p}
	s.entries = append(s.entries, e)
	s.byUID[t.UID] = e
	p.texts++
	s.lengths += len(t.Text)
	for i, n := range own {
		p.counts[i] = uint8(min(math.MaxUint8, int(p.counts[i])+int(n)))
	}
	if t.IsPage {
		p.title, p.words = own, len(t.Text)
		s.titles++
		s.inTitle += len(t.Text)
	}
}

// Best returns the uids of the blocks of which it matters most what is above them, at
// most so many, best first; of those that have all themselves at most whole, and where there are
// as many none that lacks something.
func (s *QuestionTexts) Best(most, whole int) []string {
	s.rate()
	full := s.full()
	ranked := slices.DeleteFunc(slices.Clone(s.entries), func(e *questionEntry) bool { return e.IsPage || e.excluded })
	class := func(e *questionEntry) int {
		switch {
		case e.hasOwn == full:
			return 0
		case e.placeOf.counts.has() == full:
			return 1
		}
		return 2
	}
	slices.SortFunc(ranked, func(a, b *questionEntry) int { return cmp.Or(cmp.Compare(class(a), class(b)), a.compare(b)) })
	uids := []string{}
	ofPage := map[*page]int{}
	for _, e := range ranked {
		switch class(e) {
		case 0:
			if whole--; whole < 0 {
				continue
			}
		case 2:
			if whole <= 0 {
				continue
			}
			if ofPage[e.placeOf]++; ofPage[e.placeOf] > bestOfPage { // of which one is shown
				continue
			}
		}
		if len(uids) == most {
			break
		}
		uids = append(uids, e.UID)
	}
	return uids
}

// Above says what stands above a block: the title of its page first, then blocks. One that
// nobody may see is taken out with Remove.
func (s *QuestionTexts) Above(uid string, path []string) {
	e := s.byUID[uid]
	if e == nil {
		return
	}
	e.path, e.above, e.parentsIn = path, make(wantedCounts, len(s.query.terms)), true
	for i, text := range path {
		found, excluded := s.count(text)
		e.excluded = e.excluded || excluded
		if i == 0 && found != nil && e.placeOf.title == nil {
			e.placeOf.title, e.placeOf.words = found, len(text)
		}
		if i == 0 {
			continue
		}
		for n, more := range found {
			e.above[n] = uint8(min(math.MaxUint8, int(e.above[n])+int(more)))
		}
	}
}

// Remove takes a text out.
func (s *QuestionTexts) Remove(uid string) {
	if e := s.byUID[uid]; e != nil {
		delete(s.byUID, uid)
		s.entries = slices.DeleteFunc(s.entries, func(each *questionEntry) bool { return each == e })
	}
}

func (s *QuestionTexts) full() uint64 { return 1<<len(s.query.terms) - 1 }

// Counts returns in how many of the texts each wanted thing is.
func (s *QuestionTexts) Counts() []QuestionWord {
	out := make([]QuestionWord, len(s.query.terms))
	for i, t := range s.query.terms {
		out[i].Word = t.label
		for _, e := range s.entries {
			if e.own[i] > 0 {
				out[i].Texts++
			}
		}
		out[i].Texts = max(out[i].Texts, s.known[t.label])
	}
	return out
}

// rate gives each text and page its score.
func (s *QuestionTexts) rate() {
	s.rarity = make([]float64, len(s.query.terms))
	for i, c := range s.Counts() {
		all := float64(max(s.all, len(s.entries)))
		if s.rarity[i] = math.Log(1 + (all-float64(c.Texts)+0.5)/(float64(c.Texts)+0.5)); s.weights.rarity {
			s.rarity[i] = 1
		}
	}
	average := float64(max(1, s.lengths)) / float64(max(1, len(s.entries)))
	titles := float64(max(1, s.inTitle)) / float64(max(1, s.titles))
	for key, p := range s.pages {
		texts := p.texts
		if s.sizes != nil && !s.weights.length {
			texts = max(texts, s.sizes(key))
		}
		length := 1 - pageLength + pageLength*float64(texts)/usualPage
		p.score, p.best = s.scoreOf(p.counts, func(i int) float64 { return float64(p.counts[i])/length + s.inTitleOf(p, i, titles) }), nil
	}
	for _, e := range s.entries {
		length := 1 - ownLength + ownLength*float64(len(e.Text.Text))/average
		weight := ownWeight
		if e.Heading > 0 && !s.weights.heading {
			weight = headingWeight
		}
		all := make(wantedCounts, len(e.own))
		for i := range all {
			all[i] = e.own[i]
			if e.above != nil {
				all[i] |= e.above[i]
			}
			if e.placeOf.title != nil {
				all[i] |= e.placeOf.title[i]
			}
		}
		e.hasAll = all.has()
		e.score = s.scoreOf(all, func(i int) float64 {
			sum := s.inTitleOf(e.placeOf, i, titles)
			if !e.IsPage {
				sum += weight * float64(e.own[i]) / length
			}
			if e.above != nil && !s.weights.above {
				sum += aboveWeight * float64(min(1, e.above[i]))
			}
			return sum
		})
		if !s.weights.page {
			e.score += pageWeight * e.placeOf.score
		}
	}
}

// inTitleOf returns what something wanted counts in the title of a page.
func (s *QuestionTexts) inTitleOf(p *page, i int, average float64) float64 {
	if p.title == nil || s.weights.title {
		return 0
	}
	return questionTitleWeight * float64(p.title[i]) / (1 - questionTitleLength + questionTitleLength*float64(p.words)/average)
}

// scoreOf returns the score of what has some of what is wanted, each in some weight, times
// the share of the query's rarity that it meets.
func (s *QuestionTexts) scoreOf(has wantedCounts, weight func(i int) float64) float64 {
	score, met, all := 0.0, 0.0, 0.0
	for i, rarity := range s.rarity {
		all += rarity
		if has[i] > 0 {
			met += rarity
			w := weight(i)
			score += rarity * w * (questionSaturation + 1) / (questionSaturation + w)
		}
	}
	if s.weights.share || all == 0 {
		return score
	}
	return score * met / all
}

// compare is negative where an entry comes before another of its class.
func (e *questionEntry) compare(other *questionEntry) int {
	return cmp.Or(cmp.Compare(other.score, e.score), cmp.Compare(other.Edited, e.Edited), cmp.Compare(e.UID, other.UID))
}

// Found returns what was found, in its order.
func (s *QuestionTexts) Found() Found {
	s.rate()
	full := s.full()
	classes := [3][]*questionEntry{}
	for _, e := range s.entries {
		switch {
		case e.excluded:
		case e.hasOwn == full:
			e.placeOf.full = true
			classes[0] = append(classes[0], e)
		case e.hasAll == full && e.parentsIn:
			e.placeOf.full = true
			classes[1] = append(classes[1], e)
		}
	}
	for _, e := range s.entries {
		p := e.placeOf
		if !e.excluded && !p.full && e.hasAll&s.required == s.required && (e.IsPage || e.parentsIn) && (p.best == nil || e.compare(p.best) < 0) {
			p.best = e
		}
	}
	for _, p := range s.pages {
		if p.best != nil && !p.full {
			classes[2] = append(classes[2], p.best)
		}
	}
	found := Found{Total: len(classes[0]) + len(classes[1]), Partial: len(classes[2]), Words: s.Counts()}
	for _, class := range classes {
		slices.SortFunc(class, (*questionEntry).compare)
		for _, e := range class {
			found.Results = append(found.Results, s.result(e))
		}
	}
	return found
}

func (s *QuestionTexts) result(e *questionEntry) QuestionResult {
	r := QuestionResult{Text: e.Text, Above: e.path, Score: e.score}
	for i, t := range s.query.terms {
		if e.hasAll>>i&1 == 1 {
			r.Has = append(r.Has, t.label)
		} else {
			r.Lacks = append(r.Lacks, t.label)
		}
	}
	return r
}
