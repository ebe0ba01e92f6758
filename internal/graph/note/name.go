package note

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/lazyregexp"
)

// Page is a page by what names it.
type Page struct{ UID, Title string }

// Name is what somebody calls a page, taken apart. Resolve has the rule for what it means,
// which is the same wherever pages are named.
type Name struct {
	// Graph is the graph that an address is in; empty where the name is none.
	Graph string

	said, bare string   // as it came, and without blanks around it
	inside     []string // titles that a link or a tag holds; of an address and ((uid)) none
	uid        string   // in ((uid)) or an address
	day        string   // title of the daily note that words for a day mean
}

// ParseName takes a name apart. now says which day is today.
func ParseName(said string, now time.Time) Name {
	n := Name{said: said, bare: strings.TrimSpace(said)}
	if graph, uid, ok := ParseAddress(n.bare); ok {
		n.Graph, n.uid = graph, uid
		return n
	}
	if inside, ok := strings.CutPrefix(n.bare, "(("); ok && strings.HasSuffix(inside, "))") {
		n.uid = strings.TrimSpace(strings.TrimSuffix(inside, "))"))
		return n
	}
	inside := BareTitle(n.bare)
	if inside == n.bare {
		tagged, isTag := strings.CutPrefix(n.bare, "#")
		if inside = BareTitle(tagged); !isTag {
			inside = ""
		}
	}
	for _, title := range []string{inside, strings.TrimSpace(inside), strings.ReplaceAll(strings.TrimSpace(inside), `\|`, "|")} {
		if title != "" && !slices.Contains(n.inside, title) {
			n.inside = append(n.inside, title)
		}
	}
	if day, ok := ParseDay(n.bare, now); ok && n.inside == nil {
		n.day = outline.DailyTitle(day)
	}
	return n
}

// IsPlain reports whether a name can be nothing but a title, in whatever case, or a uid: it
// is no link, tag, reference, address or word for a day, and has no blanks around it.
func (n Name) IsPlain() bool {
	return n.said == n.bare && n.uid == "" && n.Graph == "" && n.inside == nil && n.day == ""
}

// Day returns the title of the daily note that words for a day mean; empty for a name that
// is none.
func (n Name) Day() string { return n.day }

// Inside returns the title that a link or a tag holds; empty where the name is neither.
func (n Name) Inside() string {
	if n.inside == nil {
		return ""
	}
	return n.inside[min(1, len(n.inside)-1)]
}

// Reference returns the uid in ((uid)) or an address; empty where the name is neither.
func (n Name) Reference() string { return n.uid }

// UIDs returns the uids that the name may be.
func (n Name) UIDs() []string {
	if n.uid != "" {
		return []string{n.uid}
	}
	return []string{n.bare}
}

// Titles returns the titles that the name may mean, in whatever case and Unicode form.
func (n Name) Titles() []string {
	titles := []string{n.said}
	for _, title := range append([]string{n.bare, n.day}, n.inside...) {
		if title != "" && !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
	}
	return titles
}

// Resolve returns the uid that a name means, in this order:
//
//   - what is printed for a page, as it is
//   - an exact title; where none has the same bytes, the one that is the same in Unicode
//     form NFC
//   - [[Title]], #Title and #[[Title]]: that title; ((uid)) and an address: that uid
//   - a title in another case, of a link or a tag too
//   - a uid
//   - words for a day: see ParseDay
//
// Where several pages are meant alike it returns these, and no uid. pages hold those that
// have one of the Titles, in any case and Unicode form, or one of the UIDs; they may hold
// more. What is none of them may be the uid of a block, and is returned as it is: who asks
// has to look. printed returns what the asking surface prints for a page, to be given
// back; nil: its title.
func (n Name) Resolve(pages []Page, printed func(Page) string) (uid string, among []Page) {
	if printed == nil {
		printed = func(p Page) string { return p.Title }
	}
	exactly := func(title string) func(Page) bool { return func(p Page) bool { return p.Title == title } }
	composed := func(title string) func(Page) bool {
		title = norm.NFC.String(title)
		return func(p Page) bool { return norm.NFC.String(p.Title) == title }
	}
	folded := func(title string) func(Page) bool {
		title = norm.NFC.String(title)
		return func(p Page) bool { return strings.EqualFold(norm.NFC.String(p.Title), title) }
	}
	steps := []func(Page) bool{
		func(p Page) bool { return printed(p) == n.said }, func(p Page) bool { return printed(p) == n.bare },
		exactly(n.said), exactly(n.bare), composed(n.bare),
	}
	for _, title := range n.inside {
		steps = append(steps, exactly(title), composed(title))
	}
	if n.uid != "" {
		steps = append(steps, func(p Page) bool { return p.UID == n.uid })
	}
	steps = append(steps, folded(n.bare))
	for _, title := range n.inside {
		steps = append(steps, folded(title))
	}
	steps = append(steps, func(p Page) bool { return p.UID == n.bare })
	if n.day != "" {
		steps = append(steps, exactly(n.day))
	}
	for _, step := range steps {
		switch hits := matching(pages, step); {
		case len(hits) == 1:
			return hits[0].UID, nil
		case len(hits) > 1:
			return "", hits
		}
	}
	if n.inside != nil || n.day != "" || n.Graph != "" && n.uid == "" {
		return "", nil
	}
	return n.UIDs()[0], nil
}

