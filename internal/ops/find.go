package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/rawjson"
)

const (
	// maxWords is how many words of a search are looked for in a block and its
	// parents.
	maxWords = 8
	// foundText is how many characters of a block a search shows, as Roam's does.
	foundText = 500
)

// Finding asks for blocks of a page, or for those that name one without a link.
type Finding struct {
	Query    string // words; each stands in the block or above it, one at least in the block
	Page     string // title of the page that the blocks are on; empty: any
	Unlinked string // title of a page that the blocks name without a link; empty: any
}

// FoundBlock is a block that was found.
type FoundBlock struct {
	UID, Text string
	Path      []string // the title of its page, and the texts of the blocks above it
	Mention   *roamtext.Mention

	rank   int   // 0: holds the query as it is; 1: all its words; 2: some of them
	orders []int // places among siblings, from the page down
	edited int64
}

// foundBlock is what a query pulls of a block, and of what is above it.
type foundBlock struct {
	UID    string  `json:"uid"`
	String *string `json:"string"`
	Title  string  `json:"title"`
	Order  int     `json:"order"`
	Time   int64   `json:"edited"`
	Refs   []struct {
		Title string `json:"title"`
	} `json:"refs"`
	Above    []foundBlock `json:"above"`
	Children []struct {
		UID string `json:"uid"`
	} `json:"children"`
	ID json.RawMessage `json:"id"` // alone, of a block that is above itself
}

const foundPattern = `[[:block/uid :as "uid"] [:block/string :as "string"] [:node/title :as "title"] [:block/order :as "order"] [:edit/time :as "edited"] ` +
	`{[:block/refs :as "refs" :limit nil] [[:node/title :as "title"]]} {[:block/_children :as "above"] ...}]`

// uidInText is a reference to a block, whose letters are no words.
var uidInText = lazyregexp.New(`\(\([A-Za-z0-9_-]+\)\)`)

// hidingTags are the titles whose tags hide a block (LOCAL_API.md 7.4).
var hidingTags = []string{".rm-hide", ".rm-private"}

// FindBlocks returns the blocks that are asked for, without those that are hidden:
// the best first where a query is given, else what was edited last, and on one page
// in its order.
func (g Finds) FindBlocks(ctx context.Context, f Finding) ([]FoundBlock, error) {
	words := searchWords(f.Query)
	blocks, err := g.candidates(ctx, f, words)
	if err != nil {
		return nil, err
	}
	found := []FoundBlock{}
	for i := range blocks {
		if block, ok := blocks[i].visible(); ok && block.ranked(f.Query, words) {
			found = append(found, block)
		}
	}
	if f.Unlinked != "" {
		if found, err = g.unlinkedIn(ctx, found, f.Unlinked); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(found, func(a, b FoundBlock) int {
		if f.Page == "" {
			return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.edited, a.edited), cmp.Compare(a.UID, b.UID))
		}
		return cmp.Or(cmp.Compare(a.rank, b.rank), slices.Compare(a.orders, b.orders), cmp.Compare(a.UID, b.UID))
	})
	return found, nil
}

// candidates asks Roam for blocks that may be meant.
func (g Finds) candidates(ctx context.Context, f Finding, words []string) ([]foundBlock, error) {
	own := anyOf(words)
	if f.Unlinked != "" {
		own = wordsInOrder(f.Unlinked)
	}
	in, where, inputs := "?own", "", []any{own}
	if f.Page != "" {
		in, inputs = in+" ?title", append(inputs, f.Page)
		where = ` [?page :node/title ?title] [?b :block/page ?page]`
	}
	where += ` [(re-pattern ?own) ?re] [?b :block/string ?s] [(re-find ?re ?s)]`
	query := `[:find [(pull ?b ` + foundPattern + `) ...] :in $ ` + in + ` :where` + where + `]`
	result, err := g.ask(ctx, plainQuery, append([]any{query}, inputs...)...)
	if err != nil {
		return nil, err
	}
	var blocks []foundBlock
	if err := decodePulled(result, &blocks); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(blocks, func(b foundBlock) bool { return b.UID == "" || b.String == nil }) {
		return nil, invalidNote(errors.New("a block without a text or a uid"))
	}
	return blocks, nil
}

