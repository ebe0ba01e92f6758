package undo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
)

// Reason says why something is left as it is.
type Reason string

// The reasons.
const (
	NotKept    Reason = "its texts are not kept"
	NotRead    Reason = "what it left is not known"
	InDoubt    Reason = "it is not known whether it was done"
	ByOthers   Reason = "it is not known what an extension did"
	FileGone   Reason = "files are not kept"
	FileHeld   Reason = "the file is shown in a block"
	Changed    Reason = "it was changed since"
	Moved      Reason = "it was moved since"
	Gone       Reason = "it is gone"
	ParentGone Reason = "what it was below is gone"
	TitleTaken Reason = "another page has the title"
	UIDTaken   Reason = "something else has the uid"
	InUse      Reason = "something that was written since is below it"
	Referred   Reason = "something that was written since refers to it"
)

// Impossible reports whether nothing but the journal keeps a change from being taken back: it does
// not have what it takes.
func (r Reason) Impossible() bool {
	return slices.Contains([]Reason{NotKept, NotRead, InDoubt, ByOthers, FileGone}, r)
}

// Overwritable reports whether a person may have it set back all the same: somebody has changed it
// since, and it is there.
func (l Left) Overwritable() bool { return l.UID != "" && (l.Why == Changed || l.Why == Moved) }

// Left is something that a plan leaves as it is.
type Left struct {
	Change string     `json:"change"`
	UID    string     `json:"uid,omitempty"`
	Field  fact.Field `json:"field,omitempty"`
	Was    string     `json:"was,omitempty"`  // before the change
	Left   string     `json:"left,omitempty"` // by the change
	Is     string     `json:"is,omitempty"`
	Why    Reason     `json:"why"`
	// ChangedBy names who edited it last, as Roam says.
	ChangedBy string `json:"changedBy,omitempty"`
	Edited    int64  `json:"-"` // when that was, in ms; 0: not known
}

// Title is a title that a page is to get back.
type Title struct {
	UID, Title string
	// Holder is the uid of another page that has the title; empty: none.
	Holder string
}

// Place is a place that a block is to come to.
type Place struct {
	UID, Parent, Left, Right string
	Order                    int
}

// Steps are what takes a change back, in the order of the fields.
type Steps struct {
	Pages  []fact.Fact // to be made, the shortest title first
	Titles []Title     // the shortest first
	Blocks []fact.Fact // to be made, parents first, and from left to right
	Places []Place     // from left to right
	Orders map[string][]string
	Away   []string // topmost blocks to be removed
	// Looks are what blocks and pages are to be: texts and all else of their own, of the fields
	// named.
	Looks       []Look
	Files       []string // addresses of files to be deleted
	UnusedPages []string // to be removed if they are unused by then
	// List is what the shortcuts are to be, as far as the pages of it are there; nil: as they are.
	List []string

	Left []Left
}

// Look is what some fields of a thing are to be.
type Look struct {
	Want   fact.Fact
	Fields []fact.Field
}

// Count returns how many pages and blocks are changed, made and removed, as far as they are
// known.
func (s *Steps) Count() int {
	n := len(s.Pages) + len(s.Titles) + len(s.Blocks) + len(s.Places) + len(s.Orders) + len(s.Away) + len(s.Looks) + len(s.Files)
	if s.List != nil {
		n++
	}
	return n
}

// Set gives a fact the fields of the Look.
func (l Look) Set(f *fact.Fact) {
	for _, field := range l.Fields {
		switch field {
		case fact.Text:
			f.Text = l.Want.Text
		case fact.Heading:
			f.Heading = l.Want.Heading
		case fact.Open:
			f.Open = l.Want.Open
		case fact.Align:
			f.Align = l.Want.Align
		case fact.ChildrenView:
			f.ChildrenView = l.Want.ChildrenView
		case fact.BlockView:
			f.BlockView = l.Want.BlockView
		case fact.Props:
			f.Props = l.Want.Props
		case fact.Existence, fact.Title, fact.Place, fact.Children, fact.Shortcut, fact.List:
		}
	}
}

// value returns a field as people read it.
func value(f fact.Fact, field fact.Field) string {
	switch field {
	case fact.Title:
		return f.Title
	case fact.Text:
		return f.Text
	case fact.Existence:
		return cmp.Or(f.Title, f.Text)
	case fact.Place:
		return f.Parent
	case fact.Heading:
		return fmt.Sprint(f.Heading)
	case fact.Open:
		return fmt.Sprint(f.IsOpen())
	case fact.Align:
		return f.Align
	case fact.ChildrenView:
		return f.ChildrenView
	case fact.BlockView:
		return f.BlockView
	case fact.Props:
		return string(f.Props)
	case fact.Children:
		return strings.Join(f.Children, " ")
	case fact.Shortcut, fact.List:
	}
	return ""
}
