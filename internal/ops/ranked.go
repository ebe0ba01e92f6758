package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/internal/graph/search"
	"roam-mcp/internal/localapi"
)

// Question asks for blocks and pages in a person's words.
type Question struct {
	Query         *search.Question // wants something
	Page          string           // title of the page that the blocks are on; empty: any
	Pages, Blocks bool             // what is looked for
	Offset, Limit int
}

// Ranked is the answer to a Question: the results from its offset on, and what is known of all.
type Ranked struct {
	search.Found
	Children map[string]int  // of the blocks among the results: how many can be seen
	Empty    map[string]bool // the pages among the results that have no blocks
	More     bool            // there are results behind these
}

// lookedAt is how many blocks are looked at together with what is above them; of those that
// have all themselves so many times as are asked for.
const lookedAt, lookedAtTimes = 200, 2

// pathPattern pulls a block with what stands above it, and its children.
const pathPattern = `[[:block/uid :as "uid"] [:block/string :as "string"] [:node/title :as "title"] [:block/order :as "order"] [:edit/time :as "edited"] ` +
	`{[:block/refs :as "refs" :limit nil] [[:node/title :as "title"]]} {[:block/children :as "children" :limit nil] [[:block/uid :as "uid"]]} ` +
	`{[:block/_children :as "above"] [[:block/uid :as "uid"] [:block/string :as "string"] [:node/title :as "title"] [:block/order :as "order"] [:edit/time :as "edited"] ` +
	`{[:block/refs :as "refs" :limit nil] [[:node/title :as "title"]]} {[:block/_children :as "above"] ...}]}]`

const (
	// hiddenBlocks asks for the blocks that are hidden, and those in them.
	hiddenBlocks = `[:find [?u ...] :where (or [?h :node/title ".rm-hide"] [?h :node/title ".rm-private"]) ` +
		`(or-join [?h ?b] [?b :block/refs ?h] (and [?r :block/refs ?h] [?r :block/string] [?b :block/parents ?r])) [?b :block/string] [?b :block/uid ?u]]`
	// pageSizes asks how many blocks each page has.
	pageSizes = `[:find ?p (count ?b) :where [?b :block/page ?p]]`
)

// Rank answers a question with a few queries: for the blocks that have something of what
// is wanted, for the titles, and for what stands above the best.
func (g Finds) Rank(ctx context.Context, q Question) (Ranked, error) {
	state := g.operations.searches.of(g.graph)
	sizes, all, err := state.pageSizes(ctx, g)
	if err != nil {
		return Ranked{}, err
	}
	skip := state.common(q.Query, all)
	set := q.Query.Among(search.QuestionCorpus{Texts: all, Size: func(page string) int { return sizes[page] }, Known: skip})
	hidden, err := g.gather(ctx, q, set, skip)
	if err != nil {
		return Ranked{}, err
	}
	state.learn(set.Counts(), all)
	out := Ranked{Children: map[string]int{}, Empty: map[string]bool{}}
	if err := g.lookAbove(ctx, q.Query, set, set.Best(lookedAt, lookedAtTimes*(q.Offset+q.Limit)), hidden, out.Children); err != nil {
		return Ranked{}, err
	}
	find := func() (window []search.QuestionResult) {
		out.Found = set.Found()
		end := min(q.Offset+q.Limit, len(out.Results))
		out.More = end < len(out.Results)
		return out.Results[min(q.Offset, end):end]
	}
	window := find()
	var unknown []string
	for _, r := range window {
		if !r.IsPage && r.Above == nil {
			unknown = append(unknown, r.UID)
		}
	}
	if len(unknown) > 0 { // there are more than are looked at
		if err := g.lookAbove(ctx, q.Query, set, unknown, hidden, out.Children); err != nil {
			return Ranked{}, err
		}
		window = find()
	}
	out.Results = slices.Clone(window)
	return out, g.emptyPages(ctx, out)
}

// gather adds to a set what has something of what is wanted. It returns the uids of hidden
// blocks.
func (g Finds) gather(ctx context.Context, q Question, set *search.QuestionTexts, skip map[string]int) (hidden map[string]bool, err error) {
	pattern := caseless(q.Query.Pattern(func(label string) bool { _, known := skip[label]; return known }))
	hidden = map[string]bool{}
	if q.Blocks {
		uids, err := listed[string](g.ask(ctx, plainQuery, hiddenBlocks))
		if err != nil {
			return nil, err
		}
		for _, uid := range uids {
			hidden[uid] = true
		}
	}
	titled, err := g.titledPages(ctx, q, pattern, set)
	if err != nil || !q.Blocks {
		return hidden, err
	}
	in, first, inputs := "", "", []any{pattern}
	switch filter := q.Query.TitlePattern(); {
	case q.Page != "":
		in, first, inputs = " ?title", "[?p :node/title ?title] [?b :block/page ?p] ", append(inputs, q.Page)
	case filter != "":
		in, first = " ?titled", "[(re-pattern ?titled) ?tre] [?p :node/title ?pt] [(re-find ?tre ?pt)] [?b :block/page ?p] "
		inputs = append(inputs, caseless(filter))
	}
	add := func(clauses string, inputs []any) error {
		rows, err := g.texts(ctx, append([]any{`[:find ?u ?p ?s ?h ?t :in $ ?own` + in + ` :where ` + first + `[(re-pattern ?own) ?re] [?b :block/string ?s] ` + clauses + `[(re-find ?re ?s)] ` +
			`[?b :block/uid ?u] [?b :block/page ?p] [(get-else $ ?b :block/heading 0) ?h] [(get-else $ ?b :edit/time 0) ?t]]`}, inputs...)...)
		for _, row := range rows {
			if !hidden[row.uid] && (titled == nil || titled[row.page]) {
				set.Add(search.Text{UID: row.uid, Page: row.page, Text: row.text, Heading: int(row.heading), Edited: row.edited})
			}
		}
		return err
	}
	if err := add("", inputs); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, count := range set.Counts() {
		found[count.Word] = count.Texts > 0
	}
	if marked := q.Query.MarkedPattern(func(label string) bool { return found[label] }); marked != "" { // they may stand there with marks
		in, first, inputs[0] = in+" ?other", first+`[(re-pattern ?other) ?non] `, caseless(marked)
		return hidden, add(`[(re-find ?non ?s)] `, append(inputs, `[^\x00-\x7f]`))
	}
	return hidden, nil
}

