package assets_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"roam-mcp/assets"
)

const (
	guidelinesTitle = "roam/agent guidelines"
	isoDay          = "2006-01-02"
)

type page struct {
	Title      string  `json:"title"`
	UID        string  `json:"uid"`
	CreateTime int64   `json:"create-time"`
	EditTime   int64   `json:"edit-time"`
	Children   []block `json:"children"`
}

type block struct {
	String     string  `json:"string"`
	UID        string  `json:"uid"`
	CreateTime int64   `json:"create-time"`
	EditTime   int64   `json:"edit-time"`
	Heading    int     `json:"heading"`
	ViewType   string  `json:":children/view-type"`
	Children   []block `json:"children"`
}

// graph is an export as the tests look at it.
type graph struct {
	pages  []page
	blocks []block
}

func (g *graph) page(title string) (page, bool) {
	for _, p := range g.pages {
		if p.Title == title {
			return p, true
		}
	}
	return page{}, false
}

func (g *graph) collect(blocks []block) {
	for _, b := range blocks {
		g.blocks = append(g.blocks, b)
		g.collect(b.Children)
	}
}

// parse reads an export and allows no field that the types above lack, so that
// a misspelt one is found.
func parse(t *testing.T, export []byte) *graph {
	t.Helper()
	var g graph
	decoder := json.NewDecoder(bytes.NewReader(export))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&g.pages); err != nil {
		t.Fatalf("not a JSON export: %v", err)
	}
	for _, p := range g.pages {
		g.collect(p.Children)
	}
	return &g
}

// forEachGraph runs a test on both graphs.
func forEachGraph(t *testing.T, test func(t *testing.T, g *graph)) {
	t.Helper()
	for name, export := range map[string][]byte{
		assets.DemoGraphName:    assets.DemoGraph(),
		assets.OfflineGraphName: assets.OfflineGraph(),
	} {
		t.Run(name, func(t *testing.T) { test(t, parse(t, export)) })
	}
}

func TestTheCallerGetsACopy(t *testing.T) {
	for name, read := range map[string]func() []byte{
		assets.DemoGraphName:    assets.DemoGraph,
		assets.OfflineGraphName: assets.OfflineGraph,
	} {
		before := read()[0]
		read()[0] = before + 1
		if after := read()[0]; after != before {
			t.Errorf("%s: what one caller writes is seen by the next", name)
		}
	}
}

func TestGraphsHaveTheirPromisedSize(t *testing.T) {
	demo := parse(t, assets.DemoGraph())
	if n := len(demo.pages); n < 30 || n > 40 {
		t.Errorf("the sample graph has %d pages, want 30 to 40", n)
	}
	if first := demo.pages[0].Title; first != "Welcome to the sandbox" {
		t.Errorf("the sample graph starts with %q", first)
	}
	offline := parse(t, assets.OfflineGraph())
	if n := len(offline.pages); n < 6 || n > 8 {
		t.Errorf("the offline graph has %d pages, want 6 to 8", n)
	}
}

func TestTitlesAndUIDsAreUnique(t *testing.T) {
	forEachGraph(t, func(t *testing.T, g *graph) {
		titles, uids := map[string]bool{}, map[string]bool{}
		take := func(seen map[string]bool, key string) {
			if seen[key] {
				t.Errorf("%q is there twice", key)
			}
			seen[key] = true
		}
		for _, p := range g.pages {
			// Titles that differ in case alone are two pages to Roam, one to a reader.
			take(titles, strings.ToLower(p.Title))
			take(uids, p.UID)
		}
		for _, b := range g.blocks {
			take(uids, b.UID)
		}
	})
}

func TestUIDsHaveRoamsShape(t *testing.T) {
	shape := regexp.MustCompile(`^[A-Za-z0-9_-]{9}$`)
	forEachGraph(t, func(t *testing.T, g *graph) {
		for _, b := range g.blocks {
			if !shape.MatchString(b.UID) {
				t.Errorf("block uid %q", b.UID)
			}
		}
		for _, p := range g.pages {
			if _, daily := dailyTitle(p.UID); !daily && !shape.MatchString(p.UID) {
				t.Errorf("uid %q of page %q", p.UID, p.Title)
			}
		}
	})
}

