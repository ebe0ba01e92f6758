package fact

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// The bounds of one read, above which it ends with ErrTooLarge.
const (
	MaxThings = 20_000
	MaxText   = 16 << 20 // bytes of texts and titles
)

// ErrTooLarge is the error of a read of more than MaxThings pages and blocks or of
// more than MaxText bytes of text.
var ErrTooLarge = errors.New("more pages, blocks or text than one record keeps")

// Fact is what a page or block is at a moment. As JSON it has no uid, and no fields
// that are zero.
type Fact struct {
	UID  string `json:"-"`
	Gone bool   `json:"gone,omitzero"` // nothing has the uid; all other fields are zero

	Title string `json:"title,omitzero"` // of a page; never empty
	Text  string `json:"text,omitzero"`  // of a block

	Heading      int    `json:"heading,omitzero"`      // 1 to 3; 0: none
	Open         *bool  `json:"open,omitzero"`         // nil: not stored, which Roam shows as open
	Align        string `json:"align,omitzero"`        // "center"; "": not stored
	ChildrenView string `json:"childrenView,omitzero"` // "numbered", without the colon of a keyword; "": not stored
	BlockView    string `json:"blockView,omitzero"`    // "side", likewise
	// Props is a JSON object as data.pull sends it, where keywords have their colons;
	// nil: none are stored.
	Props json.RawMessage `json:"props,omitzero"`

	Page      string `json:"page,omitzero"`   // uid of the page that a block is on; its own where it is a page
	PageTitle string `json:"-"`               // of that page, where it came with the read; else ""
	Parent    string `json:"parent,omitzero"` // uid; "" for a page
	Order     int    `json:"order,omitzero"`  // place among the siblings, from 0

	// Left and Right are the uids of the neighbours; "" where there is none, and where
	// they were not read.
	Left     string   `json:"left,omitzero"`
	Right    string   `json:"right,omitzero"`
	Children []string `json:"children,omitzero"` // uids in their order; nil: not read

	Shortcut *int `json:"shortcut,omitzero"` // number among the shortcuts; nil: it is none
	Daily    bool `json:"daily,omitzero"`    // whether it is a daily note

	Created    int64  `json:"created,omitzero"` // ms since 1970; 0: not stored
	Edited     int64  `json:"edited,omitzero"`
	Editor     string `json:"editor,omitzero"` // uid
	EditorName string `json:"editorName,omitzero"`

	Other []string `json:"other,omitzero"` // names of further attributes, such as ":ent/emojis", in order

	unknown map[string]json.RawMessage // fields of a later version
}

// IsPage reports whether the fact is that of a page.
func (f Fact) IsPage() bool { return f.Title != "" }

// Lacks returns what of things that go can't be made again, in words: attributes that no write sets.
func Lacks(gone []Fact) []string {
	counts := map[string]int{}
	for _, f := range gone {
		for _, name := range f.Other {
			counts[name]++
		}
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		noun := "blocks"
		if counts[name] == 1 {
			noun = "block"
		}
		words = append(words, fmt.Sprintf("%s of %d %s", name, counts[name], noun))
	}
	return words
}

// State is what several pages and blocks are at a moment. What is not in it is not
// known.
type State struct {
	Things    map[string]Fact // by uid
	Shortcuts []string        // uids of pages in the order of the left sidebar; nil: not read
	File      string          // address of a file that was uploaded; empty: none was

	unknown map[string]json.RawMessage
}

// Referrer is a block or a page whose text or title mentions something. Its own fact
// is in the State that came with it.
type Referrer struct {
	UID       string
	To        []string // uids of what it mentions, as far as was asked for
	PageTitle string   // of the page that it is on, or its own
	Above     []string // texts of the blocks above it
}

// Referrers are in order of their uids, each of them once.
type Referrers []Referrer

// UIDs returns the uids of the referrers.
func (r Referrers) UIDs() []string {
	uids := make([]string, len(r))
	for i := range r {
		uids[i] = r[i].UID
	}
	return uids
}