// titledPages adds the pages to a set whose titles have something of what is wanted. It
// returns the pages that meet the conditions on titles; nil where there are none.
func (g Finds) titledPages(ctx context.Context, q Question, pattern string, set *search.QuestionTexts) (titled map[string]bool, err error) {
	filter := q.Query.TitlePattern()
	if filter != "" {
		pattern = caseless(filter)
	}
	rows, err := g.texts(ctx, `[:find ?u ?p ?s ?h ?t :in $ ?own :where [(re-pattern ?own) ?re] [?p :node/title ?s] [(re-find ?re ?s)] `+
		`[?p :block/uid ?u] [(ground 0) ?h] [(get-else $ ?p :edit/time 0) ?t]]`, pattern)
	if err != nil {
		return nil, err
	}
	if filter != "" {
		titled = map[string]bool{}
	}
	for _, row := range rows {
		if !q.Query.Titled(row.text) {
			continue
		}
		if titled != nil {
			titled[row.page] = true
		}
		if q.Pages && q.Page == "" {
			set.Add(search.Text{UID: row.uid, Page: row.page, Text: row.text, IsPage: true, Edited: row.edited})
		}
	}
	return titled, nil
}

// lookAbove tells a set what stands above blocks, and takes those out that are hidden or
// on pages that are not meant.
func (g Finds) lookAbove(ctx context.Context, q *search.Question, set *search.QuestionTexts, uids []string, hidden map[string]bool, children map[string]int) error {
	if len(uids) == 0 {
		return nil
	}
	answer, err := g.ask(ctx, plainQuery, `[:find [(pull ?b `+pathPattern+`) ...] :in $ [?u ...] :where [?b :block/uid ?u]]`, uids)
	if err != nil {
		return localapi.UnsupportedQuery(err)
	}
	var blocks []foundBlock
	if err := decodePulled(answer, &blocks); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range blocks {
		b := &blocks[i]
		if b.UID == "" || b.String == nil {
			continue
		}
		found, visible := b.visible()
		if !visible || len(found.Path) == 0 || !q.Titled(found.Path[0]) {
			continue
		}
		seen[b.UID] = true
		set.Above(b.UID, found.Path)
		children[b.UID] = 0
		for _, child := range b.Children {
			if !hidden[child.UID] {
				children[b.UID]++
			}
		}
	}
	for _, uid := range uids {
		if !seen[uid] {
			set.Remove(uid)
		}
	}
	return nil
}

// emptyPages finds out which pages among results have no blocks.
func (g Finds) emptyPages(ctx context.Context, r Ranked) error {
	var uids []string
	for _, each := range r.Results {
		if each.IsPage {
			uids = append(uids, each.UID)
		}
	}
	if len(uids) == 0 {
		return nil
	}
	rows, err := listed[[]string](g.ask(ctx, plainQuery, `[:find ?u :in $ [?u ...] :where [?p :block/uid ?u] [?p :block/children ?c]]`, uids))
	if err != nil {
		return err
	}
	for _, uid := range uids {
		r.Empty[uid] = true
	}
	for _, row := range rows {
		for _, uid := range row {
			delete(r.Empty, uid)
		}
	}
	return nil
}

// blockRow is a row of a query for texts.
type blockRow struct {
	uid, page, text string
	heading, edited int64
}

// texts asks a query that finds uid, page, text, heading and time of edit.
func (g Finds) texts(ctx context.Context, queryAndInputs ...any) ([]blockRow, error) {
	found, err := listed[[]any](g.ask(ctx, plainQuery, queryAndInputs...))
	if err != nil {
		return nil, err
	}
	rows := make([]blockRow, len(found))
	for i, values := range found {
		if len(values) != 5 {
			return nil, invalidNote(fmt.Errorf("a row of %d values", len(values)))
		}
		uid, _ := values[0].(string)
		text, isText := values[2].(string)
		page, isPage := values[1].(float64) // an entity of the database
		if uid == "" || !isText || !isPage {
			return nil, invalidNote(errors.New("a row of other values"))
		}
		heading, _ := values[3].(float64)
		edited, _ := values[4].(float64)
		rows[i] = blockRow{uid: uid, page: strconv.FormatInt(int64(page), 10), text: text, heading: int64(heading), edited: int64(edited)}
	}
	return rows, nil
}

// listed reads a list. An answer that is none is an error.
func listed[T any](answer json.RawMessage, err error) ([]T, error) {
	var list []T
	if err = localapi.UnsupportedQuery(err); err == nil {
		err = invalidNote(json.Unmarshal(answer, &list))
	}
	return list, err
}

// Words returns what is wanted as Roam's own search takes it.
func Words(q *search.Question) string {
	return strings.NewReplacer("|", " ", `"`, "", "*", "").Replace(strings.Join(q.Words(), " "))
}
