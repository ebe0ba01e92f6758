package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/rawjson"
)

// Recovered is the field of a reply that was lost and is made up from the graph.
const Recovered = "recovered"

// recoverable is a visible Write whose reply says more than that it was done.
type recoverable interface {
	visible
	// recovered returns the reply that was lost, as far as Roam would have sent it, with the
	// field Recovered; false where all that was to be done is not seen for certain.
	recovered(ctx context.Context, look verifier, since int64) (rawjson.Object, bool)
}

// recovered returns the reply of a write that happened and whose reply was lost;
// false where it can't be told for certain.
func (g sender) recovered(ctx context.Context, w Write, since int64) (json.RawMessage, bool) {
	ctx, cancel := context.WithTimeout(ctx, g.operations.options.LookTimeout)
	defer cancel()
	if parts, ok := w.(partial); ok {
		return g.partlyDone(ctx, parts)
	}
	if own, ok := w.(recoverable); ok {
		reply, seen := own.recovered(ctx, verifier{graph: g.core}, since)
		if seen || !g.stepwise { // which can do without uids
			return reply.JSON(), seen
		}
	}
	return rawjson.With(Recovered, true).JSON(), true
}

// partlyDone returns the reply of a write that was lost and of which not all was done; false
// where nothing was, or nobody can tell.
func (g sender) partlyDone(ctx context.Context, w partial) (json.RawMessage, bool) {
	ctx, cancel := context.WithTimeout(ctx, g.operations.options.LookTimeout)
	defer cancel()
	return w.report(ctx, verifier{graph: g.core})
}

// recovered implements recoverable.
func (b NewBlocks) recovered(ctx context.Context, look verifier, since int64) (rawjson.Object, bool) {
	where, target := b.Location.target()
	rows, err := look.rows(ctx, `[:find ?u ?s ?above ?o :in $ ?target ?since :where `+where+
		` [?e :block/parents ?p] [?e :block/string ?s] [?e :create/time ?t] [(>= ?t ?since)] [?e :block/uid ?u]
		[?c :block/children ?e] [?c :block/uid ?above] [?e :block/order ?o]]`, target, since)
	if err != nil {
		return nil, false
	}
	tops, ok := topmost(rows, b.Markdown)
	return rawjson.With("uids", tops).With(Recovered, true), ok
}

// recovered implements recoverable.
func (p NewPage) recovered(ctx context.Context, look verifier, since int64) (rawjson.Object, bool) {
	for _, written := range []string{p.Title, strings.TrimSpace(p.Title)} {
		pages, err := look.rows(ctx, `[:find ?u ?t :in $ ?target :where [?p :node/title ?target] [?p :block/uid ?u] [?p :create/time ?t]]`, written)
		if err != nil || len(pages) > 1 {
			return nil, false
		}
		if len(pages) == 0 || len(pages[0]) != 2 || !isSince(pages[0], 1, since) {
			continue
		}
		if strings.TrimSpace(p.Markdown) != "" {
			blocks, err := look.createdSince(ctx, `[?p :node/title ?target]`, written, since)
			if err != nil || consistsOf(p.Markdown, textsOf(blocks)) == nil {
				return nil, false
			}
		}
		uid, ok := pages[0][0].(string)
		return rawjson.With("uid", uid).With(Recovered, true), ok
	}
	return nil, false
}

// recovered implements recoverable.
func (c NewComment) recovered(ctx context.Context, look verifier, since int64) (rawjson.Object, bool) {
	wanted := cmp.Or(c.Text, c.Markdown)
	result, err := look.read(ctx, commentsAction, map[string]any{"uid": c.BlockUID})
	if err != nil {
		return nil, false
	}
	for _, comment := range slices.Backward(rawjson.Elements(rawjson.Parse(result).Get("comments"))) {
		if !changedSince(comment, since) {
			continue
		}
		blocks := blocksIn(comment)
		var texts, uids []string
		for _, b := range blocks {
			texts = append(texts, b.Text())
		}
		ours := consistsOf(wanted, texts)
		for i, b := range blocks {
			if slices.Contains(ours, i) && b.UID != "" && b.Depth == blocks[ours[0]].Depth {
				uids = append(uids, b.UID)
			}
		}
		if len(uids) > 0 {
			return rawjson.With("uids", uids).With(Recovered, true), true
		}
	}
	return nil, false
}

