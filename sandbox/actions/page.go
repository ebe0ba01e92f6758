package actions

import "roam-mcp/graphdb/outline"

// newPage is the argument of the actions that make a page.
type newPage struct {
	Page struct {
		Title            string  `json:"title"`
		UID              string  `json:"uid"`
		ChildrenViewType *string `json:"children-view-type"`
	} `json:"page"`
	Markdown string `json:"markdown-string"`
}

func (p newPage) page() outline.NewPage {
	page := outline.NewPage{Title: p.Page.Title, UID: p.Page.UID}
	if p.Page.ChildrenViewType != nil {
		page.ChildrenViewType = *p.Page.ChildrenViewType
	}
	return page
}

// createPage is data.page.create; its result is undefined.
func createPage(c *call) (any, error) {
	_, err := c.createPage(false)
	return undefined{}, err
}

// createPageFromMarkdown is data.page.fromMarkdown: {"uid": …}.
func createPageFromMarkdown(c *call) (any, error) {
	uid, err := c.createPage(true)
	return map[string]string{"uid": uid}, err
}

func (c *call) createPage(withMarkdown bool) (uid string, err error) {
	var asked newPage
	if err := c.object(&asked); err != nil {
		return "", err
	}
	if asked.Page.Title == "" {
		return "", c.missing("page.title")
	}
	if !withMarkdown {
		asked.Markdown = ""
	}
	err = c.write(func(w *outline.Writer) (err error) {
		uid, err = w.CreatePageFromMarkdown(asked.page(), asked.Markdown)
		return err
	})
	return uid, err
}

// updatePage is data.page.update: a new title, another view, or both.
func updatePage(c *call) (any, error) {
	var asked struct {
		Page struct {
			UID              string  `json:"uid"`
			Title            *string `json:"title"`
			ChildrenViewType *string `json:"children-view-type"`
		} `json:"page"`
		Merge bool `json:"merge-pages"`
	}
	if err := c.object(&asked); err != nil {
		return nil, err
	}
	if asked.Page.UID == "" {
		return nil, c.missing("page.uid")
	}
	update := outline.PageUpdate{Title: asked.Page.Title, ChildrenViewType: asked.Page.ChildrenViewType}
	return nil, c.write(func(w *outline.Writer) error { return w.UpdatePage(asked.Page.UID, update, asked.Merge) })
}

// deletePage is data.page.delete.
func deletePage(c *call) (any, error) {
	var asked target
	if err := c.object(&asked); err != nil {
		return nil, err
	}
	if asked.Page.UID == "" {
		return nil, c.missing("page.uid")
	}
	deleted := false
	err := c.write(func(w *outline.Writer) (err error) {
		deleted, err = w.DeletePage(asked.Page.UID)
		return err
	})
	return reportDeletion(deleted), err
}
