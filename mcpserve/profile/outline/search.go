package outline

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/graph/search"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// hits is what a search has found.
type hits struct {
	Blocks []blockHit `json:"blocks"`
	Pages  []pageHit  `json:"pages"`
	Files  []fileHit  `json:"files"`
}

type (
	blockHit struct {
		UID     string   `json:"block_uuid"`
		Page    string   `json:"page_name"`
		Content string   `json:"content"` // as it is stored
		Path    []string `json:"path"`    // title of the page and texts of the blocks above it
	}
	pageHit struct {
		Name string `json:"page_name"`
		UID  string `json:"page_uuid"`
	}
	fileHit struct {
		Name  string `json:"name"`
		URL   string `json:"url"`
		Block string `json:"block_uuid"`
	}
)

// searchBlocks answers search.
func searchBlocks(ctx context.Context, c surface.Call) (surface.Reply, error) {
	args := c.Args()
	query, limit := args.Text("query"), args.Number("limit", 20)
	scope := ""
	switch blocks, pages := args.Flag("include_blocks", true), args.Flag("include_pages", true); {
	case blocks && pages:
		scope = "all"
	case blocks:
		scope = "blocks"
	case pages:
		scope = "pages"
	case !args.Flag("include_files", false):
		return surface.Reply{}, surface.Invalid(c.ToolName(), "there is nothing to look for: one of include_blocks, include_pages and include_files has to be true.")
	}
	found := hits{Blocks: []blockHit{}, Pages: []pageHit{}, Files: []fileHit{}}
	total, nearest := 0, ""
	if scope != "" {
		var err error
		if total, err = found.search(ctx, c, query, scope, limit); err != nil {
			return surface.Reply{}, err
		}
		if total == 0 {
			if total, err = found.likely(ctx, c, query, scope, min(limit, mostLikely)); err != nil {
				return surface.Reply{}, err
			}
			if total > 0 {
				nearest = "Nothing has all of this as it is written. These come nearest, best first."
			}
		}
	}
	if args.Flag("include_files", false) {
		files, err := filesNamed(ctx, c, query)
		if err != nil {
			return surface.Reply{}, err
		}
		total += len(files)
		found.Files = files[:min(len(files), limit)]
	}
	shown := len(found.Blocks) + len(found.Pages) + len(found.Files)
	reply := rawjson.With("query", query).Append(rawjson.Parse(rawjson.Encode(found))).With("total", total).With("truncated", shown < total)
	return surface.Reply{JSON: reply.JSON(), Note: nearest}, nil
}

// mostLikely is how many blocks and pages are shown that have a part of a query.
const mostLikely = 10

// likely finds what has the most telling part of a query. It returns how many are shown.
func (h *hits) likely(ctx context.Context, c surface.Call, query, scope string, limit int) (total int, err error) {
	q, err := search.ParseQuestion(query)
	if errors.Is(err, search.ErrLong) || !q.HasTerms() {
		return 0, nil
	}
	found, ok, err := c.Graph().TryRank(ctx, ops.Question{Query: q, Pages: scope != "blocks", Blocks: scope != "pages", Limit: limit})
	if err != nil || !ok {
		return 0, err
	}
	for _, r := range found.Results {
		switch {
		case !r.IsPage:
			h.Blocks = append(h.Blocks, blockHit{r.UID, r.Above[0], r.Text.Text, r.Above})
		case note.KindOfTitle(r.Text.Text) != note.System: // those name what Roam does
			h.Pages = append(h.Pages, pageHit{r.Text.Text, r.UID})
		}
	}
	return len(h.Blocks) + len(h.Pages), nil
}

// search asks Roam's own search, and reads what it names. It returns how many there are.
func (h *hits) search(ctx context.Context, c surface.Call, query, scope string, limit int) (total int, err error) {
	withPath := true
	reply, err := c.Graph().Search(ctx, query, scope, ops.Listing{Limit: &limit, IncludePath: &withPath})
	if err != nil {
		return 0, err
	}
	type result struct {
		UID  string          `json:"uid"`
		Path json.RawMessage `json:"path"`
	}
	var results []result
	var uids []string
	for _, each := range rawjson.Elements(reply.Get("results")) {
		var one result
		if json.Unmarshal(each, &one) == nil && one.UID != "" {
			results, uids = append(results, one), append(uids, one.UID)
		}
	}
	texts, err := c.Graph().ReadTexts(ctx, uids)
	if err != nil {
		return 0, err
	}
	for _, each := range results {
		n, ok := texts[each.UID]
		switch {
		case !ok || n.Hidden:
		case n.IsPage():
			h.Pages = append(h.Pages, pageHit{n.Title, n.UID})
		default:
			h.Blocks = append(h.Blocks, blockHit{n.UID, n.PageTitle, n.Text, pathOf(each.Path, n.PageTitle)})
		}
	}
	shown := len(h.Blocks) + len(h.Pages)
	if json.Unmarshal(reply.Get("total"), &total) != nil {
		return shown, nil
	}
	return max(shown, total-(min(limit, total)-shown)), nil // Roam counts hidden blocks, and leaves them out
}

