package review

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
)

// Part is one change of a call, as far as it is known.
type Part struct {
	Class         fact.Class
	Before, After fact.State // empty where not read
	Touches       []fact.Touch
	Pages         map[string]string // titles of pages by uid, beyond those in the states; may be nil
}

// PartOf returns a recorded change as a Part; pages are as there. What of its facts can't be read is
// empty, and the error says so.
func PartOf(change history.ChangeRecord, pages map[string]string) (Part, error) {
	part := Part{Class: change.Class, Touches: change.Touches, Pages: pages}
	var errBefore, errAfter error
	part.Before, errBefore = fact.Parse(change.Before)
	part.After, errAfter = fact.Parse(change.After)
	return part, errors.Join(errBefore, errAfter)
}

// longestSummary is the length of a summary in characters.
const longestSummary = 120

// Tally sums up the changes of a call. The zero value is empty. It is not safe for use
// by several goroutines.
type Tally struct {
	Restores bool // the call brings back what was
	Unquoted bool // no text of a block is in the summary

	written, moved blocks
	pages          map[string]string // what the pages of blocks are called, by uid, as the first change has it
	gone           []goneTree
	lost           map[string]bool // all that is gone
	referrers      map[string]bool // whose text Roam rewrote
	phrases        []string
	comments       int
	files          int
}

// blocks are the uids of the pages of blocks, by those of the blocks.
type blocks map[string]string

type goneTree struct {
	name  string
	below int
}

// Add adds a change. A change that did not happen is not to be added.
func (t *Tally) Add(p Part) {
	if t.written == nil {
		t.written, t.moved, t.pages, t.lost, t.referrers = blocks{}, blocks{}, map[string]string{}, map[string]bool{}, map[string]bool{}
	}
	switch p.Class {
	case fact.ClassMake:
		t.addMade(p)
	case fact.ClassText, fact.ClassLook:
		t.addEdited(p)
	case fact.ClassPlace:
		for _, touch := range p.with(fact.RoleTarget) {
			t.put(t.moved, p, touch)
		}
	case fact.ClassGone:
		t.addGone(p)
	case fact.ClassRename, fact.ClassMerge:
		t.addRenamed(p)
	case fact.ClassShortcut:
		t.addShortcuts(p)
	case fact.ClassComment:
		t.comments++
	case fact.ClassFile:
		t.files++
	case fact.ClassOpaque: // nobody knows what it was
	}
	if p.Class == fact.ClassGone || p.Class == fact.ClassRename || p.Class == fact.ClassMerge {
		for _, touch := range p.with(fact.RoleReferrer) {
			t.referrers[touch.UID] = true
		}
	}
}

// put adds a block to others, with the page that it was written to.
func (t *Tally) put(to blocks, p Part, touch fact.Touch) {
	page := p.pageUID(touch)
	to[touch.UID] = page
	if t.pages[page] == "" {
		t.pages[page] = p.nameOfPage(page)
	}
}

func (t *Tally) addMade(p Part) {
	made := p.with(fact.RoleMade)
	for _, touch := range made {
		f := p.After.Things[touch.UID]
		if f.Title == "" {
			t.put(t.written, p, touch)
		} else if !slices.ContainsFunc(made, func(other fact.Touch) bool { return other.UID != touch.UID && p.pageUID(other) == touch.UID }) {
			t.phrases = append(t.phrases, "page "+quote(f.Title))
		}
	}
}

func (t *Tally) addEdited(p Part) {
	for _, touch := range p.with(fact.RoleTarget) {
		if f, known := p.fact(touch.UID); known && f.Title != "" {
			t.phrases = append(t.phrases, "page "+quote(f.Title))
			continue
		}
		t.put(t.written, p, touch)
	}
}

// addGone adds trees that are gone: what is gone and lay below nothing that is.
func (t *Tally) addGone(p Part) {
	gone := map[string]bool{}
	for _, touch := range append(p.with(fact.RoleTarget), p.with(fact.RoleGone)...) {
		gone[touch.UID] = true
		t.lost[touch.UID] = true
	}
	for _, top := range topsOf(gone, p.Before) {
		name := nameOf(p.Before.Things[top])
		if t.Unquoted && !p.Before.Things[top].IsPage() {
			name = "a block"
		}
		t.gone = append(t.gone, goneTree{name: name, below: len(gone) - 1}) // of one top all else is below
	}
}

func (t *Tally) addRenamed(p Part) {
	for _, touch := range p.with(fact.RoleTarget) {
		was, is := p.Before.Things[touch.UID], p.After.Things[touch.UID]
		switch {
		case p.Class == fact.ClassRename && was.Title != "" && is.Title != "":
			t.phrases = append(t.phrases, quote(was.Title)+" renamed "+quote(is.Title))
		case p.Class == fact.ClassRename && was.Title != "":
			t.phrases = append(t.phrases, quote(was.Title)+" renamed")
		}
	}
	if p.Class != fact.ClassMerge {
		return
	}
	from, into := mergedPages(p.Before, p.Touches)
	if from != "" && into != "" {
		t.phrases = append(t.phrases, quote(from)+" merged into "+quote(into))
	}
}

