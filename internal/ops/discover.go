package ops

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// defaultSuggestions is how many links are suggested where the caller does not say.
const defaultSuggestions = 20

// SemanticQuery asks for pages and blocks by what they mean. What is left out is as
// Roam has it.
type SemanticQuery struct {
	Query       string
	Results     *int   // how many
	Scope       string // all, pages or blocks
	IncludePath *bool
	MaxDepth    *int // levels below each result
}

// SearchByMeaning finds pages and blocks by what they mean, best first: results,
// nil where Roam sends nothing. It is off in most graphs, and older builds do not
// know it: the error leads to Search then.
func (g Finds) SearchByMeaning(ctx context.Context, m SemanticQuery) (rawjson.Object, error) {
	r := request{"query": m.Query}.withText("scope", m.Scope)
	with(with(with(r, "k", m.Results), "includePath", m.IncludePath), "maxDepth", m.MaxDepth)
	object, err := g.askObject(ctx, "data.ai.semanticSearch", r)
	if err != nil {
		return nil, meaningOff(err)
	}
	return object, nil
}

// meaningOff leads to Search where Roam has no search by meaning.
func meaningOff(err error) error {
	failed, ok := problem.AsCall(err)
	if !ok {
		return err
	}
	told := strings.ToLower(failed.Call.Text)
	off := strings.Contains(told, "embedding") || strings.Contains(told, "semantic search")
	if !off && failed.Code != localapi.CodeUnknownAction {
		return err
	}
	instead := *failed
	if off {
		instead.Message = "Semantic search is not enabled for this graph. " + failed.Message
		instead.Hint = problem.Say("Use %s instead.", problem.Search).Then("The user can enable semantic search in Roam's settings.")
	} else {
		instead.Hint = problem.Say("Use %s instead, or ask the user to update %s.", problem.Search, problem.Roam).
			Or("Ask the user to update %s.", problem.Roam)
	}
	instead.Next = problem.Search
	return notRetryable(instead)
}

// SuggestLinks suggests links for a text that need not be in the graph: with
// Roam's own suggestions where this build has them. most is how many; nil: as
// many as is usual.
func (g Finds) SuggestLinks(ctx context.Context, text string, most *int) (rawjson.Object, error) {
	object, err := g.askObject(ctx, "data.ai.suggestLinks", with(request{"text": text}, "maxResults", most))
	if problem.CodeOf(err) == localapi.CodeUnknownAction {
		return g.suggestIn(ctx, []roamtext.Passage{{Text: text}}, most)
	}
	return object, err
}

// SuggestLinksIn suggests links for a page, or for a block with all below it; nil
// where there is no such thing. Roam has nothing that says in which block a link
// is missing, so titles are compared with what its reads show: what the user
// hides from agents stays hidden.
func (g Finds) SuggestLinksIn(ctx context.Context, place PageRef, most *int) (rawjson.Object, error) {
	things := []Thing{Page}
	if place.UID != "" {
		things = []Thing{Block, Page}
	}
	var result json.RawMessage
	var read []outline.RenderedBlock
	for _, thing := range things {
		if len(read) > 0 {
			break
		}
		var err error
		if result, err = g.ask(ctx, thing.readAction(), place.request()); err != nil {
			return nil, err
		}
		read = blocksIn(result)
	}
	if len(read) == 0 {
		return nil, nil
	}
	var blocks []roamtext.Passage
	own := ownTitle(result, place.Title)
	for _, b := range read {
		if b.Header {
			own = strings.TrimSpace(b.Title())
			continue
		}
		blocks = append(blocks, roamtext.Passage{UID: b.UID, Text: b.Text()})
	}
	return g.suggestIn(ctx, blocks, most, own)
}

// ownTitle returns the title of the page that was read, or that the block is on:
// a link from a page to itself is of no use.
func ownTitle(result json.RawMessage, title string) string {
	path := rawjson.Elements(rawjson.Parse(result).Get("path"))
	var page string
	if len(path) > 0 && json.Unmarshal(path[0], &page) == nil {
		return page
	}
	return title
}

// suggestion is a link that is missing. Start and End count characters of the
// block's own text, from 0; they and the uid are left out for a text that came
// with the call.
type suggestion struct {
	UID     string `json:"uid,omitempty"`
	Title   string `json:"title"`
	PageUID string `json:"pageUid"`
	Text    string `json:"text"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Count   int    `json:"count,omitempty"`
	Link    string `json:"link"`
	Why     string `json:"why"`
}

// suggestIn compares blocks with all titles of the graph, but for skip: total
// and suggestions.
func (g Finds) suggestIn(ctx context.Context, blocks []roamtext.Passage, most *int, skip ...string) (rawjson.Object, error) {
	result, err := g.ask(ctx, plainQuery, `[:find ?title ?uid :where [?page :node/title ?title] [?page :block/uid ?uid]]`)
	if err != nil {
		return nil, err
	}
	var rows [][2]string
	if err := json.Unmarshal(rawjson.Encode(result), &rows); err != nil {
		return nil, localapi.UnsupportedReply(plainQuery, listOfRows, err)
	}
	pages := make([]roamtext.NamedPage, len(rows))
	for i, row := range rows {
		pages[i] = roamtext.NamedPage{Title: row[0], UID: row[1]}
	}
	found, err := roamtext.FindMentions(ctx, pages, blocks, skip...)
	if err != nil {
		return nil, err
	}
	limit := defaultSuggestions
	if most != nil {
		limit = *most
	}
	list := []suggestion{}
	for _, m := range roamtext.BestMentions(found, limit) {
		list = append(list, newSuggestion(m, blocks[m.Block]))
	}
	return rawjson.With("total", len(found)).With("suggestions", list), nil
}

func newSuggestion(m roamtext.Mention, b roamtext.Passage) suggestion {
	start := utf8.RuneCountInString(b.Text[:m.Start])
	s := suggestion{
		UID: b.UID, Title: m.Page.Title, PageUID: m.Page.UID, Text: m.Text,
		Start: start, End: start + utf8.RuneCountInString(m.Text),
		Link: "[[" + m.Page.Title + "]]", Why: "names the page, spelt alike",
	}
	if m.Count > 1 {
		s.Count = m.Count
	}
	if m.Text != m.Page.Title { // the words stay as the user wrote them
		s.Link, s.Why = "["+m.Text+"]([["+m.Page.Title+"]])", "names the page, in other letters or signs"
	}
	return s
}
