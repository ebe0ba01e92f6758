package wiki

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/search"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// searchNotes answers search_notes.
func searchNotes(ctx context.Context, c surface.Call) (surface.Reply, error) {
	text := strings.TrimSpace(c.Args().Text("query"))
	at, err := pageOfHits(c, text)
	if err != nil {
		return surface.Reply{}, err
	}
	query, err := parseQuery(text)
	if err != nil {
		return surface.Reply{}, err
	}
	view, err := c.Mirror(ctx, mirror.Texts)
	if err != nil {
		return surface.Reply{}, err
	}
	index, err := indexOf(ctx, c, view)
	if err != nil {
		return surface.Reply{}, err
	}
	found, err := readHits(ctx, c, index, query, at)
	if err != nil {
		return surface.Reply{}, err
	}
	if query.Plain() {
		reply, ok, err := likely(ctx, c, text, at, found)
		if ok || err != nil {
			return reply, err
		}
	}
	if found.total == 0 {
		return noNotes(text), nil
	}
	reply := found.reply(at)
	if found.stemmed {
		reply.Note = "No note has these words. The ones found have other forms of them."
	}
	return reply, nil
}

func noNotes(text string) surface.Reply {
	return surface.Reply{Text: "No notes found matching " + textsafe.Quote(text)}
}

// likely answers a query of words alone that no note has all of, and a question, which long
// notes have all of by chance: with the notes that have the most telling part of it, best
// first. The first line says what is missing. False: there are none, or it is no question.
func likely(ctx context.Context, c surface.Call, text string, at cursor, all hits) (reply surface.Reply, ok bool, err error) {
	q, err := search.ParseQuestion(text)
	if err != nil || !q.HasTerms() || all.total > 0 && len(q.Ignored) == 0 {
		return surface.Reply{}, false, nil
	}
	ranked, ok, err := c.Graph().TryRank(ctx, ops.Question{Query: q, Pages: true, Blocks: true, Limit: mostLikely})
	if err != nil || !ok || len(ranked.Results) == 0 {
		return surface.Reply{}, false, err
	}
	var titles []string
	of := map[string]search.QuestionResult{}
	for _, r := range ranked.Results {
		title := r.Text.Text
		if !r.IsPage {
			title = r.Above[0]
		}
		if _, seen := of[title]; !seen {
			of[title], titles = r, append(titles, title)
		}
	}
	uids, err := c.Graph().UIDsOf(ctx, titles)
	if err != nil {
		return surface.Reply{}, false, err
	}
	notes, err := c.Graph().ReadNotes(ctx, slices.Collect(maps.Values(uids)))
	if err != nil {
		return surface.Reply{}, false, err
	}
	lines := []string{}
	for _, title := range titles {
		if n, ok := notes[uids[title]]; ok && isNote(n) && len(lines) < at.hits {
			lines = append(lines, likelyEntry(newFound(n), q, of[title]))
		}
	}
	if len(lines) == 0 {
		return surface.Reply{}, false, nil
	}
	render := func(kept int) string {
		return strings.Join(append([]string{firstLine(ranked, all)}, lines[:kept]...), "\n\n")
	}
	return surface.Reply{Text: render(len(lines)), Parts: len(lines), Shorter: render}, true, nil
}

// firstLine says what is missing in the notes that are likely.
func firstLine(ranked ops.Ranked, all hits) string {
	switch {
	case ranked.Total > 0:
		return "These answer it best:"
	case all.total > 0:
		return fmt.Sprintf("All of this is in %s, but in no one passage. These have the most telling part of it:", count(all.total, "note"))
	}
	return "No note has all of this." + absent(ranked.Words) + " These have the most telling part of it:"
}

const (
	// mostLikely is how many blocks and pages are looked at for notes that have a part of a query.
	mostLikely = 50
	// likelyText is how many bytes of a block are shown of such a note.
	likelyText = 200
)

