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
		"data.user.upsert":         {desk.Append, upsertUser},
		"util.generateUID":         {desk.Read, generateUID},

		"data.semanticSearchEnabled": {desk.Read, func(c *call) (any, error) { return c.semanticSearchable() == nil, nil }},

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
	var uid string
	var index whole
	if err := c.positional(0, "uid", &uid); err != nil {
		return nil, err
	}
	if err := c.positional(1, "index", &index); err != nil {
		return nil, err
	}
	if uid == "" {
		return nil, c.missing("uid")
	}
	return undefined{}, c.write(func(w *outline.Writer) error {
		return w.AddShortcut(uid, outline.Order(max(0, index.or(maxIndex))))
	})
}

// maxIndex is beyond the end of any list.
const maxIndex = 1 << 30

// removeShortcut is data.page.removeShortcut; its result is undefined.
func removeShortcut(c *call) (any, error) {
	var uid string
	if err := c.positional(0, "uid", &uid); err != nil {
		return nil, err
	}
	if uid == "" {
		return nil, c.missing("uid")
	}
	return undefined{}, c.write(func(w *outline.Writer) error { return w.RemoveShortcut(uid) })
}

// upsertUser is data.user.upsert; its result is undefined.
func upsertUser(c *call) (any, error) {
	var asked struct {
		UID         string `json:"user-uid"`
		DisplayName string `json:"display-name"`
		Photo       string `json:"photo-url"`
	}
	if err := c.object(&asked); err != nil {
		return nil, err
	}
	if asked.UID == "" {
		return nil, c.missing("user-uid")
	}
	return undefined{}, c.write(func(w *outline.Writer) error {
		return w.UpsertUser(asked.UID, asked.DisplayName, asked.Photo)
	})
}

// generateUID is util.generateUID.
func generateUID(*call) (any, error) { return outline.NewUID(rand.Reader) }
