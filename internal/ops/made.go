package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// CodeStoredOtherwise is the code of a creation of which Roam has made other blocks than it
// was for, and that could not be made so (TOOLS.md, "Errors of our own").
const CodeStoredOtherwise problem.Code = "STORED_OTHERWISE"

// The details of a CodeStoredOtherwise error: both texts, as markdown.
const (
	DetailSent   = "sent"
	DetailStored = "stored"
)

// made is what a creation from markdown has made, in places of its parent.
type made struct {
	parent string // uid; empty: nobody knows
	above  string // its text, of a block
	blocks []createdBlock
	read   bool // whether Roam could be asked
}

// uids returns those of the topmost blocks.
func (m made) uids() []string {
	uids := make([]string, len(m.blocks))
	for i, b := range m.blocks {
		uids[i] = b.UID
	}
	return uids
}

// shown returns all blocks in reading order.
func (m made) shown() (blocks []shownBlock) {
	for _, each := range m.blocks {
		blocks = appendShown(blocks, each, 0)
	}
	return blocks
}

// create sends a creation from markdown that is to make these blocks, reads what it has
// made, once, and mends what is otherwise: Roam reads markdown with a parser of its own
// (LOCAL_API.md 9.5). A text is set by an update, and a block that is missing is created
// alone; where that can't be done the error has both texts.
func (g Creates) create(ctx context.Context, w Write, at Location, want []outline.Block) (rawjson.Object, made, error) {
	var m made
	result, err := g.send(ctx, w, nil, func(ctx context.Context, reply json.RawMessage) effect {
		var err error
		if m, err = g.readMade(ctx, w, rawjson.Parse(reply)); err != nil {
			return unseen(err)
		}
		if told := uidsIn(rawjson.Parse(reply)); len(m.blocks) == 0 && m.parent == "" && (len(told) > 0 || isPage(w)) {
			return effect{applied: Unknown, said: "There is nothing with the uids that Roam has given."}
		}
		if page, ok := w.(NewPage); ok && page.UID != "" && m.parent != page.UID {
			return effect{applied: Unknown, said: fmt.Sprintf("Roam names the page %s.", textsafe.Quote(m.parent))}
		}
		return effect{applied: Yes}
	})
	reply := rawjson.Parse(result)
	if err != nil {
		return reply, m, err
	}
	if !m.read && w.Done(reply.JSON()).Told { // its reply was lost, and made up from the graph
		m, _ = g.readMade(ctx, w, reply) // it is done whether its blocks can be read or not
	}
	if !m.read {
		return reply, m, nil
	}
	if reply.Get(Recovered) != nil && len(m.blocks) != len(want) { // not all could be told from others
		return reply, m, nil
	}
	if slices.ContainsFunc(m.shown(), func(b shownBlock) bool { return len(b.Children) == localapi.PullLimit }) || len(m.blocks) == localapi.PullLimit {
		return reply, m, nil // there may be more than was read
	}
	g.done.made(len(m.shown()) - number(want))
	if at.NestUnder != "" && len(m.blocks) > 0 && m.above != at.NestUnder {
		g.done.say(fmt.Sprintf("The new blocks are not below %s, where they were to be: the block above them is %s.", textsafe.Quote(at.NestUnder), textsafe.Quote(m.parent)))
	}
	told := len(uidsIn(reply))
	if err := g.forParts().mend(ctx, &m, at, want); err != nil {
		return reply, m, err
	}
	if told > 0 && told != len(m.blocks) {
		reply = reply.With("uids", m.uids())
	}
	return reply, m, nil
}

func isPage(w Write) bool {
	_, ok := w.(NewPage)
	return ok
}

// readMade reads what a creation has made whose reply names it.
func (g Creates) readMade(ctx context.Context, w Write, reply rawjson.Object) (m made, err error) {
	if isPage(w) {
		uid, _ := reply.Text("uid")
		return g.readMadeOn(ctx, uid)
	}
	return g.readMadeBelow(ctx, uidsIn(reply))
}

