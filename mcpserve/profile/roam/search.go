package roam

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
)

const (
	// fromAbove says how results were found that do not have all words.
	fromAbove = "No title and no block has all the words: these blocks have some, and the rest stands above them (see path)."
	// plainTitle says why a page has no mentions.
	plainTitle = "This title is a number, a common word or very short: without a link it can't be told whether it is meant."
	// noChildren says that there is nothing to show below these results.
	noChildren = "maxDepth is not used with page, titlePrefix and unlinked."
)

// search asks Roam's own search, or a Datalog query for what that has no question
// for.
func search(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	query, page, prefix, unlinked := c.Args().Text("query"), unlessBlank(c, "page"), unlessBlank(c, "titlePrefix"), unlessBlank(c, "unlinked")
	scope := c.Args().Text("scope")
	switch {
	case prefix != "" && (page != "" || unlinked != "" || scope == "blocks"):
		return nil, surface.Invalid(c.ToolName(), "titlePrefix finds pages, so it does not go with page, unlinked or scope blocks.")
	case (page != "" || unlinked != "") && scope == "pages":
		return nil, surface.Invalid(c.ToolName(), "page and unlinked find blocks, so they do not go with scope pages.")
	case prefix != "":
		pages, err := c.Graph().PagesByPrefix(ctx, prefix, query)
		return listPages(c, pages), err
	case unlinked != "", page != "" && strings.TrimSpace(query) != "":
		found, err := c.Graph().FindBlocks(ctx, ops.Finding{Query: query, Page: page, Unlinked: unlinked})
		if err == nil && len(found) == 0 {
			if missing := missingPage(ctx, c, cmp.Or(page, unlinked)); missing != nil {
				return missing.JSON(), nil
			}
		}
		note := ""
		if unlinked != "" && !ops.CanBeMentioned(ctx, unlinked) {
			note = plainTitle
		}
		return listBlocks(c, found, note), err
	case page != "":
		return nil, surface.Invalid(c.ToolName(), "page needs a query, or unlinked.")
	case !c.Args().Has("query"):
		return nil, surface.Invalid(c.ToolName(), "query is missing: it takes a text; empty: what the user opened and edited last.")
	}
	return searchAll(ctx, c, query, cmp.Or(scope, "all"))
}

// searchAll asks Roam's own search. Where no title and no block has all the words, it
// finds the blocks that have them together with what is above them.
func searchAll(ctx context.Context, c surface.Call, query, scope string) (json.RawMessage, error) {
	offset, limit, includePath := c.Args().Number("offset", 0), c.Args().Number("limit", 20), c.Args().Flag("includePath", true)
	found, err := c.Graph().Search(ctx, query, scope, ops.Listing{Offset: &offset, Limit: &limit, IncludePath: &includePath, MaxDepth: maxDepth(c)})
	if total, counts := numberOf(found, "total"); err == nil && counts && total == 0 && scope != "pages" && len(strings.Fields(query)) > 1 {
		if blocks, err := c.Graph().FindBlocks(ctx, ops.Finding{Query: query}); err == nil && len(blocks) > 0 {
			return listBlocks(c, blocks, fromAbove), nil
		}
	}
	return counted(c)(found, err)
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
		note := say("The daily note of %s is not written yet.", ops.DayTitle(day)).Then("%s creates it.", task.AppendToDay)
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