// visible returns the block as a result, and false where it is hidden.
func (b *foundBlock) visible() (FoundBlock, bool) {
	found := FoundBlock{UID: b.UID, Text: *b.String, Path: []string{}, edited: b.Time}
	for at := b; at != nil; {
		for _, ref := range at.Refs {
			if slices.Contains(hidingTags, ref.Title) {
				return found, false
			}
		}
		switch {
		case at == b:
			found.orders = append(found.orders, at.Order)
		case at.String != nil:
			found.Path, found.orders = append(found.Path, *at.String), append(found.orders, at.Order)
		default:
			found.Path = append(found.Path, at.Title)
		}
		if len(at.Above) == 0 {
			break
		}
		at = &at.Above[0]
	}
	slices.Reverse(found.Path)
	slices.Reverse(found.orders)
	return found, true
}

// ranked ranks the block for the words of a query, and reports whether each stands
// in it or above it, and one at least in it.
func (b *FoundBlock) ranked(query string, words []string) bool {
	if len(words) == 0 {
		return true
	}
	own := strings.ToLower(uidInText.ReplaceAllString(b.Text, ""))
	all := own + "\n" + strings.ToLower(strings.Join(b.Path, "\n"))
	inOwn := 0
	for _, word := range words {
		if !strings.Contains(all, word) {
			return false
		}
		if strings.Contains(own, word) {
			inOwn++
		}
	}
	switch {
	case strings.Contains(own, strings.ToLower(strings.TrimSpace(query))):
		b.rank = 0
	case inOwn == len(words):
		b.rank = 1
	default:
		b.rank = 2
	}
	return inOwn > 0
}

// unlinkedIn keeps the blocks that name a page without linking it, but for those of
// the page itself. A longer title that stands there instead is no mention.
func (g Finds) unlinkedIn(ctx context.Context, found []FoundBlock, title string) ([]FoundBlock, error) {
	pages, err := g.titlesLike(ctx, wordsInOrder(title))
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(pages, func(p roamtext.NamedPage) bool { return strings.EqualFold(p.Title, title) }) {
		pages = append(pages, roamtext.NamedPage{Title: title})
	}
	found = slices.DeleteFunc(found, func(b FoundBlock) bool { return len(b.Path) > 0 && strings.EqualFold(b.Path[0], title) })
	blocks := make([]roamtext.Passage, len(found))
	for i, b := range found {
		blocks[i] = roamtext.Passage{UID: b.UID, Text: b.Text}
	}
	mentions, err := roamtext.FindMentions(ctx, pages, blocks)
	if err != nil {
		return nil, err
	}
	kept := []FoundBlock{}
	for _, m := range mentions {
		if strings.EqualFold(m.Page.Title, title) {
			block := found[m.Block]
			block.Mention = &m
			kept = append(kept, block)
		}
	}
	return kept, nil
}

// CanBeMentioned reports whether mentions of a page without a link can be told from
// mere words: its title is no number, no word that texts are full of, and not too
// short or too long.
func CanBeMentioned(ctx context.Context, title string) bool {
	mentions, err := roamtext.FindMentions(ctx, []roamtext.NamedPage{{Title: title}}, []roamtext.Passage{{Text: title}})
	return err != nil || len(mentions) > 0
}

// MarshalJSON returns the block in the form of Roam's search.
func (b FoundBlock) MarshalJSON() ([]byte, error) {
	text, cut := b.Text, ""
	if runes := []rune(text); len(runes) > foundText {
		text, cut = string(runes[:foundText]), fmt.Sprintf(` truncated="%d"`, len(runes)-foundText)
	}
	text = strings.ReplaceAll(text, "\n", "\n  ")
	out := rawjson.With("uid", b.UID).With("markdown", fmt.Sprintf(`- %s <roam uid="%s"%s/>`, text, b.UID, cut))
	if b.Path != nil {
		out = out.With("path", b.Path)
	}
	if b.Mention != nil {
		suggested := newSuggestion(*b.Mention, roamtext.Passage{Text: b.Text})
		out = out.With("text", suggested.Text).With("link", suggested.Link)
	}
	return out.JSON(), nil
}

// searchWords returns the words of a query in lower case, maxWords at most.
func searchWords(query string) []string {
	words := strings.Fields(strings.ToLower(query))
	return words[:min(len(words), maxWords)]
}

// caseless returns a pattern for Roam's re-pattern that ignores case.
func caseless(pattern string) string { return "(?i)" + pattern }

func anyOf(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = regexp.QuoteMeta(word)
	}
	return caseless(strings.Join(quoted, "|"))
}

// wordsInOrder returns a pattern for texts that hold the words of a title in their
// order, with little in between.
func wordsInOrder(title string) string {
	words := lettersIn(title)
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	return caseless(strings.Join(words, `[\s\S]{0,8}`))
}