// mend makes blocks that were created what they were to be.
func (g Creates) mend(ctx context.Context, m *made, at Location, want []outline.Block) error {
	parent := m.parent
	if parent == "" && at.NestUnder == "" {
		parent = at.ParentUID
	}
	var plan mending
	if !plan.compare(parent, want, m.blocks, at.Order, true) {
		if sameTexts(want, m.shown()) {
			g.done.say("Roam has nested the new blocks in another way than they were sent.")
			return nil
		}
		return storedOtherwise(want, *m)
	}
	for some := range slices.Chunk(plan.updates, MaxBatch) {
		report, err := g.edits().UpdateBlocks(ctx, some)
		switch unseen := err != nil && (IsNotSeen(err) || problem.CodeOf(err) == CodeBatchFailed); {
		case err != nil && !unseen:
			return err
		case (unseen || report.Failed > 0) && !m.differsInBlanks(some):
			return storedOtherwise(want, *m)
		case unseen || report.Failed > 0:
			g.done.say("Roam has stored some of the new texts with other blanks than they were sent.")
		}
	}
	for _, each := range plan.inserts {
		uid, err := g.createTree(ctx, each.parent, each.order, each.block)
		if err != nil {
			return err
		}
		if each.top {
			m.blocks = slices.Insert(m.blocks, min(each.at, len(m.blocks)), createdBlock{UID: uid, Text: each.block.String})
		}
	}
	return nil
}

// differsInBlanks reports whether blocks have their new texts but for blanks already.
func (m made) differsInBlanks(updates BlockUpdates) bool {
	texts := map[string]string{}
	for _, b := range m.shown() {
		texts[b.UID] = b.Text
	}
	return !slices.ContainsFunc(updates, func(u BlockUpdate) bool {
		return u.Heading != nil || !slices.Equal(strings.Fields(*u.String), strings.Fields(texts[u.UID]))
	})
}

// createTree creates a block and all below it, one by one.
func (g Creates) createTree(ctx context.Context, parent string, order Order, b outline.Block) (string, error) {
	uid, err := g.NewUID()
	if err != nil {
		return "", err
	}
	if err = g.CreateBlock(ctx, NewBlock{UID: uid, ParentUID: parent, Order: order, Block: b}); err != nil {
		return "", err
	}
	for _, child := range b.Children {
		if _, err := g.createTree(ctx, uid, Order{}, child); err != nil {
			return "", err
		}
	}
	return uid, nil
}

// mending is what makes blocks that were created what they were to be.
type mending struct {
	updates BlockUpdates
	inserts []missing
}

// missing is a block that was not made.
type missing struct {
	parent string
	order  Order
	block  outline.Block
	top    bool
	at     int // among the topmost blocks
}

// compare adds what is to be done to the children of a parent, and returns whether they can
// be told apart.
func (m *mending) compare(parent string, want []outline.Block, is []createdBlock, order Order, top bool) bool {
	pairs, ok := pairUp(want, is)
	if !ok {
		return false
	}
	place := func(i int) Order { // behind the block before it, else before all that were made
		for before := i - 1; before >= 0; before-- {
			if at := pairs[before]; at >= 0 {
				n := is[at].Order + i - before
				return Order{Index: &n}
			}
		}
		switch {
		case len(is) > 0:
			i += is[0].Order
		case !top || order.Index == nil && !order.First:
			return Order{}
		case order.Index != nil:
			i += *order.Index
		}
		return Order{Index: &i}
	}
	for i, b := range want {
		if at := pairs[i]; at >= 0 {
			m.update(b, is[at])
			if !m.compare(is[at].UID, b.Children, is[at].Children, Order{}, false) {
				return false
			}
			continue
		}
		if parent == "" {
			return false
		}
		m.inserts = append(m.inserts, missing{parent, place(i), b, top, i})
	}
	return true
}

// update adds the change of a block that has another text or heading.
func (m *mending) update(want outline.Block, is createdBlock) {
	change := BlockUpdate{UID: is.UID}
	if is.Text != want.String {
		change.String = &want.String
	}
	if is.Heading != want.Heading {
		change.Heading = &want.Heading
	}
	if !change.IsEmpty() {
		m.updates = append(m.updates, change)
	}
}