// topmost returns the uids of the topmost blocks that Markdown made, in their order.
// A row is uid, text, uid of the parent, and order of a block created since. False
// where the rows are not what Markdown makes, or nobody can tell.
func topmost(rows [][]any, sent string) ([]string, bool) {
	type block struct {
		uid, above string
		order      float64
	}
	ours := consistsOf(sent, textsOf(rows))
	if areAll(rows, markdown.Importer(sent)) { // some may have no letters to be known by
		ours = ours[:0]
		for i := range rows {
			ours = append(ours, i)
		}
	}
	if ours == nil {
		return nil, false
	}
	made := map[string]block{}
	for _, i := range ours {
		if len(rows[i]) != 4 {
			return nil, false
		}
		uid, isUID := rows[i][0].(string)
		above, isAbove := rows[i][2].(string)
		order, isOrder := rows[i][3].(float64)
		if !isUID || !isAbove || !isOrder {
			return nil, false
		}
		made[uid] = block{uid, above, order}
	}
	var tops []block
	for _, each := range made {
		if _, nested := made[each.above]; !nested {
			tops = append(tops, each)
		}
	}
	slices.SortFunc(tops, func(a, b block) int { return cmp.Compare(a.order, b.order) })
	var uids []string
	for _, each := range tops {
		if each.above != tops[0].above {
			return nil, false
		}
		uids = append(uids, each.uid)
	}
	return uids, true
}

// areAll reports whether rows are of exactly the blocks that were wanted, in any order.
func areAll(rows [][]any, want []outline.Block) bool {
	left := map[string]int{}
	var count func(blocks []outline.Block)
	count = func(blocks []outline.Block) {
		for _, b := range blocks {
			left[b.String]++
			count(b.Children)
		}
	}
	count(want)
	for _, text := range textsOf(rows) {
		left[text]--
	}
	for _, n := range left {
		if n != 0 {
			return false
		}
	}
	return true
}

// textsOf returns the texts of rows that have one in the second place.
func textsOf(rows [][]any) []string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		if len(row) > 1 {
			texts[i], _ = row[1].(string)
		}
	}
	return texts
}

// consistsOf returns which of the texts of blocks Markdown makes: each of its lines is in
// one of them, and nothing else is in those. nil where a line is in none, or a text has
// more. Only letters and digits are compared, since Roam writes markup in another way.
func consistsOf(sent string, texts []string) []int {
	var lines []string
	for line := range strings.Lines(sent) {
		letters := lettersOf(line)
		switch {
		case letters != "":
			lines = append(lines, letters)
		case strings.Trim(line, " \t\r\n`") != "": // such as an emoji alone, which nothing shows
			return nil
		}
	}
	// A short line may be in the text of a longer one.
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	left, whole := make([]string, len(texts)), make([]string, len(texts))
	for i, text := range texts {
		whole[i] = lettersOf(text)
		left[i] = whole[i]
	}
	for _, line := range lines {
		at := slices.IndexFunc(left, func(text string) bool { return text == line })
		if at < 0 {
			at = slices.IndexFunc(left, func(text string) bool { return strings.Contains(text, line) })
		}
		if at < 0 {
			return nil
		}
		left[at] = strings.Replace(left[at], line, "", 1)
	}
	var ours []int
	for i := range texts {
		switch {
		case left[i] == "" && whole[i] != "":
			ours = append(ours, i)
		case left[i] != whole[i]:
			return nil
		case slices.Contains(lines, whole[i]): // one more of the same text: which is whose?
			return nil
		}
	}
	return ours
}

// OnItsWay is how long a write may be on its way whose server has ended. What Roam gets
// after it, such as a look, Roam answers after it.
const OnItsWay = 10 * time.Second

// Settle finds out what became of a write that a server had begun, and that has ended
// before it knew. since is when it was about to be sent, in milliseconds of this machine's
// clock. It looks as for a write whose reply was lost, and once where that was long ago:
// Applied is Yes or No only where that is known, and Evidence says how. Reply is what Roam
// would have said of a write that was done, as far as that can be told for certain.
func (g sender) Settle(ctx context.Context, w Write, since int64) Outcome {
	kind := unanswered
	if g.operations.options.Now().Sub(time.UnixMilli(since)) > OnItsWay {
		kind = crashed
	}
	applied, evidence := g.investigate(ctx, w, since, kind)
	if parts, ok := w.(partial); ok && applied == Unknown {
		if reply, ok := g.partlyDone(ctx, parts); ok {
			return Outcome{Applied: Yes, Evidence: evidence, Reply: reply}
		}
	}
	outcome := Outcome{Applied: applied, Evidence: evidence}
	if applied == Yes {
		outcome.Reply, _ = g.recovered(ctx, w, since)
	}
	return outcome
}
