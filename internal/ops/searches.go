package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/graph/search"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

const (
	// scanTimeout is how long a question may take until Roam's own search is asked.
	scanTimeout = 3 * time.Second
	// slowScan is a time that its user feels: a scan runs in Roam's own window. After
	// slowScans of them no other is made for restFor.
	slowScan  = time.Second
	slowScans = 2
	restFor   = time.Hour
	// knownFor is how long it is believed how large pages are, and how common words.
	knownFor = 10 * time.Minute
	// A word in one of so many texts is common; it is not looked for while rarerWords
	// others are. Neither are the most common of words that are in more than mostTexts
	// together: what Roam then has to list takes longer than its user should wait.
	commonShare = 20
	rarerWords  = 2
	mostTexts   = 5000
	// A word in one of so many texts is remembered.
	rememberedShare = 200
)

// searches remembers, of each graph, what searches have found out.
type searches struct {
	mu     sync.Mutex
	graphs map[localapi.Graph]*searchState
	now    func() time.Time
}

func newSearches(now func() time.Time) *searches {
	return &searches{graphs: map[localapi.Graph]*searchState{}, now: now}
}

func (s *searches) of(graph localapi.Graph) *searchState {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.graphs[graph]
	if state == nil {
		state = &searchState{now: s.now}
		s.graphs[graph] = state
	}
	return state
}

// searchState is what is known of a graph.
type searchState struct {
	mu    sync.Mutex
	now   func() time.Time
	slow  int       // scans one after the other that took long
	until time.Time // when the next scan may be made

	known time.Time // when sizes and words were found out
	sizes map[string]int
	all   int
	words map[string]int // how many texts a common word is in
}

// rests reports whether Roam is not to be asked for scans now.
func (s *searchState) rests() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now().Before(s.until)
}

// took takes in how long a scan took.
func (s *searchState) took(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d <= slowScan {
		s.slow = 0
		return
	}
	if s.slow++; s.slow >= slowScans {
		s.slow, s.until = 0, s.now().Add(restFor)
	}
}

// pageSizes returns how many blocks pages have, and how many blocks and pages there are.
func (s *searchState) pageSizes(ctx context.Context, g Finds) (map[string]int, int, error) {
	s.mu.Lock()
	sizes, all, fresh := s.sizes, s.all, s.sizes != nil && s.now().Sub(s.known) < knownFor
	s.mu.Unlock()
	if fresh {
		return sizes, all, nil
	}
	rows, err := listed[[2]json.Number](g.ask(ctx, plainQuery, pageSizes))
	if err != nil {
		return nil, 0, err
	}
	sizes, all = make(map[string]int, len(rows)), len(rows)
	for _, row := range rows {
		n, err := row[1].Int64()
		if err != nil {
			return nil, 0, invalidNote(err)
		}
		sizes[row[0].String()] = int(n)
		all += int(n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes, s.all, s.known, s.words = sizes, all, s.now(), map[string]int{}
	return sizes, all, nil
}

// common returns the words of a query that are known to be common, where enough others are
// rarer, and in how many texts they are.
func (s *searchState) common(q *search.Question, all int) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	words := q.Words()
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(s.words[b], s.words[a]) })
	texts := 0
	for _, word := range words {
		texts += s.words[word]
	}
	found := map[string]int{}
	for _, word := range words[:max(0, len(words)-rarerWords)] {
		n := s.words[word]
		if n*commonShare <= all && texts <= mostTexts {
			break
		}
		found[word] = n
		texts -= n
	}
	return found
}

// learn takes in how common words are.
func (s *searchState) learn(counts []search.QuestionWord, all int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	words := maps.Clone(s.words)
	for _, c := range counts {
		if c.Texts*rememberedShare > all && len(words) < 1000 {
			words[c.Word] = c.Texts
		}
	}
	s.words = words
}

// TryRank answers a question as Rank does, in a time that the user of Roam hardly feels;
// false where Roam's own search is to be asked instead.
func (g Finds) TryRank(ctx context.Context, q Question) (found Ranked, ok bool, err error) {
	state := g.operations.searches.of(g.graph)
	if state.rests() {
		return Ranked{}, false, nil
	}
	scan, stop := context.WithTimeout(ctx, scanTimeout)
	defer stop()
	began := state.now()
	found, err = g.Rank(scan, q)
	switch took := state.now().Sub(began); {
	case err == nil:
		state.took(took)
		return found, true, nil
	case ctx.Err() == nil && (scan.Err() != nil || problem.CodeOf(err) == localapi.CodeUnsupportedRoam):
		state.took(took)
		return Ranked{}, false, nil
	}
	return Ranked{}, false, err
}
