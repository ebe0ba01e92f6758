package actions

import (
	"crypto/rand"

	"roam-mcp/graphdb/outline"
	"roam-mcp/sandbox/desk"
)

func graphActions() map[string]action {
	return map[string]action{
		"data.page.addShortcut":    {desk.Edit, addShortcut},
		"data.page.removeShortcut": {desk.Edit, removeShortcut},
		"data.user.upsert":         {desk.Append, on(upsertUser)},
		"util.generateUID":         {desk.Read, generateUID},
		"data.undo":                {desk.Edit, undo},
		"data.redo":                {desk.Edit, redo},

		"data.semanticSearchEnabled": {desk.Read, func(c *call) (any, error) { return c.checkSemanticSearch() == nil, nil }},

		"graph.name":        {desk.Read, func(c *call) (any, error) { return c.Graph.ID.Name, nil }},
		"graph.type":        {desk.Read, func(c *call) (any, error) { return c.Graph.ID.Type, nil }},
		"graph.isEncrypted": {desk.Read, func(c *call) (any, error) { return c.Encrypted, nil }},
		"user.uid":          {desk.Read, func(*call) (any, error) { return human.uid, nil }},
		"user.isAdmin":      {desk.Read, func(c *call) (any, error) { return c.MayEdit, nil }},
	}
}

// addShortcut is data.page.addShortcut, with a uid and perhaps an index; its
// result is undefined.
func addShortcut(c *call) (any, error) {
	uid, err := c.shortcut()
	if err != nil {
		return nil, err
	}
	var index whole
	if err := c.positional(1, "index", &index); err != nil {
		return nil, err
	}
	return undefined{}, c.write(func(w *outline.Writer) error {
		return w.AddShortcut(uid, outline.Order(max(0, index.or(maxIndex))))
	})
}

// maxIndex is beyond the end of any list.
const maxIndex = 1 << 30

// removeShortcut is data.page.removeShortcut; its result is undefined.
func removeShortcut(c *call) (any, error) {
	uid, err := c.shortcut()
	if err != nil {
		return nil, err
	}
	return undefined{}, c.write(func(w *outline.Writer) error { return w.RemoveShortcut(uid) })
}

// shortcut decodes the uid that is the first argument.
func (c *call) shortcut() (uid string, err error) {
	if err = c.positional(0, "uid", &uid); err == nil && uid == "" {
		err = c.missing("uid")
	}
	return uid, err
}

// upsertUser is data.user.upsert; its result is undefined.
func upsertUser(c *call, asked struct {
	UID         string `json:"user-uid"`
	DisplayName string `json:"display-name"`
	Photo       string `json:"photo-url"`
}) (any, error) {
	if asked.UID == "" {
		return nil, c.missing("user-uid")
	}
	return undefined{}, c.write(func(w *outline.Writer) error {
		return w.UpsertUser(asked.UID, asked.DisplayName, asked.Photo)
	})
}

// generateUID is util.generateUID.
func generateUID(*call) (any, error) { return outline.NewUID(rand.Reader) }

// undo is data.undo: like the history of Roam's window it takes back what was
// written since the sandbox was started, by whomever. With nothing to undo it does
// nothing.
func undo(c *call) (any, error) {
	_, err := c.Graph.Data.Undo(c.ctx, c.author().uid)
	return undefined{}, err
}

// redo is data.redo; with nothing to redo it does nothing.
func redo(c *call) (any, error) {
	_, err := c.Graph.Data.Redo(c.ctx, c.author().uid)
	return undefined{}, err
}
