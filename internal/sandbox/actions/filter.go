package actions

import (
	"fmt"
	"slices"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/sandbox/desk"
)

// filterSet are the titles that a filter includes and those it removes.
type filterSet struct {
	Includes []string `json:"includes"`
	Removes  []string `json:"removes"`
}

// withLists has empty lists where there are none, as the wire has them.
func (f filterSet) withLists() filterSet {
	return filterSet{Includes: append([]string{}, f.Includes...), Removes: append([]string{}, f.Removes...)}
}

// filters are a window's filters: of all it shows, and of each page, its linked
// references and the panes of the sidebar.
type filters struct {
	global filterSet
	by     map[filterKey]filterSet
}

type filterKey struct {
	of  string // "page", "linked references" or a paneKind
	uid string
}

// maxFilters bounds the titles of the global filter, and how many pages and panes
// have filters.
const maxFilters = 1000

func filterActions() map[string]action {
	return map[string]action{
		"ui.filters.getGlobalFilters":         {desk.Read, getGlobalFilters},
		"ui.filters.addGlobalFilter":          {desk.Read, changeGlobalFilter(true)},
		"ui.filters.removeGlobalFilter":       {desk.Read, changeGlobalFilter(false)},
		"ui.filters.getPageFilters":           {desk.Read, getFilters(pageFilter("page"))},
		"ui.filters.setPageFilters":           {desk.Read, setFilters(pageFilter("page"))},
		"ui.filters.getPageLinkedRefsFilters": {desk.Read, getFilters(pageFilter("linked references"))},
		"ui.filters.setPageLinkedRefsFilters": {desk.Read, setFilters(pageFilter("linked references"))},
		"ui.filters.getSidebarWindowFilters":  {desk.Read, getFilters(paneFilter)},
		"ui.filters.setSidebarWindowFilters":  {desk.Read, setFilters(paneFilter)},
	}
}

func getGlobalFilters(c *call) (any, error) {
	w := &c.Graph.window
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.filters.global.withLists(), nil
}

// changeGlobalFilter adds or removes a title; its result is undefined.
func changeGlobalFilter(add bool) func(*call) (any, error) {
	return on(func(c *call, asked struct {
		Title string `json:"title"`
		Type  string `json:"type"`
	}) (any, error) {
		if asked.Title == "" {
			return nil, c.missing("title")
		}
		w := &c.Graph.window
		w.mu.Lock()
		defer w.mu.Unlock()
		list := &w.filters.global.Includes
		switch asked.Type {
		case "includes":
		case "removes":
			list = &w.filters.global.Removes
		default:
			return nil, fmt.Errorf("%s: type is includes or removes", c.Action)
		}
		*list = slices.DeleteFunc(*list, func(title string) bool { return title == asked.Title })
		if add && len(*list) < maxFilters {
			*list = append(*list, asked.Title)
		}
		return undefined{}, nil
	})
}

// pageFilter returns a function that finds the page a filter action names.
func pageFilter(of string) func(*call) (filterKey, error) {
	return func(c *call) (filterKey, error) {
		var asked pageName
		if err := c.object(&asked); err != nil {
			return filterKey{}, err
		}
		db := c.read()
		page, err := findPage(c, db, asked)
		if err == nil && page == 0 {
			err = fmt.Errorf("%s: that page doesn't exist", c.Action)
		}
		if err != nil {
			return filterKey{}, err
		}
		return filterKey{of, db.String(page, graphdb.BlockUID)}, nil
	}
}

func paneFilter(c *call) (filterKey, error) {
	asked, err := paneNamed(c, c.read())
	if err == nil && asked.Window.UID == "" {
		err = c.missing("window.block-uid")
	}
	return filterKey{string(asked.Window.Type), asked.Window.UID}, err
}

func getFilters(key func(*call) (filterKey, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		k, err := key(c)
		if err != nil {
			return nil, err
		}
		w := &c.Graph.window
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.filters.by[k].withLists(), nil
	}
}

// setFilters replaces filters; its result is undefined.
func setFilters(key func(*call) (filterKey, error)) func(*call) (any, error) {
	return on(func(c *call, asked struct {
		Filters *filterSet `json:"filters"`
	}) (any, error) {
		k, err := key(c)
		if err != nil {
			return nil, err
		}
		if asked.Filters == nil {
			return nil, c.missing("filters")
		}
		w := &c.Graph.window
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.filters.by == nil {
			w.filters.by = map[filterKey]filterSet{}
		}
		if _, known := w.filters.by[k]; !known && len(w.filters.by) >= maxFilters {
			return nil, fmt.Errorf("%s: more than %d filters are set", c.Action, maxFilters)
		}
		w.filters.by[k] = asked.Filters.withLists()
		return undefined{}, nil
	})
}
