package actions

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// WrongCall is the error of a call that is wrong in a way of which package observed asks
// what it gets.
type WrongCall struct {
	ID  string // such as "error-bad-query"
	Err error
}

var _ error = (*WrongCall)(nil)

func (w *WrongCall) Error() string { return w.Err.Error() }

// Unwrap returns the error without the id.
func (w *WrongCall) Unwrap() error { return w.Err }

// wrongQuery tells a query that can't be read from one with a variable that nothing binds.
func wrongQuery(err error) error {
	if codeOf(err) == datalog.CodeInsufficientBindings {
		return &WrongCall{"error-unbound", err}
	}
	return &WrongCall{"error-bad-query", err}
}

// wrongRun is the error of a query that was read.
func (c *call) wrongRun(err error) error {
	switch code := codeOf(err); {
	case code == datalog.CodeInsufficientBindings:
		return &WrongCall{"error-unbound", err}
	case code == datalog.CodeTimeout && c.Quirks.Has("timeout-text", "other"):
		return errors.New("execution was interrupted")
	}
	return err
}

// wrongPull is the error of a pull.
func (c *call) wrongPull(pattern any, err error) error {
	_, isText := pattern.(string)
	_, isList := pattern.([]any)
	switch {
	case !isText && !isList:
		return &WrongCall{"error-wrong-type", err}
	case codeOf(err) == datalog.CodeParse:
		return &WrongCall{"error-bad-pattern", err}
	}
	return c.wrongRun(err)
}

func codeOf(err error) datalog.Code {
	if e, ok := errors.AsType[*datalog.Error](err); ok {
		return e.Code
	}
	return ""
}

func (c *call) datalogOptions() datalog.Options {
	return datalog.Options{Memory: c.Memory, Pulls: datalog.PullOptions{
		IgnoreAs:      c.Quirks.Has("as", "ignored"),
		RefuseNesting: c.Quirks.Has("pull-options", "refused"),
		AlwaysLimit:   c.Quirks.Has("limit-nil", "cut"),
	}}
}

// keyStyle returns the style of an action's keys.
func (c *call) keyStyle(usual datalog.KeyStyle) datalog.KeyStyle {
	if usual != datalog.Stripped {
		return usual
	}
	switch c.Quirks.Finding("query-keys") {
	case "colon":
		return datalog.Qualified
	case "qualified":
		return datalog.Plain
	}
	return usual
}

// withoutMissing returns what pull_many has for entities of which some may be missing.
func (c *call) withoutMissing(found []any) ([]any, error) {
	missing := func(x any) bool { return x == nil }
	switch c.Quirks.Finding("pull-missing") {
	case "left-out":
		return slices.DeleteFunc(found, missing), nil
	case "error":
		if slices.ContainsFunc(found, missing) {
			return nil, errors.New("nothing found for entity id")
		}
	}
	return found, nil
}

// verbs are what the writes do, by which it may differ whether they fail where nothing is.
var verbs = []struct{ verb, actions string }{
	{"create", "data.block.create data.block.fromMarkdown data.block.addComment createBlock create-block"},
	{"update", "data.block.update data.page.update updateBlock updatePage update-block update-page"},
	{"move", "data.block.move moveBlock move-block"},
	{"reorder", "data.block.reorderBlocks"},
}

// staysSilent reports whether a write that found no block or parent is told as done.
func (c Call) staysSilent(err error) bool { return c.silences(c.Action, err) }

func (c Call) silences(action string, err error) bool {
	if !outline.IsNotFound(err) {
		return false
	}
	for _, each := range verbs {
		if slices.Contains(strings.Fields(each.actions), action) {
			return c.Quirks.Has("silent", each.verb)
		}
	}
	return false
}

// stepStaysSilent is staysSilent for a step of a batch.
func (c Call) stepStaysSilent(data json.RawMessage, err error) bool {
	var step struct {
		Action string `json:"action"`
	}
	return json.Unmarshal(data, &step) == nil && c.silences(step.Action, err)
}

// reportDeletion says what became of a deletion.
func (c *call) reportDeletion(deleted bool) any {
	if !deleted && c.Quirks.Has("silent", "delete") {
		return nil
	}
	return reportDeletion(deleted)
}

// formBatch gives a report of a batch its form.
func (c *call) formBatch(report batchReport) any {
	switch c.Quirks.Finding("batch-form") {
	case "list":
		return report.Results
	case "count":
		done := 0
		for _, item := range report.Results {
			if item.OK {
				done++
			}
		}
		return map[string]int{"count": done}
	case "none":
		return undefined{}
	}
	return report
}

// create makes a block.
func (c *call) create(tx *graphdb.Tx, w *outline.Writer, at location, block outline.Block) error {
	uid, done, err := c.claim(tx, block.UID)
	if err != nil || done {
		return err
	}
	block.UID = uid
	c.unlook(&block)
	to, err := c.nest(w, at)
	if err != nil {
		return err
	}
	_, err = w.CreateBlocks(to, []outline.Block{block})
	return err
}

