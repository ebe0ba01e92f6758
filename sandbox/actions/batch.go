package actions

import (
	"errors"
	"fmt"
	"slices"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/internal/wire"
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
	return outcome{UID: uid, Code: code, Message: wire.ErrorText(refused)}, nil
}

func (c *call) checkBatch(key string, size int) error {
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
	if err := c.checkBatch("updates", len(asked.Updates)); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, fields := range asked.Updates {
		switch {
		case fields.UID == "":
			return nil, c.missing("uid of every update")
		case seen[fields.UID]:
			return nil, fmt.Errorf("%s: the uid %q is listed twice", c.Action, wire.Loggable(fields.UID))
		}
		seen[fields.UID] = true
	}
	report := batchReport{Results: make([]outcome, 0, len(asked.Updates))}
	for _, fields := range asked.Updates {
		result, err := c.updateOne(fields)
		if err != nil {
			return nil, err
		}
		report.Results = append(report.Results, result)
	}
	return report, nil
}

func (c *call) updateOne(fields blockFields) (outcome, error) {
	update, err := fields.update()
	if err != nil {
		return outcome{UID: fields.UID, Code: localapi.CodeValidation, Message: wire.ErrorText(err)}, nil
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
	if err := c.checkBatch("uids", len(asked.UIDs)); err != nil {
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
			Message: fmt.Sprintf("%q is a page, not a block.", wire.Loggable(uid))}, false
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
	return undefined{}, c.write(func(w *outline.Writer) error {
		return w.ReorderBlocks(asked.Location.ParentUID, asked.Blocks)
	})
}
