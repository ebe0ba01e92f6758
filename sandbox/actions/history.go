package actions

import "roam-mcp/sandbox/desk"

// historyActions walk through what was written since the sandbox was started,
// as the history of Roam's window does: no matter who wrote it.
func historyActions() map[string]action {
	return map[string]action{
		"data.undo": {desk.Edit, undo}, "data.redo": {desk.Edit, redo},
	}
}

// undo is data.undo; with nothing to undo it does nothing.
func undo(c *call) (any, error) {
	_, err := c.Graph.Data.Undo(c.ctx, c.author().uid)
	return undefined{}, err
}

// redo is data.redo; with nothing to redo it does nothing.
func redo(c *call) (any, error) {
	_, err := c.Graph.Data.Redo(c.ctx, c.author().uid)
	return undefined{}, err
}
