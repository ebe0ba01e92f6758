package ops

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// CodeChangedMeanwhile is the code of a call of several writes that was stopped between
// two of them, since somebody else changed what the next one was to change (TOOLS.md,
// "Errors of our own").
const CodeChangedMeanwhile problem.Code = "CHANGED_MEANWHILE"

// freshFor is how long a look at a note is believed by the writes that rest on it.
const freshFor = time.Second

// Revise makes what is below a page or block equal to want, which has the uids of all
// blocks that stay; all others go, hidden ones too. fresh is a read of it right before.
//
// What is new is there before anything goes. The first write that fails ends it, and so
// does a block that is not as it was left, where the last look at it is older than a
// second; see Halfway.
func (g Rewrites) Revise(ctx context.Context, fresh note.Node, want []outline.Block) (Rewritten, error) {
	return g.revision(fresh, want).run(ctx)
}

// Revision returns the footprint of a Revise.
func (g Rewrites) Revision(fresh note.Node, want []outline.Block) Footprint {
	return g.revision(fresh, want).footprint()
}

func (g Rewrites) revision(fresh note.Node, want []outline.Block) *rewriting {
	r := newRewriting(g.asGraph(), fresh, nil)
	clear(r.fixed)
	r.plan = outline.PlanByUID(fresh.Outline(), want, nil)
	return r
}

// lastRead is when notes were read last through a Graph, or were about to be, and all that
// were.
type lastRead struct {
	mu    sync.Mutex
	time  time.Time
	notes []note.Node
}

func (l *lastRead) keep(n note.Node) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, n)
}

// referredTo returns what the notes refer to, by uid, but for what refers to more.
func (l *lastRead) referredTo() map[string]note.Node {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := map[string]note.Node{}
	for _, n := range l.notes {
		for ref := range n.References() {
			if !strings.Contains(ref.Text, "((") {
				found[ref.UID] = note.Node{UID: ref.UID, Title: ref.Title, Text: ref.Text, Hidden: ref.Hidden}
			}
		}
	}
	return found
}

func (l *lastRead) note(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.time = now
}

// or returns the time, or another one where nothing was read.
func (l *lastRead) or(now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.time.IsZero() {
		return now
	}
	return l.time
}

// expected is what is below a note as the writes of a call should have left it by now.
type expected struct {
	looked time.Time           // when the note was read last
	texts  map[string]string   // by uid
	kids   map[string][]string // uids by that of the block above; without those of blocks that have children nobody knows
	above  map[string]string   // uid of the block above, by uid
}

// newExpected returns what a read of a note showed.
func newExpected(fresh note.Node, looked time.Time) *expected {
	n := len(fresh.Children)
	e := &expected{looked: looked, texts: make(map[string]string, n), kids: make(map[string][]string, n), above: make(map[string]string, n)}
	e.add(fresh)
	return e
}

func (e *expected) add(n note.Node) {
	uids := make([]string, len(n.Children))
	for i := range n.Children {
		child := &n.Children[i]
		uids[i], e.texts[child.UID], e.above[child.UID] = child.UID, child.Text, n.UID
		e.add(*child)
	}
	e.kids[n.UID] = uids
}

// put notes that blocks stand below another one from a place on; an empty uid is one that
// nobody knows.
func (e *expected) put(parent string, index int, uids ...string) {
	for _, uid := range uids {
		e.above[uid] = parent
	}
	kids, known := e.kids[parent]
	if !known || index > len(kids) || slices.Contains(uids, "") {
		delete(e.kids, parent)
		return
	}
	e.kids[parent] = slices.Insert(slices.Clone(kids), index, uids...)
}

// take notes that a block does not stand where it stood.
func (e *expected) take(uid string) {
	kids := e.kids[e.above[uid]]
	if at := slices.Index(kids, uid); at >= 0 {
		e.kids[e.above[uid]] = slices.Delete(slices.Clone(kids), at, at+1)
	}
}

// blocksOf returns a page or block, and what is below it, by uid.
func blocksOf(n *note.Node) map[string]*note.Node {
	found := map[string]*note.Node{n.UID: n}
	var walk func(n *note.Node)
	walk = func(n *note.Node) {
		for i := range n.Children {
			found[n.Children[i].UID] = &n.Children[i]
			walk(&n.Children[i])
		}
	}
	walk(n)
	return found
}

// hasText reports whether a block has the text that is expected.
func (e *expected) hasText(n *note.Node, uid string) bool {
	text, known := e.texts[uid]
	return !known || n != nil && n.Text == text
}

// hasKids reports whether what is expected stands right below a block, and nothing else.
func (e *expected) hasKids(n *note.Node, uid string) bool {
	kids, known := e.kids[uid]
	return !known || n != nil && slices.EqualFunc(n.Children, kids, func(child note.Node, uid string) bool { return child.UID == uid })
}

// mayGo reports whether a block, and all below it, is as expected, or has gone.
func (e *expected) mayGo(found map[string]*note.Node, uid string) bool {
	n := found[uid]
	if n == nil {
		return true
	}
	kids, known := e.kids[uid]
	if !known || !e.hasText(n, uid) || slices.ContainsFunc(n.Children, func(child note.Node) bool { return !slices.Contains(kids, child.UID) }) {
		return false
	}
	return !slices.ContainsFunc(kids, func(kid string) bool { return !e.mayGo(found, kid) })
}

// lookAgain stops the rewriting where the last look at the note is older than a second, and
// one of some blocks is not as it has to be for what follows.
func (r *rewriting) lookAgain(ctx context.Context, uids []string, is func(found map[string]*note.Node, uid string) bool) error {
	now := r.graph.operations.options.Now()
	if now.Sub(r.expected.looked) < freshFor {
		return nil
	}
	there, ok, err := r.graph.ReadNote(ctx, r.fresh.UID)
	if err != nil {
		return err
	}
	r.expected.looked = now
	found := map[string]*note.Node{}
	if ok {
		found = blocksOf(&there)
	}
	at := slices.IndexFunc(uids, func(uid string) bool { return !is(found, uid) })
	if at < 0 {
		return nil
	}
	return notRetryable(problem.Error{
		Code: CodeChangedMeanwhile, Message: "Somebody else has changed the block " + textsafe.Quote(uids[at]) + " while this call was writing, so the rest of it was not written.",
		Hint: problem.Say("Read the note again with %s, and send what is still to change.", problem.ReadPage).Or("Read it again, and send what is still to change."), Details: []problem.Detail{{Name: DetailUID, Value: uids[at]}},
	})
}

// sameText looks again at blocks whose text is about to change.
func (r *rewriting) sameText(ctx context.Context, uids ...string) error {
	return r.lookAgain(ctx, uids, func(found map[string]*note.Node, uid string) bool {
		return found[uid] == nil || r.expected.hasText(found[uid], uid)
	})
}

// samePlaces looks again at blocks below which others are about to be put.
func (r *rewriting) samePlaces(ctx context.Context, parents ...string) error {
	return r.lookAgain(ctx, parents, func(found map[string]*note.Node, uid string) bool { return r.expected.hasKids(found[uid], uid) })
}

// mayGo looks again at blocks that are about to go.
func (r *rewriting) mayGo(ctx context.Context, uids []string) error {
	return r.lookAgain(ctx, uids, r.expected.mayGo)
}