// absent says which words are in no note.
func absent(words []search.QuestionWord) string {
	var missing []string
	for _, w := range words {
		if w.Texts == 0 {
			missing = append(missing, textsafe.Quote(w.Word))
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return " Nowhere: " + strings.Join(missing, ", ") + "."
}

// likelyEntry returns what is shown of a note that has a part of a query.
func likelyEntry(f found, q *search.Question, r search.QuestionResult) string {
	lines := []string{fmt.Sprintf("- **%s** (%s)", textsafe.Title(f.title), textsafe.Title(f.path))}
	if !r.IsPage {
		from, to := q.Cut(r.Text.Text, likelyText)
		lines = append(lines, "  "+textsafe.Title(r.Text.Text[from:to]))
	}
	if len(r.Lacks) > 0 {
		lines = append(lines, "  Lacks: "+textsafe.Title(strings.Join(r.Lacks, ", ")))
	}
	return strings.Join(lines, "\n")
}

// parseQuery reads a query.
func parseQuery(text string) (*search.WordQuery, error) {
	if text == "" {
		return nil, badQuery("it is empty")
	}
	query, err := search.ParseWordQuery(text)
	switch {
	case errors.Is(err, search.ErrLong):
		return nil, badQuery("it has more than 1,000 characters")
	case errors.Is(err, search.ErrTerms):
		return nil, badQuery("it has more than 64 terms")
	case err != nil:
		return nil, badQuery("it has more than 16 levels of parentheses and exclusions")
	}
	return query, nil
}

func badQuery(why string) error {
	return &problem.Error{
		Code: surface.CodeInvalidParams, Message: "query is not valid: " + why + ".", Retry: problem.RetryNever,
		Hint: say("A query reads like \"model context protocol\" tag:mcp -tag:archived."),
	}
}

// hits is a page of what a search has found.
type hits struct {
	offset  int // of the first entry, from 0
	entries []string
	next    int // where the next page begins
	total   int
	stemmed bool
}

// readHits searches, and reads the notes that are shown as they are in Roam now. Those
// that are gone meanwhile are left out.
func readHits(ctx context.Context, c surface.Call, index *search.WordIndex, query *search.WordQuery, at cursor) (hits, error) {
	h := hits{offset: at.offset, next: at.offset}
	for {
		result, err := index.Search(ctx, query, h.next, at.hits)
		if err != nil {
			return hits{}, err
		}
		h.total, h.stemmed = result.Total, result.Stemmed
		if len(result.Hits) == 0 {
			return h, nil
		}
		uids := make([]string, len(result.Hits))
		for i, hit := range result.Hits {
			uids[i] = hit.Key
		}
		notes, err := c.Graph().ReadNotes(ctx, uids)
		if err != nil {
			return hits{}, err
		}
		for _, uid := range uids {
			if n, ok := notes[uid]; ok && isNote(n) {
				h.entries = append(h.entries, entryOf(newFound(n), result))
			}
		}
		h.next += len(uids)
		if len(h.entries) > 0 {
			return h, nil
		}
		h.offset = h.next
	}
}

// entryOf returns what is shown of a note that was found.
func entryOf(f found, result search.WordResult) string {
	lines := []string{fmt.Sprintf("- **%s** (%s)", textsafe.Title(f.title), textsafe.Title(f.path))}
	if tags := fewTags(f.tags); tags != "" {
		lines = append(lines, "  Tags: "+tags)
	}
	if snippet := textsafe.Title(result.Snippet(blocksOf(f.node))); snippet != "" {
		lines = append(lines, "  "+snippet)
	}
	return strings.Join(lines, "\n")
}

// maxHitTags is how many tags are shown of a note that was found.
const maxHitTags = 5

// fewTags returns the first tags of a note, and how many there are besides.
func fewTags(tags note.Tags) string {
	all := tags.All()
	if len(all) <= maxHitTags {
		return tagList(tags)
	}
	return fmt.Sprintf("%s and %d more", textsafe.Title(strings.Join(all[:maxHitTags], ", ")), len(all)-maxHitTags)
}

// reply returns the answer. Entries that do not fit into it are left to the next page.
func (h *hits) reply(next cursor) surface.Reply {
	if len(h.entries) == 0 {
		return surface.Reply{Text: "No more results."}
	}
	render := func(kept int) string {
		lines := []string{fmt.Sprintf("Found %s (showing %d-%d):", count(h.total, "note"), h.offset+1, h.offset+kept)}
		lines = append(lines, h.entries[:kept]...)
		if next.offset = h.next; kept < len(h.entries) {
			next.offset = h.offset + kept
		}
		if next.offset < h.total {
			lines = append(lines, "Next page cursor: "+next.String())
		} else {
			lines = append(lines, "No more results.")
		}
		return strings.Join(lines, "\n\n")
	}
	most := len(h.entries)
	return surface.Reply{Text: render(most), Parts: most, Shorter: render}
}

// blocksOf returns the texts of the visible blocks of a note that are its content.
func blocksOf(n note.Node) []string {
	var texts []string
	var below func(nodes []note.Node)
	below = func(nodes []note.Node) {
		for i := range nodes {
			texts = append(texts, nodes[i].Text)
			below(nodes[i].Children)
		}
	}
	below(note.Shown(n, propTags, propTitle))
	return texts
}
