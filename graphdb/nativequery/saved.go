package nativequery

import (
	"encoding/json"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
)

// Saved is how a query block shows its results. Roam keeps this among the
// block's properties in a form of its own that it does not document; here it is
// the property "query" with the names of data.roamQuery, so that an import's
// own settings are passed over and a test can write some.
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

// SavedSettings reads the settings of a query block. What is not there or can't
// be read is as a new query has it.
func SavedSettings(r graphdb.Reader, block graphdb.EID) Saved {
	var props struct {
		Query Saved `json:"query"`
	}
	if json.Unmarshal([]byte(outline.ReadBlock(r, block).Props), &props) != nil {
		return Saved{}
	}
	return props.Query
}

// Apply sets the options that are saved. A filter by a page that is not there
// keeps out nothing, or everything. An order that Roam does not have is passed
// over.
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
