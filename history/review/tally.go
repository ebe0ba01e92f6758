package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"roam-mcp/history"
	"roam-mcp/history/fact"
)

// Part is one change of a call, as far as it is known.
type Part struct {
	Class         history.Class
	Before, After fact.State // empty where not read
	Touches       []history.Touch
	Pages         map[string]string // titles of pages by uid, beyond those in the states; may be nil
}

// longestSummary is the length of a summary in characters.
const longestSummary = 120

// Tally sums up the changes of a call. The zero value is empty. It is not safe for use
// by several goroutines.
type Tally struct {
	written, moved blocks
	gone           []goneTree
	lost           map[string]bool // all that is gone
	referrers      map[string]bool // whose text Roam rewrote
	phrases        []string
	comments       int
	files          int
}

// blocks are the pages of blocks, by the uids of the blocks.
type blocks map[string]string

type goneTree struct {
	name  string
	below int
}

// Add adds a change. A change that did not happen is not to be added.
func (t *Tally) Add(p Part) {
	if t.written == nil {
		t.written, t.moved, t.lost, t.referrers = blocks{}, blocks{}, map[string]bool{}, map[string]bool{}
	}
	switch p.Class {
	case history.ClassMake:
		t.addMade(p)
	case history.ClassText, history.ClassLook:
		t.addEdited(p)
	case history.ClassPlace:
		for _, touch := range p.with(history.Target) {
			t.moved[touch.UID] = p.pageOf(touch)
		}
	case history.ClassGone:
		t.addGone(p)
	case history.ClassRename, history.ClassMerge:
		t.addRenamed(p)
	case history.ClassShortcut:
		t.addShortcuts(p)
	case history.ClassComment:
		t.comments++
	case history.ClassFile:
		t.files++
	case history.ClassOpaque: // nobody knows what it was
	}
	if p.Class == history.ClassGone || p.Class == history.ClassRename || p.Class == history.ClassMerge {
		for _, touch := range p.with(history.Referrer) {
			t.referrers[touch.UID] = true
		}
	}
}

func (t *Tally) addMade(p Part) {
	made := p.with(history.Made)
	for _, touch := range made {
		f := p.After.Things[touch.UID]
		if f.Title == "" {
			t.written[touch.UID] = p.pageOf(touch)
		} else if !slices.ContainsFunc(made, func(other history.Touch) bool { return other.UID != touch.UID && p.pageUID(other) == touch.UID }) {
			t.phrases = append(t.phrases, "page "+quote(f.Title))
		}
	}
}

func (t *Tally) addEdited(p Part) {
	for _, touch := range p.with(history.Target) {
		if f, known := p.fact(touch.UID); known && f.Title != "" {
			t.phrases = append(t.phrases, "page "+quote(f.Title))
			continue
		}
		t.written[touch.UID] = p.pageOf(touch)
	}
}

// addGone adds trees that are gone: what is gone and lay below nothing that is.
func (t *Tally) addGone(p Part) {
	gone := map[string]bool{}
	for _, touch := range append(p.with(history.Target), p.with(history.Gone)...) {
		gone[touch.UID] = true
		t.lost[touch.UID] = true
	}
	for _, top := range topsOf(gone, p.Before) {
		t.gone = append(t.gone, goneTree{name: nameOf(p.Before.Things[top]), below: len(gone) - 1}) // of one top all else is below
	}
}

func (t *Tally) addRenamed(p Part) {
	for _, touch := range p.with(history.Target) {
		was, is := p.Before.Things[touch.UID], p.After.Things[touch.UID]
		switch {
		case p.Class == history.ClassRename && was.Title != "" && is.Title != "":
			t.phrases = append(t.phrases, quote(was.Title)+" renamed "+quote(is.Title))
		case p.Class == history.ClassRename && was.Title != "":
			t.phrases = append(t.phrases, quote(was.Title)+" renamed")
		}
	}
	if p.Class != history.ClassMerge {
		return
	}
	from, into := mergedPages(p.Before, p.Touches)
	if from != "" && into != "" {
		t.phrases = append(t.phrases, quote(from)+" merged into "+quote(into))
	}
}

func (t *Tally) addShortcuts(p Part) {
	for _, touch := range p.with(history.Target) {
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
//
// It is "" where nothing is known.
func (t *Tally) String() string {
	var all []string
	if said := t.written.String(); said != "" {
		all = append(all, said)
	}
	if said := t.moved.String(); said != "" {
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
		if len(t.written)+len(t.moved)+len(t.phrases) > 0 {
			said += " gone"
		}
		return []string{said}
	}
	return []string{plural(len(t.lost), "block") + " gone"}
}

// String returns how many blocks these are, and on which page or how many.
func (b blocks) String() string {
	if len(b) == 0 {
		return ""
	}
	said := plural(len(b), "block")
	pages := map[string]bool{}
	for page := range maps.Values(b) {
		if page != "" {
			pages[page] = true
		}
	}
	if len(pages) > 1 {
		return fmt.Sprintf("%s on %s", said, plural(len(pages), "page"))
	}
	for page := range pages {
		said += " on " + page
	}
	return said
}

// with returns what has a role in the change.
func (p Part) with(role history.Role) (touches []history.Touch) {
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

func (p Part) pageUID(touch history.Touch) string {
	if f, known := p.fact(touch.UID); known && f.Page != "" {
		return f.Page
	}
	return touch.Page
}

// pageOf names the page that something is on: quoted, but for a day's page. It is ""
// where the title is not known.
func (p Part) pageOf(touch history.Touch) string {
	uid := p.pageUID(touch)
	if f, known := p.fact(uid); known && f.Title != "" {
		return nameOf(f)
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
