package linkoracle_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// generated is the export of a graph whose texts have all that mentions
// something, or looks as if it did.
func generated(seed uint64) string {
	g := generator{Rand: rand.New(rand.NewPCG(seed, 9))}
	for range 12 {
		g.uids = append(g.uids, fmt.Sprintf("block%04d", len(g.uids)))
	}
	var pages []map[string]any
	for i, title := range titles() {
		if i < 6 || g.IntN(4) > 0 {
			pages = append(pages, map[string]any{"title": title, "uid": fmt.Sprintf("page%05d", i), "children": g.blocks(3)})
		}
	}
	text, err := json.Marshal(pages)
	if err != nil {
		panic(err) // texts can be encoded
	}
	return string(text)
}

// titles are those of pages, some of which are not listed. The first six are:
// titles which differ by case are in the order of their uids, and what hides blocks
// is a page in every graph that has hidden ones.
func titles() []string {
	return []string{
		"Ada", "ada", "Tags", "tags", ".rm-hide", ".rm-private", "Bees", "TODO", "embed", "Author", "January 15th, 2024", "Mem [[Bees]]", "a/b", "x-y", "Ünder", "roam/css",
		".rm-g", "3", "Author of",
	}
}

type generator struct {
	*rand.Rand
	uids []string // not given to a block yet
	made int
}

func (g *generator) blocks(depth int) []map[string]any {
	var blocks []map[string]any
	for range g.IntN(4) {
		uid := fmt.Sprintf("other%04d", g.made)
		if g.made++; len(g.uids) > 0 {
			uid, g.uids = g.uids[0], g.uids[1:]
		}
		block := map[string]any{"uid": uid, "string": g.text()}
		if depth > 0 {
			block["children"] = g.blocks(depth - 1)
		}
		blocks = append(blocks, block)
	}
	return blocks
}

func (g *generator) text() string {
	if g.IntN(12) == 0 {
		return "[[" + g.title() + "]] #.rm-" + []string{"hide", "private", "g"}[g.IntN(3)]
	}
	var text strings.Builder
	switch g.IntN(8) {
	case 0:
		text.WriteString("Tags:: ")
	case 1:
		text.WriteString([]string{"Author:: ", "tags::", "Author of:: ", "[[Ada]]: ", "Note: ", ":: "}[g.IntN(6)])
	}
	for range 1 + g.IntN(3) {
		text.WriteString(g.fragment())
		text.WriteString([]string{" ", ", ", "\n", " and "}[g.IntN(4)])
	}
	return text.String()
}

func (g *generator) title() string { return titles()[g.IntN(len(titles()))] }

func (g *generator) uid() string { return fmt.Sprintf("block%04d", g.IntN(14)) }

func (g *generator) fragment() string {
	title, uid := g.title(), g.uid()
	switch g.IntN(20) {
	case 0, 1, 2:
		return "[[" + title + "]]"
	case 3:
		return "#" + []string{"Ada", "Bees", "a/b", "x-y", "Ünder", "3", ".rm-g"}[g.IntN(7)]
	case 4:
		return "#[[" + title + "]]"
	case 5, 6:
		return "((" + uid + "))"
	case 7:
		return "{{[[TODO]]}}"
	case 8:
		return "{{[[embed]]: ((" + uid + "))}}"
	case 9:
		return "{{embed: [[" + title + "]]}}"
	case 10:
		return "[a label]([[" + title + "]])"
	case 11:
		return "[a label](((" + uid + ")))"
	case 12:
		return "`[[" + title + "]] #Ada ((" + uid + "))`"
	case 13:
		return "```[[" + title + "]]\n#Ada```"
	case 14:
		return "https://example.com/a#Ada"
	case 15:
		return "{{[[query]]: {and: [[" + title + "]] [[Bees]]}}}"
	case 16:
		return "**[[" + title + "]]** ^^#Ada^^"
	case 17:
		return "{{[[TODO]] [[" + title + "]]}}"
	case 18:
		return "[an #Ada label](https://example.com)"
	default:
		return "[[" + title + " ((" + uid + "x)) # [ ] plain"
	}
}
