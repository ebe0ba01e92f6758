package actions

import "roam-mcp/graphdb/outline"

// pageFields are the keys of a page; those that are absent stay nil.
type pageFields struct {
	UID              string  `json:"uid"`
	Title            *string `json:"title"`
	ChildrenViewType *string `json:"children-view-type"`
}

func (f pageFields) page() outline.NewPage {
	return outline.NewPage{Title: or(f.Title, ""), UID: f.UID, ChildrenViewType: or(f.ChildrenViewType, "")}
}

func (f pageFields) update() outline.PageUpdate {
	return outline.PageUpdate{Title: f.Title, ChildrenViewType: f.ChildrenViewType}
}

// newPage is the argument of the actions that make a page.
type newPage struct {
	Page     pageFields `json:"page"`
	Markdown string     `json:"markdown-string"`
}

// createPage is data.page.create; its result is undefined.
func createPage(c *call, asked newPage) (any, error) {
	asked.Markdown = ""
	_, err := c.createPage(asked)
	return undefined{}, err
}

// createPageFromMarkdown is data.page.fromMarkdown: {"uid": …}.
func createPageFromMarkdown(c *call, asked newPage) (any, error) {
	uid, err := c.createPage(asked)
	return map[string]string{"uid": uid}, err
}

func (c *call) createPage(asked newPage) (uid string, err error) {
	if or(asked.Page.Title, "") == "" {
		return "", c.missing("page.title")
	}
	err = c.write(func(w *outline.Writer) (err error) {
		uid, err = w.CreatePageFromMarkdown(asked.Page.page(), asked.Markdown)
		return err
	})
	return uid, err
}

// updatePage is data.page.update: a new title, another view, or both.
func updatePage(c *call, asked struct {
	Page  pageFields `json:"page"`
	Merge bool       `json:"merge-pages"`
}) (any, error) {
	if asked.Page.UID == "" {
		return nil, c.missing("page.uid")
	}
	return nil, c.write(func(w *outline.Writer) error { return w.UpdatePage(asked.Page.UID, asked.Page.update(), asked.Merge) })
}

// deletePage is data.page.delete.
func deletePage(c *call, asked target) (any, error) {
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
