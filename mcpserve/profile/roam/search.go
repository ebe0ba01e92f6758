package roam

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"roam-mcp/internal/graph/search"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

const (
	// plainTitle says why a page has no mentions.
	plainTitle = "This title is a number, a common word or very short: without a link it can't be told whether it is meant."
	// noChildren says that there is nothing to show below these results.
	noChildren = "maxDepth is not used with unlinked."
	// roamsOwn says how results were found where Roam can't be asked for more.
	roamsOwn = "Found with Roam's own search, which takes all words to stand in one title or block: Roam is slow at more, or can't."
)

// searchBlocks finds what a question asks for.
func searchBlocks(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	if !c.Args().Has("query") {
		return nil, surface.Invalid(c.ToolName(), "query is missing: it takes a text; empty: what the user opened and edited last.")
	}
	q, err := search.ParseQuestion(c.Args().Text("query"))
	if err != nil {
		return nil, surface.Invalid(c.ToolName(), "query has more than 1,000 characters.")
	}
	page, scope := unlessBlank(c, "page"), cmp.Or(c.Args().Text("scope"), "all")
	switch {
	case (page != "" || q.Unlinked != "") && scope == "pages":
		return nil, surface.Invalid(c.ToolName(), "page and unlinked: find blocks, so they do not go with scope pages.")
	case q.Unlinked != "":
		return searchUnlinked(ctx, c, q, page)
	case q.HasTerms():
		return searchRanked(ctx, c, q, page, scope)
	case page != "":
		return nil, surface.Invalid(c.ToolName(), "page needs words in query.")
	case q.HasTitleFilters():
		pages, err := c.Graph().PagesTitled(ctx, q)
		return listPages(c, pages), err
	}
	return searchRoam(ctx, c, q, scope, "")
}

// searchUnlinked finds the blocks that name a page without a link.
func searchUnlinked(ctx context.Context, c surface.Call, q *search.Question, page string) (json.RawMessage, error) {
	found, err := c.Graph().FindBlocks(ctx, ops.Finding{Query: ops.Words(q), Page: page, Unlinked: q.Unlinked})
	if err == nil && len(found) == 0 {
		if missing := missingPage(ctx, c, cmp.Or(page, q.Unlinked)); missing != nil {
			return missing.JSON(), nil
		}
	}
	found = slices.DeleteFunc(found, func(b ops.FoundBlock) bool { return q.Excluded(b.Text) })
	note := ""
	if !ops.CanBeMentioned(ctx, q.Unlinked) {
		note = plainTitle
	}
	return listBlocks(c, found, note), err
}

// searchRanked finds what has the words of a query, best first.
func searchRanked(ctx context.Context, c surface.Call, q *search.Question, page, scope string) (json.RawMessage, error) {
	asked := ops.Question{
		Query: q, Page: page, Pages: scope != "blocks", Blocks: scope != "pages",
		Offset: c.Args().Number("offset", 0), Limit: c.Args().Number("limit", 20),
	}
	found, ok, err := c.Graph().TryRank(ctx, asked)
	switch {
	case err != nil:
		return nil, err
	case !ok && page != "":
		blocks, err := c.Graph().FindBlocks(ctx, ops.Finding{Query: ops.Words(q), Page: page})
		return listBlocks(c, blocks, roamsOwn), err
	case !ok:
		return searchRoam(ctx, c, q, scope, roamsOwn)
	case page != "" && len(found.Results) == 0 && asked.Offset == 0:
		if missing := missingPage(ctx, c, page); missing != nil {
			return missing.JSON(), nil
		}
	}
	return rankedReply(ctx, c, asked, found)
}

// rankedReply is the reply to a question.
func rankedReply(ctx context.Context, c surface.Call, asked ops.Question, found ops.Ranked) (json.RawMessage, error) {
	words := rawjson.Object{}
	for _, count := range found.Words {
		words = words.With(count.Word, count.Texts)
	}
	reply := rawjson.With("total", found.Total)
	if found.Partial > 0 {
		reply = reply.With("partial", found.Partial)
	}
	if reply = reply.With("words", words); len(asked.Query.Ignored) > 0 {
		reply = reply.With("ignored", asked.Query.Ignored)
	}
	results, bytes := []rawjson.Object{}, 0
	shown, most := found.Results, math.MaxInt
	if !c.Args().Has("limit") && !c.Args().Has("maxDepth") {
		shown, most = fewPartial(shown), usualReply-len(reply.JSON())
	}
	for _, r := range shown {
		result, err := rankedResult(ctx, c, asked.Query, found, r)
		if err != nil {
			return nil, err
		}
		if bytes += len(result.JSON()) + 1; bytes > most && len(results) > 0 {
			break
		}
		results = append(results, result)
	}
	if reply = reply.With("results", results); found.More || len(results) < len(found.Results) {
		reply = reply.With("nextOffset", asked.Offset+len(results))
	}
	return reply.JSON(), nil
}

