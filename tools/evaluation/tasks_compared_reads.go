package evaluation

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
)

// comparedReads are the questions among the tasks that the official server was given.
func comparedReads() []Task {
	return []Task{
		{
			Name: "most-linked", Compared: true, Graph: Help,
			Prompt: "Which page is linked from the most blocks? Give me the top three, each with the number of blocks that link to it.",
			Check:  mostLinked,
		},
		{
			Name: "titles-with-prefix", Compared: true, Graph: Help,
			Prompt: `List all pages whose title starts with "roam/".`,
			Check: func(e *End) error {
				var patterns []string
				for _, title := range e.Start.Entities(graphdb.NodeTitle) {
					if strings.HasPrefix(title.Text(), "roam/") {
						patterns = append(patterns, regexp.QuoteMeta(title.Text()))
					}
				}
				return says(patterns...)(e)
			},
		},
		{
			Name: "open-todos", Compared: true, Graph: Demo,
			Prompt: "Which to-dos are still open on the page Oven Fund?",
			Check:  all(says("electrician", "door", "thank-you loaf"), saysNot("three offers", "letter to all")),
		},
		{
			Name: "best-passage", Compared: true, Graph: Help,
			Prompt: "Find the passage that best explains what embedding a block does. Quote it, with the uid of its block.",
			Check:  says("_tIKgMID9|vL4ym1z-7|mLM8RI4IT|WvuBJsJ9U"),
		},
		{
			Name: "created-in-year", Compared: true, Graph: Help,
			Prompt: "Which blocks of the page FAQ were created in 2022? Give me their number and their uids.",
			Check:  createdIn("FAQ", 2022),
		},
		{
			Name: "long-page", Compared: true, Graph: Demo, Pages: shipsLog,
			Prompt: `Read all of the page "Ship's log". Somewhere it says, in its own words, that somebody fell into the water: who was it? And what is the last entry at the top level?`,
			Check:  all(says("Pim", lastEntry), saysNot("Jonas")),
		},
		{
			Name: "unlinked-mentions", Compared: true, Graph: Help,
			Prompt: "Find five blocks on other pages that mention Daily Notes in their text without linking to that page. Give me their uids.",
			Check:  unlinkedMentions("Daily Notes", 5),
		},
	}
}

func linkCount(e *End, title string) string {
	n := 0
	for source := range e.Start.ReverseSeq(graphdb.BlockRefs, outline.PageByTitle(e.Start, title)) {
		if outline.IsBlock(e.Start, source) {
			n++
		}
	}
	return strconv.Itoa(n)
}

func mostLinked(e *End) error {
	type linked struct {
		title string
		count int
	}
	var pages []linked
	for _, title := range e.Start.Entities(graphdb.NodeTitle) {
		count, err := strconv.Atoi(linkCount(e, title.Text()))
		if err != nil {
			return err
		}
		pages = append(pages, linked{title.Text(), count})
	}
	slices.SortFunc(pages, func(a, b linked) int { return b.count - a.count })
	var patterns []string
	for _, page := range pages[:3] {
		patterns = append(patterns, regexp.QuoteMeta(page.title), `\b`+strconv.Itoa(page.count)+`\b`)
	}
	return all(inOrder(patterns...), saysNot(regexp.QuoteMeta(pages[3].title)))(e)
}

// createdIn requires the number and the uids of the blocks of a page that were created in
// a year, and no other's.
func createdIn(title string, year int) Check {
	return func(e *End) error {
		page := outline.PageByTitle(e.Start, title)
		var wanted, others []string
		for _, block := range outline.Subtree(e.Start, page) {
			at, dated := e.Start.Int(block, graphdb.CreateTime)
			uid := regexp.QuoteMeta(e.Start.String(block, graphdb.BlockUID))
			switch {
			case block == page:
			case dated && time.UnixMilli(at).UTC().Year() == year:
				wanted = append(wanted, uid)
			default:
				others = append(others, uid)
			}
		}
		return all(says(append(wanted, `\b`+strconv.Itoa(len(wanted))+`\b`)...), saysNot(others...))(e)
	}
}

// unlinkedMentions requires the uids of so many blocks of other pages that hold the title
// as plain text.
func unlinkedMentions(title string, most int) Check {
	plain := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(title) + `\b`)
	return func(e *End) error {
		page := outline.PageByTitle(e.Start, title)
		found := 0
		for block, text := range e.Start.Entities(graphdb.BlockString) {
			uid := e.Start.String(block, graphdb.BlockUID)
			if !strings.Contains(e.Answer, uid) {
				continue
			}
			switch linked := slices.Contains(e.Start.Refs(block, graphdb.BlockRefs), page); {
			case linked, slices.Contains(outline.Ancestors(e.Start, block), page), !plain.MatchString(outsideLinks(text.Text())):
				return fmt.Errorf("the block %s, %.100q, is no unlinked mention", uid, text.Text())
			}
			found++
		}
		if found < most {
			return fmt.Errorf("the answer names %d such blocks, not %d", found, most)
		}
		return nil
	}
}

// outsideLinks returns a text without its links, tags and addresses.
func outsideLinks(text string) string {
	var b strings.Builder
	at := 0
	for _, span := range roamtext.Spans(text) {
		if span.Start >= at && (span.Kind.Refers() || span.Kind == roamtext.Address || span.Kind == roamtext.Code) {
			b.WriteString(text[at:span.Start] + "\x00")
			at = span.End
		}
	}
	return b.String() + text[at:]
}