// pathOf reads the path to a block. Builds of early 2026 send one text.
func pathOf(raw json.RawMessage, page string) []string {
	var texts []string
	if json.Unmarshal(raw, &texts) == nil && texts != nil {
		return texts
	}
	joined := ""
	_ = json.Unmarshal(raw, &joined)
	above, ok := strings.CutPrefix(joined, page+" > ")
	if !ok {
		return []string{page}
	}
	return append([]string{page}, strings.Split(above, " > ")...)
}

// filesQuery finds the blocks that may show a file of the graph: pictures, components for
// files, and addresses of the place where Roam keeps them.
const (
	filesQuery   = `[:find ?u ?s :in $ ?pattern :where [(re-pattern ?pattern) ?re] [?b :block/string ?s] [(re-find ?re ?s)] [?b :block/uid ?u]]`
	filesPattern = `!\[[^\]]*\]\(http|\{\{(?:\[\[)?(?:pdf|audio|video|image)|` + filesHost
	filesHost    = `firebasestorage\.googleapis\.com`
)

// filesNamed returns the files of the graph whose name has all words of a query, by name.
func filesNamed(ctx context.Context, c surface.Call, query string) ([]fileHit, error) {
	found, err := c.Graph().Datalog(ctx, ops.Datalog{Query: filesQuery, Inputs: []json.RawMessage{rawjson.Encode(filesPattern)}})
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(query))
	files, blocks := []fileHit{}, []string{}
	for _, row := range found.Rows {
		var pair [2]string
		if json.Unmarshal(row, &pair) != nil {
			continue
		}
		for _, file := range filesIn(pair[1]) {
			file.Block = pair[0]
			name := strings.ToLower(file.Name)
			if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(name, word) }) {
				files, blocks = append(files, file), append(blocks, file.Block)
			}
		}
	}
	texts, err := c.Graph().ReadTexts(ctx, blocks)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f fileHit) bool { n, ok := texts[f.Block]; return !ok || n.Hidden })
	slices.SortFunc(files, fileHit.compare)
	return files, nil
}

// compare orders files by their names, case aside, then by their addresses and blocks.
func (f fileHit) compare(other fileHit) int {
	return strings.Compare(strings.ToLower(f.Name)+"\x00"+f.URL+"\x00"+f.Block, strings.ToLower(other.Name)+"\x00"+other.URL+"\x00"+other.Block)
}

// filesIn returns the files that a text shows: pictures, components with an address, and
// addresses of the place where Roam keeps files. A file is called as its label says, else
// as the end of its address.
func filesIn(text string) []fileHit {
	var files []fileHit
	add := func(label, address string) {
		if address, ok := ops.FileAddress(address); ok {
			files = append(files, fileHit{Name: nameOf(label, address), URL: address})
		}
	}
	end := 0
	for _, span := range roamtext.Spans(text) {
		if span.Start < end { // within the one before
			continue
		}
		switch span.Kind {
		case roamtext.Image:
			add(span.Content(text), span.Target(text))
		case roamtext.Alias:
			if strings.Contains(span.Target(text), "firebasestorage.googleapis.com") {
				add(span.Content(text), span.Target(text))
			}
		case roamtext.Component:
			for _, inner := range roamtext.Spans(span.Content(text)) {
				if inner.Kind == roamtext.Address {
					add("", span.Content(text)[inner.Start:inner.End])
				}
			}
		case roamtext.Address:
			if address := text[span.Start:span.End]; strings.Contains(address, "firebasestorage.googleapis.com") {
				add("", address)
			}
		default:
			continue
		}
		end = span.End
	}
	return files
}

// nameOf returns the name of a file.
func nameOf(label, address string) string {
	if label = strings.TrimSpace(label); label != "" {
		return label
	}
	parsed, err := url.Parse(address)
	if err != nil {
		return address
	}
	return path.Base(parsed.Path)
}
