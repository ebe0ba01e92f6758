package ops

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/roamtext"
)

const (
	// mostGuarded bounds how many pages and blocks the guidelines may show, and
	// mostGuardedRounds how deep what they show may show more.
	mostGuarded       = 5000
	mostGuardedRounds = 50
)

// set is a set of uids, or of titles as folded returns them.
type set map[string]bool

func (s set) hasAny(list []string) bool {
	return slices.ContainsFunc(list, func(each string) bool { return s[strings.TrimSpace(each)] })
}

// folded returns a title as titles are compared here: a guard takes too many for the same
// rather than too few.
func folded(title string) string { return strings.ToLower(strings.TrimSpace(title)) }

// withoutLinks returns a title as it would be if the pages were gone that are linked in it.
func withoutLinks(title string) string {
	return folded(strings.NewReplacer("[[", "", "]]", "", "#", "").Replace(title))
}

// guarded is what the page with the guidelines shows: all on it, and all that is embedded or
// referred to as a block there, with what is below it, down to the leaves. Of a page that
// is only linked the title is shown.
type guarded struct {
	whole   set                     // uids of what is shown
	titles  set                     // titles of pages among it, and of such that are missing
	missing set                     // uids that are shown where there is something with them
	linked  set                     // uids of pages whose titles stand in it
	links   set                     // titles of those
	above   set                     // uids of what stands above something that is shown from elsewhere
	path    set                     // of those, what is shown as the way to it
	roots   map[string]*guardedRoot // by uid: what is shown from elsewhere
	partial bool                    // above and linked are not known
	mention []string                // titles of pages that name one that the write removes
}

// guardedRoot is a block that is shown from elsewhere.
type guardedRoot struct {
	text        string
	above       []string // uids
	aboveTitles []string
}

func newGuarded() *guarded {
	return &guarded{whole: set{}, titles: set{}, missing: set{}, linked: set{}, links: set{}, above: set{}, path: set{}, roots: map[string]*guardedRoot{}}
}

// touchedBy reports whether a write changes something of what is guarded.
func (g *guarded) touchedBy(reach Footprint) bool {
	switch {
	case g.whole.hasAny(reach.Places), g.missing.hasAny(reach.Made), g.names(reach.Titles):
		return true
	case g.linked.hasAny(reach.Texts), g.linked.hasAny(reach.Removed), g.above.hasAny(reach.Removed):
		return true
	case g.path.hasAny(reach.Texts), g.path.hasAny(reach.Moved):
		return true
	case len(reach.Retitled) > 0 && slices.ContainsFunc(reach.Titles, func(title string) bool { return g.links[folded(title)] }):
		return true // a page whose title has the other one in it would get that of a linked one
	case reach.Inner != nil && g.underOneOf(reach):
		return true
	}
	return g.wouldBeNamed() || slices.ContainsFunc(reach.Mentions, g.mentionedIn)
}

// names reports whether one of some titles is that of a page that is shown.
func (g *guarded) names(titles []string) bool {
	return slices.ContainsFunc(titles, func(title string) bool { return g.titles[folded(title)] })
}

// underOneOf reports whether a write may add below a block that is shown, while it names
// only what is above that.
func (g *guarded) underOneOf(reach Footprint) bool {
	for _, root := range g.roots {
		if *reach.Inner != "" && strings.TrimSpace(*reach.Inner) != strings.TrimSpace(root.text) {
			continue
		}
		if containsAny(root.above, reach.Places) || slices.ContainsFunc(reach.Titles, func(title string) bool {
			return slices.ContainsFunc(root.aboveTitles, func(above string) bool { return folded(above) == folded(title) })
		}) {
			return true
		}
	}
	return false
}

// wouldBeNamed reports whether the removal of a page would give another one, whose title
// links it, the title of a page that is shown: "roam/agent [[guidelines]]".
func (g *guarded) wouldBeNamed() bool {
	return slices.ContainsFunc(g.mention, func(title string) bool {
		plain := withoutLinks(title)
		if isGuidelinesTitle(plain) {
			return true
		}
		for shown := range g.titles {
			if withoutLinks(shown) == plain {
				return true
			}
		}
		return false
	})
}

func (g *guarded) mentionedIn(text string) bool {
	if namesGuidelines(text) || g.whole.hasAny(strings.FieldsFunc(text, func(r rune) bool { return !isUIDRune(r) })) || g.whole[strings.TrimSpace(text)] {
		return true
	}
	lower := strings.ToLower(text)
	for title := range g.titles {
		if title != "" && strings.Contains(lower, title) {
			return true
		}
	}
	return false
}

func isUIDRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '-' || r == '_'
}

// showing is what the text of a block shows from elsewhere.
type showing struct {
	uids   []string // of what is referred to as a block
	titles []string // of the pages that are embedded
	paths  bool     // whether the ways to blocks are shown, too
}

// showsOf reads what a text shows. A component is an embed whose name begins so, in any
// case, linked or not: embed, embed-path, embed-children.
func showsOf(text string) (shows showing) {
	if !strings.Contains(text, "((") && !strings.Contains(text, "{{") {
		return shows
	}
	var embeds []roamtext.Span
	for _, span := range roamtext.Spans(text) {
		if span.Kind == roamtext.Component {
			name := folded(strings.TrimPrefix(strings.TrimSpace(span.Content(text)), "[["))
			if strings.HasPrefix(name, "embed") {
				embeds = append(embeds, span)
				shows.paths = shows.paths || strings.HasPrefix(name, "embed-path")
			}
		}
	}
	for _, span := range roamtext.References(text) {
		switch {
		case span.Kind == roamtext.BlockRef:
			shows.uids = append(shows.uids, span.Content(text))
		case slices.ContainsFunc(embeds, func(embed roamtext.Span) bool { return embed.Start <= span.Start && span.End <= embed.End }):
			shows.titles = append(shows.titles, span.Content(text))
		}
	}
	return shows
}