// matching returns the pages that fulfil a condition, each once.
func matching(pages []Page, is func(Page) bool) (hits []Page) {
	for _, p := range pages {
		if p.UID != "" && is(p) && !slices.ContainsFunc(hits, func(other Page) bool { return other.UID == p.UID }) {
			hits = append(hits, p)
		}
	}
	return hits
}

// SameTitle reports whether two titles are one but for case and Unicode form.
func SameTitle(a, b string) bool {
	return strings.EqualFold(norm.NFC.String(a), norm.NFC.String(b))
}

// TitlePattern returns a regular expression for titles that are one with a title but for
// case and Unicode form. It matches these whole, may match a few others, and asks for an
// engine that ignores the case of ASCII.
func TitlePattern(title string) string {
	var b strings.Builder
	var it norm.Iter
	it.InitString(norm.NFC, title)
	for !it.Done() {
		part := string(it.Next())
		forms := []string{regexp.QuoteMeta(part)}
		add := func(form string) {
			if form = regexp.QuoteMeta(form); !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
		runes := []rune(part)
		for variant := unicode.SimpleFold(runes[0]); variant != runes[0]; variant = unicode.SimpleFold(variant) {
			add(string(variant) + string(runes[1:]))
			add(norm.NFD.String(string(variant) + string(runes[1:])))
		}
		add(norm.NFD.String(part))
		if runes[0] < unicode.MaxASCII && len(runes) == 1 {
			forms = forms[:1]
		}
		if len(forms) == 1 {
			b.WriteString(forms[0])
			continue
		}
		b.WriteString("(?:" + strings.Join(forms, "|") + ")")
	}
	return b.String()
}

// BareTitle returns the title in a text that is one link as a whole, else the text.
func BareTitle(text string) string {
	inside, opened := strings.CutPrefix(strings.TrimSpace(text), "[[")
	inside, closed := strings.CutSuffix(inside, "]]")
	if !opened || !closed || strings.TrimSpace(inside) == "" {
		return text
	}
	depth := 0
	for rest := inside; rest != ""; rest = rest[1:] {
		switch {
		case strings.HasPrefix(rest, "[["):
			depth, rest = depth+1, rest[1:]
		case strings.HasPrefix(rest, "]]"):
			depth, rest = depth-1, rest[1:]
		}
		if depth < 0 { // two links, or more
			return text
		}
	}
	return inside
}

var address = lazyregexp.New(`^(?:https?://(?:www\.)?roamresearch\.com/?|roam:/*)?#/(?:app|offline)/([^/?#\s]+)(?:/page/([^/?#\s]+))?(?:[/?#]\S*)?$`)

// ParseAddress returns the graph and the uid in an address of Roam. The uid is empty where
// the address is that of a graph.
func ParseAddress(text string) (graph, uid string, ok bool) {
	if !strings.Contains(text, "#/") {
		return "", "", false
	}
	found := address.FindStringSubmatch(text)
	if found == nil {
		return "", "", false
	}
	if graph = found[1]; strings.Contains(graph, "%") {
		if plain, err := url.PathUnescape(graph); err == nil {
			graph = plain
		}
	}
	return graph, found[2], true
}

// ordinal is a day in a title, with or without its ending.
var ordinal = lazyregexp.New(`^([a-z]{3,9} \d{1,2})(?:st|nd|rd|th)?,? (\d{4})$`)

// maxDay bounds the length of what may be a day.
const maxDay = 40

// ParseDay returns the day that a word means, by the calendar of now: today, yesterday,
// tomorrow, 2024-01-15, 01-15-2024, daily/2024-01-15, January 15th, 2024, Jan 15, 2024. It
// reports false for a day that does not exist.
func ParseDay(text string, now time.Time) (time.Time, bool) {
	word := strings.ToLower(strings.TrimSpace(text))
	if len(word) > maxDay {
		return time.Time{}, false
	}
	if i := slices.Index([]string{"yesterday", "today", "tomorrow"}, word); i >= 0 {
		year, month, day := now.Date()
		return time.Date(year, month, day+i-1, 12, 0, 0, 0, time.UTC), true
	}
	word = ordinal.ReplaceAllString(strings.TrimPrefix(word, "daily/"), "$1, $2")
	for _, layout := range []string{time.DateOnly, "01-02-2006", "January 2, 2006", "Jan 2, 2006"} {
		if day, err := time.Parse(layout, word); err == nil {
			return day, true
		}
	}
	return time.Time{}, false
}
