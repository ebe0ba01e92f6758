package actions

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
)

// batchLimit is how many items a batch may have (LOCAL_API.md 2.3).
const batchLimit = 25

func batchActions() map[string]action {
	return map[string]action{
		"data.block.updateBlocks":  {desk.Edit, on(updateBlocks)},
		"data.block.deleteBlocks":  {desk.Edit, on(deleteBlocks)},
		"data.block.reorderBlocks": {desk.Edit, on(reorderBlocks)},
	}
}

// batchReport is the result of the batch actions: an outcome for each item, in
// the order asked.
type batchReport struct {
	Results []outcome `json:"results"`
}

type outcome struct {
	UID     string       `json:"uid"`
	OK      bool         `json:"ok"`
	Deleted *bool        `json:"deleted,omitempty"` // of deletions only
	Note    string       `json:"note,omitempty"`
	Reason  string       `json:"reason,omitempty"`
	Code    problem.Code `json:"code,omitempty"`
	Message string       `json:"message,omitempty"`
}

// refusedOutcome returns the outcome of an item that the outline refused. Any other
// error, such as a full disk, ends the whole call.
func refusedOutcome(uid string, err error) (outcome, error) {
	var refused *outline.Error
	if !errors.As(err, &refused) {
		return outcome{}, err
	}
	code := localapi.CodeValidation
	if refused.Code == outline.CodeNotFound {
		code = localapi.CodeNotFound
	}
	return outcome{UID: uid, Code: code, Message: ErrorText(refused)}, nil
}

func checkBatch(c *call, key string, size int) error {
	if size < 1 || size > batchLimit {
		return fmt.Errorf("%s: %s has 1 to %d items, not %d", c.Action, key, batchLimit, size)
	}
	return nil
}

// updateBlocks is data.block.updateBlocks. Each update is a transaction of its own:
// one that fails leaves the others.
func updateBlocks(c *call, asked struct {
	Updates []blockFields `json:"updates"`
}) (any, error) {
	if err := checkBatch(c, "updates", len(asked.Updates)); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, fields := range asked.Updates {
		switch {
		case fields.UID == "":
			return nil, c.missing("uid of every update")
		case seen[fields.UID]:
			return nil, fmt.Errorf("%s: the uid %q is listed twice", c.Action, Loggable(fields.UID))
		}
		seen[fields.UID] = true
	}
	report := batchReport{Results: make([]outcome, 0, len(asked.Updates))}
	for _, fields := range asked.Updates {
		result, err := updateOne(c, fields)
		if err != nil {
			return nil, err
		}
		report.Results = append(report.Results, result)
	}
	return report, nil
}

func updateOne(c *call, fields blockFields) (outcome, error) {
	update, err := fields.update()
	if err != nil {
		return outcome{UID: fields.UID, Code: localapi.CodeValidation, Message: ErrorText(err)}, nil
	}
	err = c.write(func(w *outline.Writer) error { return w.UpdateBlock(fields.UID, update) })
	if err != nil {
		return refusedOutcome(fields.UID, err)
	}
	return outcome{UID: fields.UID, OK: true}, nil
}

// deleteBlocks is data.block.deleteBlocks. It deletes all blocks of the list that
// exist, in one transaction. A uid may be listed twice.
func deleteBlocks(c *call, asked struct {
	UIDs []string `json:"uids"`
}) (any, error) {
	if err := checkBatch(c, "uids", len(asked.UIDs)); err != nil {
		return nil, err
	}
	var report batchReport
	err := c.writeTx(func(tx *graphdb.Tx, w *outline.Writer) error {
		report.Results = make([]outcome, 0, len(asked.UIDs))
		var gone []string
		for _, uid := range asked.UIDs {
			result, topmost := deletionOf(tx, uid, asked.UIDs)
			report.Results = append(report.Results, result)
			if topmost && !slices.Contains(gone, uid) {
				gone = append(gone, uid)
			}
		}
		for _, uid := range gone {
			if _, err := w.DeleteBlock(uid); err != nil {
				return err
			}
		}
		return nil
	})
	return report, err
}

// deletionOf returns the outcome of deleting one of the listed blocks, and whether
// it is the topmost of them on its path: those below it are deleted with it.
func deletionOf(r graphdb.Reader, uid string, listed []string) (_ outcome, topmost bool) {
	yes, no := true, false
	e := outline.ByUID(r, uid)
	switch {
	case e != 0 && outline.IsPage(r, e):
		return outcome{UID: uid, Deleted: &no, Code: localapi.CodeValidation,
			Message: fmt.Sprintf("%q is a page, not a block.", Loggable(uid))}, false
	case e == 0 || !outline.IsBlock(r, e):
		return outcome{UID: uid, Deleted: &no, Reason: "not-found"}, false
	}
	for _, above := range outline.Ancestors(r, e) {
		ancestor := r.String(above, graphdb.BlockUID)
		if outline.IsBlock(r, above) && slices.Contains(listed, ancestor) {
			return outcome{UID: uid, OK: true, Deleted: &yes, Note: fmt.Sprintf("deleted with its ancestor '%s'", ancestor)}, false
		}
	}
	return outcome{UID: uid, OK: true, Deleted: &yes}, true
}

