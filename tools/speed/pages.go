package main

import (
	"fmt"
	"strings"
)

// page and block are the graph that is asked about, as a Roam JSON export.
type page struct {
	Title    string  `json:"title"`
	UID      string  `json:"uid"`
	Children []block `json:"children"`
}

type block struct {
	String   string  `json:"string"`
	UID      string  `json:"uid"`
	Children []block `json:"children,omitempty"`
}

// The pages that calls name, and one of the blocks that they change.
const (
	smallPage  = "A page of 3 KB"
	largePage  = "A page of 66 KB"
	linkedPage = "A page with links"
	writePage  = "A page to write to"
	writeUID   = "writepage"
	changedUID = "changed-0"
)

// makePages returns two pages of the sizes that their titles tell, as Roam writes them, one
// that twenty others link to, one for what is written, and 300 pages with a word that is
// looked for in the third level of each.
func makePages() []page {
	all := []page{
		{smallPage, "smallpage", lines("s", 30)}, {largePage, "largepage", lines("l", 660)}, {Title: linkedPage, UID: "linkedpage"},
		{writePage, writeUID, []block{}},
	}
	for i := range 4 {
		all[3].Children = append(all[3].Children, block{String: "A block to change", UID: fmt.Sprintf("changed-%d", i)})
	}
	for i := range 300 {
		text := "One of the boats in the harbour"
		if i < 20 {
			text += ", see [[" + linkedPage + "]]"
		}
		id := fmt.Sprintf("%03d", i)
		all = append(all, page{"Page " + id, "page-" + id, []block{{"The first level", "one-" + id, []block{{"The second level", "two-" + id, []block{{String: text, UID: "tri-" + id}}}}}}})
	}
	return all
}

// lines returns blocks of a hundred bytes each, as Roam writes them with their uids.
func lines(prefix string, n int) (all []block) {
	for i := range n {
		text := fmt.Sprintf("Line %d tells of [[boats]], and \"what\" they carry", i)
		all = append(all, block{String: text + strings.Repeat(".", 72-len(text)), UID: fmt.Sprintf("%sblock%03d", prefix, i)})
	}
	return all
}