func (t *Tally) addShortcuts(p Part) {
	for _, touch := range p.with(fact.RoleTarget) {
		f, _ := p.fact(touch.UID)
		name := "a page"
		if f.Title != "" {
			name = quote(f.Title)
		} else if title := p.Pages[touch.UID]; title != "" {
			name = quote(title)
		}
		words := "in the shortcuts"
		if p.After.Shortcuts != nil && !slices.Contains(p.After.Shortcuts, touch.UID) {
			words = "out of the shortcuts"
		}
		t.phrases = append(t.phrases, name+" "+words)
	}
}

// String returns what was changed in at most 120 characters, such as
//
//	3 blocks on "Plan Q4"
//	"Old list" and 11 below, 2 refs
//	restored: 3 blocks on "Plan Q4"
//
// It is "" where nothing is known.
func (t *Tally) String() string {
	var all []string
	if said := t.written.say(t.pages); said != "" {
		all = append(all, said)
	}
	if said := t.moved.say(t.pages); said != "" {
		all = append(all, strings.Replace(said, " on ", " moved to ", 1))
	}
	all = append(all, t.phrases...)
	all = append(all, t.saidGone()...)
	if t.comments > 0 {
		all = append(all, plural(t.comments, "comment"))
	}
	if t.files > 0 {
		all = append(all, plural(t.files, "file"))
	}
	text := strings.Join(all, "; ")
	if t.Restores && text != "" {
		text = "restored: " + text
	}
	refs := 0
	for uid := range t.referrers {
		if !t.lost[uid] {
			refs++
		}
	}
	if refs == 0 || text == "" {
		return cut(text, longestSummary)
	}
	end := "; " + plural(refs, "ref")
	if len(t.phrases) == 0 {
		end = ", " + plural(refs, "ref")
	}
	return cut(text, longestSummary-len(end)) + end
}

// saidGone names one tree that is gone, and counts several.
func (t *Tally) saidGone() []string {
	switch len(t.gone) {
	case 0:
		return nil
	case 1:
		said := t.gone[0].name
		if below := t.gone[0].below; below > 0 {
			said += fmt.Sprintf(" and %s below", plain(below))
		}
		if t.Restores || len(t.written)+len(t.moved)+len(t.phrases) > 0 {
			said += " gone"
		}
		return []string{said}
	}
	return []string{plural(len(t.lost), "block") + " gone"}
}

// say returns how many blocks these are, and on which page or how many. Pages without a
// name are not known.
func (b blocks) say(names map[string]string) string {
	if len(b) == 0 {
		return ""
	}
	said := plural(len(b), "block")
	pages := map[string]bool{}
	for page := range maps.Values(b) {
		if names[page] != "" {
			pages[page] = true
		}
	}
	if len(pages) > 1 {
		return fmt.Sprintf("%s on %s", said, plural(len(pages), "page"))
	}
	for page := range pages {
		said += " on " + names[page]
	}
	return said
}

// with returns what has a role in the change.
func (p Part) with(role fact.Role) (touches []fact.Touch) {
	for _, touch := range p.Touches {
		if touch.Role == role {
			touches = append(touches, touch)
		}
	}
	return touches
}

// fact returns what is known of a thing, as it became or else as it was.
func (p Part) fact(uid string) (fact.Fact, bool) {
	if f, known := p.After.Things[uid]; known && !f.Gone {
		return f, true
	}
	f, known := p.Before.Things[uid]
	return f, known && !f.Gone
}

// pageUID returns the page that something was on when the change was made: a block that is
// changed, as it was read right before; one that is moved, where it was to go. What was made
// is where a read has found it.
func (p Part) pageUID(touch fact.Touch) string {
	was, known := p.Before.Things[touch.UID]
	switch p.Class {
	case fact.ClassText, fact.ClassLook:
		if known && !was.Gone && was.Page != "" {
			return was.Page
		}
	case fact.ClassPlace:
		if places := p.with(fact.RolePlace); len(places) > 0 {
			to := places[len(places)-1].UID
			if place, known := p.Before.Things[to]; known && !place.Gone && cmp.Or(place.Page, place.Title) != "" {
				return cmp.Or(place.Page, to)
			}
		}
	case fact.ClassMake, fact.ClassGone, fact.ClassRename, fact.ClassMerge, fact.ClassShortcut, fact.ClassComment, fact.ClassFile, fact.ClassOpaque:
	}
	if f, known := p.fact(touch.UID); known && f.Page != "" {
		return f.Page
	}
	return touch.Page
}

// nameOfPage names a page, as it was called when the change was made: quoted, but for a
// day's page. It is "" where the title is not known.
func (p Part) nameOfPage(uid string) string {
	for _, state := range []fact.State{p.Before, p.After} {
		if f, known := state.Things[uid]; known && !f.Gone && f.Title != "" {
			return nameOf(f)
		}
		for _, f := range state.Things {
			if f.Page == uid && f.PageTitle != "" {
				return nameOf(fact.Fact{Title: f.PageTitle})
			}
		}
	}
	if title := p.Pages[uid]; title != "" {
		return nameOf(fact.Fact{Title: title})
	}
	return ""
}

func plain(n int) string { return humanize.Comma(int64(n)) }

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return plain(n) + " " + word + "s"
}
