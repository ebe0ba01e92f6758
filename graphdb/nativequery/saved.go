package nativequery

import (
	"encoding/json"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
)

// Saved holds the settings of a query block. Roam keeps them among the block's
// properties in an undocumented form. Here they are the property "query" with the
// names of data.roamQuery; the settings of an imported graph are ignored.
type Saved struct {
	Sort            string `json:"sort"`
	SortOrder       string `json:"sortOrder"` // asc, or desc for anything else
	GroupByPage     bool   `json:"groupByPage"`
	NestUnderParent bool   `json:"nestUnderParent"`
	ShowPaths       *bool  `json:"showPaths"` // nil: yes
	// Filters are titles of pages, as in ui.filters.
	Filters struct {
		Includes []string `json:"includes"`
		Removes  []string `json:"removes"`
	} `json:"filters"`
}

// SavedSettings returns the settings of a query block, with the defaults of a new query
// for those that are missing or can't be read.
func SavedSettings(r graphdb.Reader, block graphdb.EID) Saved {
	var props struct {
		Query Saved `json:"query"`
	}
	if json.Unmarshal([]byte(outline.ReadBlock(r, block).Props), &props) != nil {
		return Saved{}
	}
	return props.Query
}

// Apply sets options to the saved settings. An included page that does not exist
// excludes everything. An unknown order is ignored.
func (s Saved) Apply(r graphdb.Reader, o *Options) {
	o.GroupByPage, o.NestUnderParent, o.Ascending = s.GroupByPage, s.NestUnderParent, s.SortOrder == "asc"
	switch by := outline.Sort(s.Sort); by {
	case outline.SortCreated, outline.SortEdited, outline.SortDailyNote:
		o.Sort = by
	}
	switch by := PageSort(s.Sort); by {
	case PagesRecent, PagesTitle, PagesCreated, PagesDaily:
		o.SortPages = by
	}
	for _, title := range s.Filters.Includes {
		o.Includes = append(o.Includes, outline.PageByTitle(r, title))
	}
	for _, title := range s.Filters.Removes {
		o.Removes = append(o.Removes, outline.PageByTitle(r, title))
	}
}