// unlook takes from a new block the looks that it does not get.
func (c *call) unlook(block *outline.Block) {
	for part, zero := range map[string]func(){
		"heading": func() { block.Heading = 0 }, "folding": func() { block.Collapsed = false }, "align": func() { block.TextAlign = "" },
		"children-view": func() { block.ChildrenViewType = "" }, "block-view": func() { block.BlockViewType = "" },
	} {
		if c.Quirks.Has("create-looks", part) {
			zero()
		}
	}
}

// claim returns the uid that a new block gets in place of the one that is asked for;
// empty for any. It reports true where no block is made and nothing is said. A uid that
// is taken, one that was, and any other are three questions.
func (c *call) claim(r graphdb.Reader, uid string) (_ string, done bool, _ error) {
	if uid == "" {
		return "", false, nil
	}
	how := c.Quirks.Finding("uid-honoured")
	switch {
	case outline.ByUID(r, uid) != 0:
		how = c.Quirks.Finding("taken-uid")
	case c.Graph.past.has(uid):
		how = c.Quirks.Finding("uid-reuse")
	}
	switch how {
	case "refused":
		return "", false, errors.New("the uid can't be given to a block")
	case "other-uid":
		return "", false, nil
	}
	return uid, how == "silent", nil
}

// nest resolves the text below whose block the new ones go.
func (c *call) nest(w *outline.Writer, at location) (outline.Location, error) {
	to := at.resolve()
	if to.NestUnder == "" {
		return to, nil
	}
	switch c.Quirks.Finding("nest-under") {
	case "ignored":
		to.NestUnder = ""
	case "new":
		around := to
		around.NestUnder, around.Order = "", outline.Last
		made, err := w.CreateBlocks(around, []outline.Block{{String: to.NestUnder}})
		if err != nil {
			return to, err
		}
		return outline.Location{ParentUID: made[0], Order: to.Order}, nil
	}
	return to, nil
}

// move moves a block.
func (c *call) move(tx *graphdb.Tx, w *outline.Writer, uid string, at location) error {
	e, to := outline.ByUID(tx, uid), outline.ByUID(tx, at.ParentUID)
	if e == 0 || to == 0 || !outline.IsBlock(tx, e) {
		return w.MoveBlock(uid, at.resolve())
	}
	if (to == e || slices.Contains(outline.Ancestors(tx, to), e)) && c.Quirks.Has("move-below-itself", "silent") {
		return nil
	}
	order := at.resolve().Order
	if outline.Parent(tx, e) == to && order >= 0 {
		siblings := outline.Children(tx, to)
		from, last := slices.Index(siblings, e), len(siblings)-1
		switch {
		case int(order) > last:
			if c.Quirks.Has("order-same-parent", "beyond") {
				return nil
			}
		case int(order) > from && c.Quirks.Has("order-same-parent", "down"):
			order-- // the place counts the block itself
		case int(order) < from && c.Quirks.Has("order-same-parent", "up"):
			order++
		}
	}
	place := at.resolve()
	place.Order = order
	return w.MoveBlock(uid, place)
}

// reorder puts the children of a page or block into a new order.
func (c *call) reorder(tx *graphdb.Tx, w *outline.Writer, parent string, uids []string) error {
	children := outline.Children(tx, outline.ByUID(tx, parent))
	if len(uids) >= len(children) {
		return w.ReorderBlocks(parent, uids)
	}
	switch c.Quirks.Finding("reorder-partial") {
	case "silent":
		return nil
	case "first":
		for _, child := range children {
			if uid := tx.String(child, graphdb.BlockUID); !slices.Contains(uids, uid) {
				uids = append(uids, uid)
			}
		}
	}
	return w.ReorderBlocks(parent, uids)
}

// createPage makes a page with blocks.
func (c *call) createPage(tx *graphdb.Tx, w *outline.Writer, page outline.NewPage, blocks []outline.Block) (uid string, err error) {
	taken := outline.PageByTitle(tx, outline.DecodeAnnotations(page.Title))
	how := c.Quirks.Finding("taken-title")
	switch {
	case taken == 0 || how == "":
		uid, err = w.CreatePage(page)
	case how == "silent":
		return tx.String(taken, graphdb.BlockUID), nil
	default: // the blocks are added
		uid = tx.String(taken, graphdb.BlockUID)
	}
	if err == nil {
		_, err = w.CreateBlocks(outline.Location{ParentUID: uid, Order: outline.Last}, blocks)
	}
	return uid, err
}

// pastUIDs are uids of what was deleted. The zero value is ready.
type pastUIDs struct {
	mu   sync.Mutex
	uids map[string]bool
}

func (p *pastUIDs) has(uid string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.uids[uid]
}

// noteGone notes the uids of what is about to be deleted, if it matters whether they can
// be given again.
func (c *call) noteGone(r graphdb.Reader, uid string) {
	e := outline.ByUID(r, uid)
	if e == 0 || c.Quirks.Finding("uid-reuse") == "" {
		return
	}
	past := &c.Graph.past
	past.mu.Lock()
	defer past.mu.Unlock()
	if past.uids == nil {
		past.uids = map[string]bool{}
	}
	for _, gone := range outline.Subtree(r, e) {
		past.uids[r.String(gone, graphdb.BlockUID)] = true
	}
}
