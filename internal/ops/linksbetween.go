package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
)

// linkText is how many characters of a block show a link in it.
const linkText = 200

// PageLink is one page that links to another.
type PageLink struct{ From, To note.Page }

// LinkingBlock is a block that makes a link.
type LinkingBlock struct {
	UID, Text string
	at        int // where the link stands in the text, in bytes; -1: unknown
}

// LinksBetween returns of each link the first visible block that makes it, in the order of
// its page; none of a link that is gone.
func (g Finds) LinksBetween(ctx context.Context, links []PageLink) (map[PageLink]LinkingBlock, error) {
	if len(links) == 0 {
		return nil, nil
	}
	const query = `[:find ?f ?t ?r (pull ?b ` + foundPattern + `) :in $ [[?f ?t]] :where [?from :block/uid ?f] [?to :block/uid ?t] ` +
		`(or-join [?to ?b ?r] (and [?b :block/refs ?to] [?to :block/uid ?r]) (and [?on :block/page ?to] [?b :block/refs ?on] [?on :block/uid ?r])) ` +
		`[?b :block/page ?from]]`
	pairs, byUIDs := [][2]string{}, map[[2]string]PageLink{}
	for _, link := range links {
		pair := [2]string{link.From.UID, link.To.UID}
		if _, twice := byUIDs[pair]; !twice {
			byUIDs[pair], pairs = link, append(pairs, pair)
		}
	}
	answer, err := g.ask(ctx, plainQuery, query, pairs)
	if err != nil {
		return nil, err
	}
	var rows [][4]json.RawMessage
	if err := json.Unmarshal(answer, &rows); err != nil {
		return nil, invalidNote(err)
	}
	best, first := map[PageLink]LinkingBlock{}, map[PageLink]FoundBlock{}
	for _, row := range rows {
		var from, to, referred string
		var pulled foundBlock
		if err := cmp.Or(json.Unmarshal(row[0], &from), json.Unmarshal(row[1], &to), json.Unmarshal(row[2], &referred), decodePulled(row[3], &pulled)); err != nil {
			return nil, invalidNote(err)
		}
		link := byUIDs[[2]string{from, to}]
		if pulled.String == nil || pulled.UID == "" {
			continue
		}
		block, visible := pulled.visible()
		made := block.links(link, referred)
		if !visible || !made {
			continue
		}
		if before, known := first[link]; !known || cmp.Or(slices.Compare(block.orders, before.orders), cmp.Compare(block.UID, before.UID)) < 0 {
			first[link] = block
			best[link] = LinkingBlock{UID: block.UID, Text: block.Text, at: strings.Index(block.Text, mentionOf(link, referred))}
		}
	}
	return best, nil
}

// mentionOf returns how a link is written to a page, or to a block on it with a uid.
func mentionOf(link PageLink, referred string) string {
	if referred == link.To.UID {
		return link.To.Title
	}
	return referred
}

// links reports whether the block makes a link by referring to the page or to a block on it
// with a uid: by the rule of the link graph (mirror), attributes and tags of the whole page
// make none.
func (b *FoundBlock) links(link PageLink, referred string) bool {
	facts := note.Read(b.Text, len(b.Path) == 1)
	switch {
	case facts.Reserved:
		return false
	case referred == link.To.UID:
		return slices.Contains(facts.Links, link.To.Title)
	}
	return len(facts.Blocks) > 0
}

// Line returns the block as a read shows it, in one line, cut around the link.
func (b LinkingBlock) Line() string {
	text := []rune(strings.Join(strings.Split(b.Text, "\n"), " "))
	if len(text) <= linkText {
		return "- " + string(text) + fmt.Sprintf(" <roam uid=%q/>", b.UID)
	}
	start := 0
	if b.at > 0 {
		start = max(0, min(len([]rune(b.Text[:b.at]))-linkText/4, len(text)-linkText))
	}
	part := string(text[start : start+linkText])
	if start > 0 {
		part = "…" + part
	}
	if start+linkText < len(text) {
		part += "…"
	}
	return "- " + part + fmt.Sprintf(" <roam uid=%q truncated=\"%d\"/>", b.UID, len(text)-linkText)
}
