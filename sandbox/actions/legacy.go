package actions

import (
	"encoding/json"
	"fmt"

	"roam-mcp/graphdb/outline"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/internal/wire"
)

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
// more than create (LOCAL_API.md 1.4).
func runBatch(c *call, asked struct {
	Actions []json.RawMessage `json:"actions"`
}) (any, error) {
	if len(asked.Actions) == 0 {
		return nil, c.missing("actions")
	}
	changes := make([]func(*outline.Writer) error, 0, len(asked.Actions))
	for i, data := range asked.Actions {
		var step batchStep
		if err := json.Unmarshal(data, &step); err != nil {
			return nil, fmt.Errorf("%s: action %d: %s", c.Action, i+1, wire.DescribeJSON(err))
		}
		change, scope, err := step.change()
		if err == nil {
			err = c.Permit(wire.Loggable(step.Action), scope)
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

// change returns what a step does and the scope it needs.
func (s batchStep) change() (func(*outline.Writer) error, desk.Scope, error) {
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
		wire.Loggable(s.Action))
}

func (s batchStep) changeBlock() (func(*outline.Writer) error, desk.Scope, error) {
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

func (s batchStep) changePage() (func(*outline.Writer) error, desk.Scope, error) {
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
