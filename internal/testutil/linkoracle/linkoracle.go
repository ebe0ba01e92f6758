// Package linkoracle computes the links between the pages of an export in Roam's
// JSON, slowly and simply: it is what tests compare the product with.
//
// It promises to share no code with it: it has its own scanner of texts, and maps
// and lists in place of indexes. A page is known by its title.
package linkoracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Page is a page that may have links. The uid is empty where the export lists the
// page in a link only.
type Page struct{ Title, UID string }

// Graph holds the pages that are no system pages and no mere words, and the links
// between them.
type Graph struct {
	Pages []Page // by title without regard to case, then by uid
	// Weights says how many blocks of one page (first key) link to another, by their
	// titles.
	Weights map[string]map[string]int

	place map[string]int // of a title in Pages
}

type block struct {
	UID      string
	Title    string // of a page
	Text     string `json:"string"` // of a block
	Children []block
}

// Read reads an export.
func Read(export string) (*Graph, error) {
	var pages []block
	if err := json.Unmarshal([]byte(export), &pages); err != nil {
		return nil, fmt.Errorf("read the export: %w", err)
	}
	r := reading{
		uids: map[string]string{}, blocks: map[string]bool{}, pageOf: map[string]string{},
		words: map[string]bool{}, named: map[string]bool{}, weights: map[string]map[string]int{},
	}
	for _, page := range pages {
		r.uids[page.Title] = page.UID
	}
	for _, page := range pages {
		r.place(page.Title, page.Children, false)
	}
	for _, page := range pages {
		for _, child := range page.Children {
			r.read(page.Title, child, true)
		}
	}
	return r.graph(), nil
}

// reading is what is known of an export; titles are those of pages.
type reading struct {
	uids    map[string]string // of pages
	blocks  map[string]bool   // pages that have a visible block
	pageOf  map[string]string // of a visible block, by its uid
	words   map[string]bool   // mentioned as a component or an attribute
	named   map[string]bool   // mentioned otherwise
	weights map[string]map[string]int
}

// place notes which blocks a page has, and what they mention. A block is hidden by
// its text, or with the block above it.
func (r *reading) place(title string, blocks []block, hidden bool) {
	for _, each := range blocks {
		mentions := mentionsOf(each.Text)
		for _, m := range mentions { // Roam makes pages of all that is mentioned
			if _, there := r.uids[m.name]; !there && m.kind != isBlock {
				r.uids[m.name] = ""
			}
		}
		within := hidden || hides(mentions)
		if !within {
			r.pageOf[each.UID] = title
		}
		r.place(title, each.Children, within)
	}
}

var tagsLine = regexp.MustCompile(`(?i)^tags::`)

func isMark(title string) bool { return title == ".rm-hide" || title == ".rm-private" }

func hides(mentions []mention) bool {
	return slices.ContainsFunc(mentions, func(m mention) bool { return m.kind != isBlock && isMark(m.name) })
}

// read notes what a visible block and those below it say.
func (r *reading) read(page string, b block, direct bool) {
	mentions := mentionsOf(b.Text)
	if hides(mentions) {
		return
	}
	r.blocks[page] = true
	targets := map[string]bool{}
	for _, m := range mentions {
		switch m.kind {
		case isComponent, isAttribute:
			r.words[m.name] = true
		case isBlock:
			if on, there := r.pageOf[m.name]; there {
				targets[on] = true
			}
		default:
			r.named[m.name], targets[m.name] = true, true
		}
	}
	if delete(targets, page); !direct || !declaresTags(b.Text) {
		for target := range targets {
			if r.weights[page] == nil {
				r.weights[page] = map[string]int{}
			}
			r.weights[page][target]++
		}
	}
	for _, child := range b.Children {
		r.read(page, child, false)
	}
}

func (r *reading) graph() *Graph {
	g := &Graph{Weights: map[string]map[string]int{}, place: map[string]int{}}
	for title, uid := range r.uids {
		system := strings.HasPrefix(title, "roam/") || isMark(title)
		word := !r.blocks[title] && r.words[title] && !r.named[title]
		if !system && !word {
			g.Pages = append(g.Pages, Page{title, uid})
		}
	}
	slices.SortFunc(g.Pages, func(a, b Page) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), strings.Compare(a.UID, b.UID))
	})
	for i, page := range g.Pages {
		g.place[page.Title] = i
		g.Weights[page.Title] = map[string]int{}
	}
	for from, targets := range r.weights {
		for to, weight := range targets {
			if g.known(from) && g.known(to) {
				g.Weights[from][to] = weight
			}
		}
	}
	return g
}

func (g *Graph) known(title string) bool { _, there := g.place[title]; return there }

// Out returns the titles that a page links to, in the order of Pages.
func (g *Graph) Out(title string) []string { return g.ordered(maps.Keys(g.Weights[title])) }

// In returns the titles that link to a page, in the order of Pages.
func (g *Graph) In(title string) []string {
	var found []string
	for _, page := range g.Pages {
		if g.Weights[page.Title][title] > 0 {
			found = append(found, page.Title)
		}
	}
	return found
}