const (
	// foundText is how many bytes of a block a search shows, and partialText where it lacks
	// some of what is wanted.
	foundText, partialText = 500, 240
	// mostPartial is how many such results are shown where no limit is given, and usualReply
	// how many bytes a reply then has.
	mostPartial, usualReply = 8, 4000
)

// fewPartial returns the results that lack nothing, which come first, and at most mostPartial
// of those that lack something.
func fewPartial(results []search.QuestionResult) []search.QuestionResult {
	firstPartial := slices.IndexFunc(results, func(r search.QuestionResult) bool { return len(r.Lacks) > 0 })
	if firstPartial < 0 {
		return results
	}
	return results[:min(len(results), firstPartial+mostPartial)]
}

// rankedResult is one result of a search.
func rankedResult(ctx context.Context, c surface.Call, q *search.Question, found ops.Ranked, r search.QuestionResult) (rawjson.Object, error) {
	result := rawjson.With("uid", r.UID)
	depth := maxDepth(c)
	switch {
	case depth != nil && *depth > 0:
		read, err := readResult(ctx, c, r, depth)
		if err != nil {
			return nil, err
		}
		result = result.With("markdown", read.Get("markdown"))
	case r.IsPage:
		result = result.With("title", r.Text.Text)
	default:
		most := foundText
		if len(r.Lacks) > 0 {
			most = partialText
		}
		from, to := q.Cut(r.Text.Text, most)
		text, marks := strings.TrimRight(r.Text.Text[from:to], "\n"), ""
		if cut := len(r.Text.Text) - (to - from); cut > 0 {
			marks = fmt.Sprintf(` truncated="%d"`, cut)
			if from > 0 {
				text = "…" + text
			}
		}
		if r.Heading > 0 {
			marks = fmt.Sprintf(` heading="%d"`, r.Heading) + marks
		}
		if n := found.Children[r.UID]; n > 0 {
			marks += fmt.Sprintf(` hiddenChildren="%d"`, n)
		}
		result = result.With("markdown", bullet(text, r.UID, marks))
	}
	if r.IsPage && found.Empty[r.UID] {
		result = result.With("empty", true)
	}
	if !r.IsPage && c.Args().Flag("includePath", true) {
		result = result.With("path", shortPath(r.Above))
	}
	if len(r.Lacks) > 0 {
		result = result.With("has", r.Has).With("lacks", r.Lacks)
	}
	return result, nil
}

// bullet returns a block as a read shows it; attributes stand in its tag behind the uid, each with a
// blank before it.
func bullet(text, uid, attributes string) string {
	return fmt.Sprintf(`- %s <roam uid="%s"%s/>`, strings.ReplaceAll(text, "\n", "\n  "), uid, attributes)
}

// readResult reads a result with what is below it.
func readResult(ctx context.Context, c surface.Call, r search.QuestionResult, depth *int) (rawjson.Object, error) {
	if r.IsPage {
		return c.Graph().ReadPage(ctx, ops.PageRef{UID: r.UID}, depth)
	}
	return c.Graph().ReadBlock(ctx, r.UID, depth)
}

// searchRoam asks Roam's own search.
func searchRoam(ctx context.Context, c surface.Call, q *search.Question, scope, note string) (json.RawMessage, error) {
	offset, limit, includePath := c.Args().Number("offset", 0), c.Args().Number("limit", 20), c.Args().Flag("includePath", true)
	found, err := c.Graph().Search(ctx, ops.Words(q), scope, ops.Listing{Offset: &offset, Limit: &limit, IncludePath: &includePath, MaxDepth: maxDepth(c)})
	if err == nil && note != "" {
		found = found.With("note", note)
	}
	return counted(c)(withoutExcluded(found, q), err)
}

// withoutExcluded removes what a query excludes from the results of Roam's own search, which
// knows no exclusion, and from its lists of what was opened and edited last.
func withoutExcluded(list rawjson.Object, q *search.Question) rawjson.Object {
	list = withoutEach(list, "results", "markdown", q)
	recent := rawjson.Parse(list.Get("suggestions"))
	if recent == nil {
		return list
	}
	for _, key := range []string{"recentlyOpenedByUser", "recentlyEditedPages"} {
		recent = withoutEach(recent, key, "title", q)
	}
	return list.With("suggestions", recent.JSON())
}

// withoutEach removes from the list under key the elements whose field has a text that a query
// excludes.
func withoutEach(object rawjson.Object, key, field string, q *search.Question) rawjson.Object {
	all := rawjson.Elements(object.Get(key))
	kept := slices.DeleteFunc(slices.Clone(all), func(each json.RawMessage) bool {
		text, _ := rawjson.Parse(each).Text(field)
		return q.Excluded(text)
	})
	if len(kept) == len(all) {
		return object
	}
	return object.With(key, rawjson.Array(kept))
}