// pairUp returns for each block which of those that were made it is, in their order; -1 where
// it is missing. False where one was made that is none of them.
func pairUp(want []outline.Block, is []createdBlock) ([]int, bool) {
	pairs := make([]int, len(want))
	if len(want) == len(is) {
		for i := range pairs {
			pairs[i] = i
		}
		return pairs, true
	}
	at := 0
	for i, b := range want {
		pairs[i] = -1
		if at < len(is) && (len(is)-at == len(want)-i || becameOf(b.String, is[at].Text)) {
			pairs[i] = at
			at++
		}
	}
	return pairs, at == len(is)
}

// becameOf reports whether a text is what another one became in Roam's parser: one has the
// letters of the other.
func becameOf(sent, stored string) bool {
	a, b := lettersOf(sent), lettersOf(stored)
	return a == b || b != "" && strings.Contains(a, b)
}

// sameTexts reports whether all blocks that were wanted are among those that were made, in
// their order.
func sameTexts(want []outline.Block, is []shownBlock) bool {
	at := 0
	var walk func(blocks []outline.Block) bool
	walk = func(blocks []outline.Block) bool {
		for _, b := range blocks {
			if at == len(is) || is[at].Text != b.String {
				return false
			}
			at++
			if !walk(b.Children) {
				return false
			}
		}
		return true
	}
	return walk(want) && at == len(is)
}

// mostOfText bounds each of the texts of a CodeStoredOtherwise error, in bytes.
const mostOfText = 20_000

// storedOtherwise is the error of a creation of which Roam has made other blocks.
func storedOtherwise(want []outline.Block, m made) *problem.Error {
	return notRetryable(problem.Error{
		Code:    CodeStoredOtherwise,
		Message: "Roam has made other blocks of the text than it says, and they could not be put right. Nothing was taken away.",
		Hint:    problem.Say("Compare sent with stored, and change the blocks that are there; do not send the text again."),
		Details: []problem.Detail{
			{Name: DetailApplied, Value: Yes}, {Name: DetailEvidence, Value: "The blocks were read after they were made."},
			{Name: DetailSent, Value: clipped(markdown.Render(want))}, {Name: DetailStored, Value: clipped(markdownOf(m.shown()))},
		},
	})
}

func clipped(text string) string {
	if len(text) <= mostOfText {
		return text
	}
	return strings.ToValidUTF8(text[:mostOfText], "") + "…"
}

// readMadeBelow reads the blocks with these uids and all below them, in the order of the uids.
func (g Creates) readMadeBelow(ctx context.Context, uids []string) (made, error) {
	if len(uids) == 0 {
		return made{read: true}, nil
	}
	found, err := g.readCreated(ctx, uids)
	if err != nil {
		return made{}, err
	}
	m := made{read: true}
	for _, uid := range uids {
		if at := slices.IndexFunc(found, func(b createdBlock) bool { return b.UID == uid }); at >= 0 {
			m.blocks = append(m.blocks, found[at].sorted())
			for _, above := range found[at].In {
				m.parent, m.above = above.UID, above.Text
			}
		}
	}
	return m, nil
}

// readMadeOn reads all blocks of a page.
func (g Creates) readMadeOn(ctx context.Context, pageUID string) (made, error) {
	found, err := g.readCreated(ctx, []string{pageUID})
	m := made{read: err == nil}
	for _, page := range found {
		m.parent, m.blocks = page.UID, page.sorted().Children
	}
	return m, err
}

// readCreated reads pages and blocks with all below them once, for the reply to the write that
// made them.
func (g Creates) readCreated(ctx context.Context, uids []string) ([]createdBlock, error) {
	ctx, cancel := context.WithTimeout(ctx, g.operations.options.LookTimeout)
	defer cancel()
	ask := func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
		reply, err := g.caller.Look(ctx, action, args...)
		return reply.Result, err
	}
	return pullAll[createdBlock](ctx, ask, createdPattern, uids)
}

// sorted returns the block with all below it in their order.
func (b createdBlock) sorted() createdBlock {
	b.Children = slices.SortedFunc(slices.Values(b.Children), func(a, b createdBlock) int { return cmp.Compare(a.Order, b.Order) })
	for i := range b.Children {
		b.Children[i] = b.Children[i].sorted()
	}
	return b
}
