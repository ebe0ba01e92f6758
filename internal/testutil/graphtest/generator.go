package graphtest

import (
	"math"
	"math/rand/v2"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

type generator struct {
	options Options
	random  *rand.Rand
	words   *rand.Zipf
	popular *rand.Zipf // pages by how often they are mentioned
	yield   func(graphdb.Datom, error) bool
	stopped bool
	blocks  int // made so far
}

func (g *generator) run() {
	g.put(user, graphdb.UserUID, graphdb.StringValue(UserUID))
	g.put(user, graphdb.UserDisplayName, graphdb.StringValue("Graph Test"))
	for number := range g.options.Pages() {
		page := pageEntity(number)
		g.put(page, graphdb.NodeTitle, graphdb.StringValue(Title(number)))
		if daily(number) {
			g.put(page, graphdb.LogID, graphdb.IntValue(day(number).UnixMilli()))
		}
		g.stamp(page, PageUID(number))
	}
	for _, f := range g.fillings() {
		g.fill(f.page, f.blocks)
	}
}

// filling is how many blocks a page has.
type filling struct {
	page   graphdb.EID
	blocks int
}

// fillings deals the blocks out to the pages that have any.
func (g *generator) fillings() []filling {
	var list []filling
	left := g.options.Blocks
	deal := func(page graphdb.EID, blocks int) {
		list = append(list, filling{page, min(blocks, left)})
		left -= min(blocks, left)
	}
	if left >= 10*BigPageBlocks {
		deal(pageEntity(BigPage), BigPageBlocks)
	}
	for number := range g.options.Pages() {
		if number != BigPage && g.random.Float64() >= emptyPages {
			deal(pageEntity(number), g.pageSize())
		}
	}
	if len(list) == 0 {
		deal(pageEntity(0), left)
	}
	for i := 0; left > 0; i++ { // chance gave too few: some pages get more
		if f := &list[i%len(list)]; f.page != pageEntity(BigPage) || len(list) == 1 {
			more := min(left, g.pageSize())
			f.blocks += more
			left -= more
		}
	}
	return list
}

// pageSize draws how many blocks a page has: mostly a few, sometimes hundreds.
func (g *generator) pageSize() int {
	return int(min(BigPageBlocks, 1+math.Exp(1.1+2*g.random.NormFloat64())))
}

// depths counts the help graph's blocks by their depth, from 1.
var depths = [...]int{534, 962, 1185, 648, 381, 207, 97, 62, 29, 10}

// drawDepth draws the depth of a block, at most one below the block before.
func (g *generator) drawDepth(before int) int {
	total := 0
	for _, n := range depths {
		total += n
	}
	at := g.random.IntN(total)
	for i, n := range depths {
		if at -= n; at < 0 {
			return min(i+1, before+1)
		}
	}
	return 1
}

// fill writes the blocks of a page.
func (g *generator) fill(page graphdb.EID, blocks int) {
	type level struct {
		e    graphdb.EID
		kids int
	}
	line := []level{{e: page}}
	for range blocks {
		if g.stopped {
			return
		}
		line = line[:g.drawDepth(len(line)-1)]
		parent := &line[len(line)-1]
		e := blockEntity(g.options, g.blocks)
		for _, above := range line {
			g.put(e, graphdb.BlockParents, graphdb.RefValue(above.e))
		}
		g.put(parent.e, graphdb.BlockChildren, graphdb.RefValue(e))
		g.put(e, graphdb.BlockOrder, graphdb.IntValue(int64(parent.kids)))
		g.put(e, graphdb.BlockPage, graphdb.RefValue(page))
		g.put(e, graphdb.BlockOpen, graphdb.BoolValue(g.random.Float64() >= folded))
		g.text(e)
		g.stamp(e, BlockUID(g.blocks))
		parent.kids++
		line = append(line, level{e: e})
		g.blocks++
	}
}

// text writes a block's string and the references that it makes.
func (g *generator) text(e graphdb.EID) {
	var words []string
	for range g.wordCount() {
		words = append(words, Word(int(g.words.Uint64()))+endings[g.random.IntN(len(endings))])
	}
	mentions := 0
	switch r := g.random.Float64(); {
	case r < refsMore:
		mentions = 2 + g.random.IntN(6)
	case r < refsMore+refsOne:
		mentions = 1
	}
	seen := map[graphdb.EID]bool{}
	refer := func(to graphdb.EID, text string) {
		words = append(words, text)
		if !seen[to] {
			seen[to] = true
			g.put(e, graphdb.BlockRefs, graphdb.RefValue(to))
		}
	}
	for range mentions {
		number := int(g.popular.Uint64())
		refer(pageEntity(number), "[["+Title(number)+"]]")
	}
	if g.blocks > 0 && g.random.Float64() < blockRefs {
		number := g.random.IntN(g.blocks)
		refer(blockEntity(g.options, number), "(("+BlockUID(number)+"))")
	}
	g.put(e, graphdb.BlockString, graphdb.StringValue(strings.Join(words, " ")))
}

// wordCount draws the length of a block: half have up to four words, one in
// twenty more than fifty.
func (g *generator) wordCount() int {
	switch r := g.random.Float64(); {
	case r < 0.025:
		return 0
	case r < 0.55:
		return 1 + g.random.IntN(4)
	case r < 0.95:
		return 4 + int(g.random.ExpFloat64()*12)
	default:
		return 50 + int(g.random.ExpFloat64()*35)
	}
}

// stamp writes what pages and blocks have in common.
func (g *generator) stamp(e graphdb.EID, uid string) {
	created := createdAt(e)
	g.put(e, graphdb.BlockUID, graphdb.StringValue(uid))
	g.put(e, graphdb.CreateTime, graphdb.IntValue(created))
	g.put(e, graphdb.EditTime, graphdb.IntValue(created+int64(g.random.IntN(86_400_000))))
	g.put(e, graphdb.CreateUser, graphdb.RefValue(user))
	g.put(e, graphdb.EditUser, graphdb.RefValue(user))
}

func (g *generator) put(e graphdb.EID, a graphdb.Attr, v graphdb.Value) {
	if !g.stopped {
		g.stopped = !g.yield(graphdb.Datom{E: e, A: a, V: v, Tx: 1, Added: true}, nil)
	}
}

func pageEntity(number int) graphdb.EID { return firstPage + graphdb.EID(number) }

func blockEntity(o Options, number int) graphdb.EID {
	return firstPage + graphdb.EID(o.Pages()+number)
}