// dailyTitle is the title that a daily page of this uid must have
// (LOCAL_API.md 9.2).
func dailyTitle(uid string) (title string, daily bool) {
	day, err := time.Parse("01-02-2006", uid)
	if err != nil {
		return "", false
	}
	suffix := "th"
	if n := day.Day(); n < 11 || n > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%s %d%s, %d", day.Month(), day.Day(), suffix, day.Year()), true
}

func TestDailyPagesHaveTheUIDOfTheirDay(t *testing.T) {
	looksDaily := regexp.MustCompile(`^[A-Z][a-z]+ \d+[a-z]{2}, \d{4}$`)
	forEachGraph(t, func(t *testing.T, g *graph) {
		days := 0
		for _, p := range g.pages {
			title, daily := dailyTitle(p.UID)
			if daily {
				days++
			}
			if daily && p.Title != title || !daily && looksDaily.MatchString(p.Title) {
				t.Errorf("page %q has uid %q", p.Title, p.UID)
			}
		}
		if days < 2 {
			t.Errorf("%d daily pages, want a few", days)
		}
	})
}

func TestEveryReferenceResolves(t *testing.T) {
	forEachGraph(t, func(t *testing.T, g *graph) {
		uids := map[string]bool{}
		for _, p := range g.pages {
			uids[p.UID] = true
		}
		for _, b := range g.blocks {
			uids[b.UID] = true
		}
		check := func(text string) {
			for _, title := range pageReferences(text) {
				if _, found := g.page(title); !found {
					t.Errorf("no page %q, in %q", title, text)
				}
			}
			for _, uid := range blockReferences(text) {
				if !uids[uid] {
					t.Errorf("no block %q, in %q", uid, text)
				}
			}
		}
		for _, p := range g.pages {
			check(p.Title)
		}
		for _, b := range g.blocks {
			check(b.String)
		}
	})
}

func TestTextIsCleanUTF8(t *testing.T) {
	unclean := func(text string, alsoAllowed rune) bool {
		return !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) ||
			strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != alsoAllowed })
	}
	forEachGraph(t, func(t *testing.T, g *graph) {
		for _, p := range g.pages {
			if p.Title == "" || p.Title != strings.TrimSpace(p.Title) || unclean(p.Title, 0) {
				t.Errorf("title %q", p.Title)
			}
		}
		for _, b := range g.blocks {
			if unclean(b.String, '\n') {
				t.Errorf("block %q", b.String)
			}
		}
	})
}

func TestTimesAreInTheAutumnOf2026AndInOrder(t *testing.T) {
	first, _ := time.Parse(isoDay, "2026-09-01")
	end, _ := time.Parse(isoDay, "2026-11-21")
	forEachGraph(t, func(t *testing.T, g *graph) {
		check := func(what string, created, edited int64) {
			if created < first.UnixMilli() || created > edited || edited >= end.UnixMilli() {
				t.Errorf("%s: created %v, edited %v", what, time.UnixMilli(created).UTC(), time.UnixMilli(edited).UTC())
			}
		}
		for _, p := range g.pages {
			check(p.Title, p.CreateTime, p.EditTime)
			// Roam makes a page when it is first referred to, so it may be older than its blocks.
			for _, b := range p.Children {
				if b.CreateTime < p.CreateTime {
					t.Errorf("block %s is older than its page %q", b.UID, p.Title)
				}
			}
		}
		for _, b := range g.blocks {
			check(b.UID, b.CreateTime, b.EditTime)
		}
	})
}

func TestHeadingsAndViewTypesAreRoams(t *testing.T) {
	forEachGraph(t, func(t *testing.T, g *graph) {
		for _, b := range g.blocks {
			if b.Heading < 0 || b.Heading > 3 {
				t.Errorf("block %s has heading %d", b.UID, b.Heading)
			}
			switch b.ViewType {
			case "", ":numbered", ":document":
			default:
				t.Errorf("block %s has view type %q", b.UID, b.ViewType)
			}
		}
	})
}

func TestEachGraphHasItsOwnGuidelines(t *testing.T) {
	rules := map[string]bool{}
	forEachGraph(t, func(t *testing.T, g *graph) {
		guidelines, found := g.page(guidelinesTitle)
		if !found || len(guidelines.Children) == 0 {
			t.Fatalf("no guidelines on page %q", guidelinesTitle)
		}
		rules[guidelines.Children[0].String] = true
	})
	if len(rules) != 2 {
		t.Error("both graphs have the same guidelines")
	}
}