// counted returns a list of Roam's whose total does not contradict what is shown:
// Roam counts hidden results, and leaves them out. Pages without blocks are marked.
func counted(c surface.Call) func(rawjson.Object, error) (json.RawMessage, error) {
	return func(list rawjson.Object, err error) (json.RawMessage, error) {
		total, counts := numberOf(list, "total")
		if err != nil || !counts {
			return listed(list, err)
		}
		results := rawjson.Elements(list.Get("results"))
		offset, limit := c.Args().Number("offset", 0), c.Args().Number("limit", 20)
		here := max(0, min(limit, total-offset)) // as Roam counts
		list = withPaths(list.With("total", total-max(0, here-len(results))).With("results", rawjson.Array(markEmpty(results))))
		if offset+limit < total {
			list = list.With("nextOffset", offset+limit)
		}
		return list.JSON(), nil
	}
}

// numberOf returns an integer among the fields of a reply, and whether it is there.
func numberOf(object rawjson.Object, key string) (int, bool) {
	var n *int
	if json.Unmarshal(object.Get(key), &n) != nil || n == nil {
		return 0, false
	}
	return *n, true
}

// markEmpty marks the pages that have no blocks: all that Roam shows of one is the
// line with its title, which says if there are blocks that are not shown.
func markEmpty(results []json.RawMessage) []json.RawMessage {
	marked := slices.Clone(results)
	for i, each := range results {
		result := rawjson.Parse(each)
		kind, _ := result.Text("type")
		markdown, _ := result.Text("markdown")
		tag := strings.LastIndex(markdown, "<roam ")
		if kind == "page" && tag >= 0 && strings.HasPrefix(markdown, "# ") && !strings.Contains(strings.TrimSpace(markdown), "\n") && !strings.Contains(markdown[tag:], "hiddenChildren=") {
			marked[i] = result.With("empty", true).JSON()
		}
	}
	return marked
}

// window returns the part of a list that a call asks for, and the offset of what is
// behind it; 0 where nothing is.
func window[T any](c surface.Call, list []T) (part []T, next int) {
	offset := min(c.Args().Number("offset", 0), len(list))
	end := min(offset+c.Args().Number("limit", 20), len(list))
	if end < len(list) {
		next = end
	}
	return list[offset:end:end], next
}

func listPages(c surface.Call, pages []ops.PageFound) json.RawMessage {
	part, next := window(c, pages)
	return listOf(c, len(pages), part, next, "")
}

func listBlocks(c surface.Call, blocks []ops.FoundBlock, note string) json.RawMessage {
	part, next := window(c, blocks)
	if !c.Args().Flag("includePath", true) {
		for i := range part {
			part[i].Path = nil
		}
	}
	return listOf(c, len(blocks), part, next, note)
}

func listOf(c surface.Call, total int, results any, next int, note string) json.RawMessage {
	reply := rawjson.With("total", total).With("results", results)
	if next > 0 {
		reply = reply.With("nextOffset", next)
	}
	if maxDepth(c) != nil && *maxDepth(c) > 0 && note == "" {
		note = noChildren
	}
	if note != "" {
		reply = reply.With("note", note)
	}
	return reply.JSON()
}

// notThere says that there is no such page, and what is near.
func notThere(ctx context.Context, c surface.Call, ref ops.PageRef) rawjson.Object {
	reply := rawjson.With("found", false)
	if day, err := ops.ParseDay(cmp.Or(ref.UID, ref.Title), c.Now()); err == nil && (ref.UID == day || ref.UID == "") {
		note := say("The daily note of %s is not written yet.", ops.DayTitle(day)).Then("%s with dailyNotePage creates it.", problem.CreateBlocks)
		return reply.With("note", c.World().Say(note))
	}
	if ref.UID != "" {
		return reply
	}
	// Where Roam can't say what is near, the page is not there all the same.
	if near, err := c.Graph().NearTitles(ctx, ref.Title); err == nil && len(near) > 0 {
		reply = reply.With("near", near)
	}
	return reply
}

// missingPage returns the word that a page is not there, nil where it is, or where
// Roam can't say.
func missingPage(ctx context.Context, c surface.Call, title string) rawjson.Object {
	uids, err := c.Graph().UIDsOf(ctx, []string{title})
	if err != nil || uids[title] != "" {
		return nil
	}
	return notThere(ctx, c, ops.PageRef{Title: title}).Append(rawjson.With("total", 0).With("results", []string{}))
}

// notLinked is the list of what links to a page or block that nothing links to: it
// says if that page is not there.
func notLinked(ctx context.Context, c surface.Call, of ops.PageRef) (json.RawMessage, error) {
	if of.UID == "" {
		if missing := missingPage(ctx, c, of.Title); missing != nil {
			return missing.JSON(), nil
		}
	}
	return listed(nil, nil)
}
