package ops

import (
	"context"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/rawjson"
)

// A thread of comments refers to its block, so Roam counts it among the references
// (LOCAL_API.md 2.3). What reads show tells them apart.

// Threads returns how many of the references to each block that the markdown shows
// are threads of comments, by uid; blocks without any are left out. It is nil where
// no block has references, and where Roam does not answer.
func (g Reads) Threads(ctx context.Context, markdown string) map[string]int {
	var uids []string
	for b := range outline.EachRendered(markdown) {
		if b.References > 0 && b.UID != "" && !b.Header {
			uids = append(uids, b.UID)
		}
	}
	if len(uids) == 0 {
		return nil
	}
	var rows [][3]string
	if g.glance(ctx, &rows, `[:find ?u ?r ?v :in $ [?u ...] :where [?b :block/uid ?u] [?t :block/refs ?b] [?t :block/view-type ?v] [?t :block/uid ?r]]`, uids) != nil {
		return nil
	}
	var threads map[string]int
	for _, row := range rows {
		if stored(row[2]) != "comment" {
			continue
		}
		if threads == nil {
			threads = map[string]int{}
		}
		threads[row[0]]++
	}
	return threads
}

// markThreads gives results that are threads of comments the type comment. Only a
// result whose text is a single reference can be one.
func (g Reads) markThreads(ctx context.Context, found rawjson.Object) rawjson.Object {
	results := rawjson.Elements(found.Get("results"))
	at := map[string]int{}
	var uids []string
	for i, each := range results {
		result := rawjson.Parse(each)
		uid, _ := result.Text("uid")
		markdown, _ := result.Text("markdown")
		if !strings.Contains(markdown, "((") {
			continue
		}
		for b := range outline.EachRendered(markdown) {
			if strings.Contains(b.Source, "((") && outline.IsReference(b.Text()) {
				at[uid], uids = i, append(uids, uid)
			}
			break
		}
	}
	if len(uids) == 0 {
		return found
	}
	var rows [][2]string
	if g.glance(ctx, &rows, `[:find ?u ?v :in $ [?u ...] :where [?b :block/uid ?u] [?b :block/view-type ?v]]`, uids) != nil {
		return found
	}
	for _, row := range rows {
		if i, known := at[row[0]]; known && stored(row[1]) == "comment" {
			results[i] = rawjson.Parse(results[i]).With("type", "comment").JSON()
		}
	}
	return found.With("results", rawjson.Array(results))
}