// reorderBlocks is data.block.reorderBlocks; its result is undefined.
func reorderBlocks(c *call, asked struct {
	Location location `json:"location"`
	Blocks   []string `json:"blocks"`
}) (any, error) {
	if asked.Location.ParentUID == "" {
		return nil, c.missing("location.parent-uid")
	}
	return undefined{}, c.write(func(w *outline.Writer) error { return w.ReorderBlocks(asked.Location.ParentUID, asked.Blocks) })
}

// legacyActions are the names from before data.block and data.page, which scripts
// still use.
func legacyActions() map[string]action {
	return map[string]action{
		"createBlock":  {desk.Append, on(createBlock)},
		"createPage":   {desk.Append, on(createPage)},
		"updateBlock":  {desk.Edit, on(updateBlock)},
		"deleteBlock":  {desk.Edit, on(deleteBlock)},
		"moveBlock":    {desk.Edit, on(moveBlock)},
		"updatePage":   {desk.Edit, on(updatePage)},
		"deletePage":   {desk.Edit, on(deletePage)},
		"batchActions": {desk.Append, on(runBatch)},
	}
}

// batchStep is one of the actions of a batch.
type batchStep struct {
	Action   string      `json:"action"`
	Location location    `json:"location"`
	Block    blockFields `json:"block"`
	Page     pageFields  `json:"page"`
}

// runBatch is batchActions: it does all of its steps, in their order, or none. Its
// result is undefined. It needs the append scope, and the edit scope if a step does
// more than create (LOCAL_API.md 1.4). It may be as large as a call of fromMarkdown.
func runBatch(c *call, asked struct {
	Actions []json.RawMessage `json:"actions"`
}) (any, error) {
	if len(asked.Actions) == 0 {
		return nil, c.missing("actions")
	}
	if len(c.Args[0]) > markdown.MaxBytes {
		return nil, fmt.Errorf("%s: the batch is larger than one call may write: %d MB; send it in parts", c.Action, markdown.MaxBytes>>20)
	}
	changes := make([]change, 0, len(asked.Actions))
	for i, data := range asked.Actions {
		var step batchStep
		if err := json.Unmarshal(data, &step); err != nil {
			return nil, fmt.Errorf("%s: action %d: %s", c.Action, i+1, DescribeJSON(err))
		}
		change, scope, err := step.change()
		if err == nil {
			err = c.Permit(Loggable(step.Action), scope)
		} else {
			err = fmt.Errorf("%s: action %d: %w", c.Action, i+1, err)
		}
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	return undefined{}, c.write(func(w *outline.Writer) error {
		for i, change := range changes {
			if err := change(w); err != nil {
				return fmt.Errorf("%s: action %d: %w", c.Action, i+1, err)
			}
		}
		return nil
	})
}

// change is what a step does.
type change func(*outline.Writer) error

// change returns what a step does and the scope it needs.
func (s batchStep) change() (change, desk.Scope, error) {
	switch s.Action {
	case "create-block":
		if s.Block.String == nil {
			return nil, "", fmt.Errorf("block.string is required")
		}
		block, err := s.Block.block()
		return func(w *outline.Writer) error {
			_, err := w.CreateBlocks(s.Location.resolve(), []outline.Block{block})
			return err
		}, desk.Append, err
	case "create-page":
		if s.Page.Title == nil {
			return nil, "", fmt.Errorf("page.title is required")
		}
		return func(w *outline.Writer) error {
			_, err := w.CreatePage(s.Page.page())
			return err
		}, desk.Append, nil
	case "update-block", "delete-block", "move-block":
		return s.changeBlock()
	case "update-page", "delete-page":
		return s.changePage()
	}
	return nil, "", fmt.Errorf("%q is not one of create-block, update-block, delete-block, move-block, create-page, update-page and delete-page",
		Loggable(s.Action))
}

func (s batchStep) changeBlock() (change, desk.Scope, error) {
	if s.Block.UID == "" {
		return nil, "", fmt.Errorf("block.uid is required")
	}
	switch s.Action {
	case "move-block":
		return func(w *outline.Writer) error { return w.MoveBlock(s.Block.UID, s.Location.resolve()) }, desk.Edit, nil
	case "delete-block":
		return func(w *outline.Writer) error {
			_, err := w.DeleteBlock(s.Block.UID)
			return err
		}, desk.Edit, nil
	}
	update, err := s.Block.update()
	return func(w *outline.Writer) error { return w.UpdateBlock(s.Block.UID, update) }, desk.Edit, err
}

func (s batchStep) changePage() (change, desk.Scope, error) {
	if s.Page.UID == "" {
		return nil, "", fmt.Errorf("page.uid is required")
	}
	if s.Action == "delete-page" {
		return func(w *outline.Writer) error {
			_, err := w.DeletePage(s.Page.UID)
			return err
		}, desk.Edit, nil
	}
	return func(w *outline.Writer) error { return w.UpdatePage(s.Page.UID, s.Page.update(), false) }, desk.Edit, nil
}
