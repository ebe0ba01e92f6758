// Package hardtitles makes pages whose titles are easily taken for something else: for a
// day, for the uid or the title of another page, for a path, a link or an address.
package hardtitles

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/graph/outline"
)

// Page is a page by what names it.
type Page struct{ UID, Title string }

// Graph is the name of the graph that addresses among the titles are of.
const Graph = "work"

// Make returns n pages, the same ones for the same seed. No two have one title or one uid.
// now is a day within those that titles may be taken for.
func Make(seed uint64, n int, now time.Time) []Page {
	m := maker{random: rand.New(rand.NewPCG(seed, seed)), now: now, titles: map[string]bool{}, uids: map[string]bool{}, most: n}
	for _, word := range []string{"today", "Today", "TODAY", "yesterday", "Tomorrow", "daily/2024-01-15", "2024-01-15", "01-15-2024", "index", "daily", ".", "..", "/", "#"} {
		m.add(word)
	}
	for _, day := range []int{-1, 0, 1, 2} {
		m.addDay(now.AddDate(0, 0, day))
	}
	for len(m.pages) < n {
		m.add(kinds[m.random.IntN(len(kinds))](&m))
	}
	return m.pages
}

type maker struct {
	random       *rand.Rand
	now          time.Time
	pages        []Page
	titles, uids map[string]bool
	most         int
}

func (m *maker) add(title string) {
	if day, ok := outline.ParseDailyTitle(title); ok {
		m.addDay(day)
		return
	}
	m.put(Page{fmt.Sprintf("hard%05d", len(m.pages)), title})
}

func (m *maker) addDay(day time.Time) { m.put(Page{outline.DailyUID(day), outline.DailyTitle(day)}) }

func (m *maker) put(p Page) {
	if strings.TrimSpace(p.Title) != "" && len(m.pages) < m.most && !m.titles[p.Title] && !m.uids[p.UID] {
		m.titles[p.Title], m.uids[p.UID] = true, true
		m.pages = append(m.pages, p)
	}
}

// one returns a page that is there already.
func (m *maker) one() Page { return m.pages[m.random.IntN(len(m.pages))] }

func (m *maker) day() time.Time { return m.now.AddDate(0, 0, m.random.IntN(200)-100) }

func (m *maker) of(list ...string) string { return list[m.random.IntN(len(list))] }

var words = []string{"Apollo", "notes", "Café", "naïve", "Straße", "北京", "한국어", "İstanbul", "👩\u200d🚀", "🏴", "☕\ufe0f", "K2", "Ångström", "e\u0301tude", "q\u0323\u0307", "Ada", "x"}

func (m *maker) word() string { return m.of(words...) }

func (m *maker) title() string {
	parts := make([]string, 1+m.random.IntN(3))
	for i := range parts {
		parts[i] = fmt.Sprintf("%s%d", m.word(), m.random.IntN(50))
	}
	return strings.Join(parts, m.of(" ", "/", "-", "_", " | ", ", "))
}

// kinds are ways to make a title.
var kinds = []func(m *maker) string{
	(*maker).title,
	func(m *maker) string { return m.day().Format(m.of(time.DateOnly, "01-02-2006", "daily/2006-01-02")) },
	func(m *maker) string {
		return m.day().Format(m.of("January 2, 2006", "Jan 2, 2006", "january 2, 2006", "daily/2006-01-02/x", "2006/01/02"))
	},
	func(m *maker) string { return outline.DailyTitle(m.day()) },
	func(m *maker) string { return strings.ToLower(outline.DailyTitle(m.day())) },
	func(m *maker) string { return m.one().UID },
	func(m *maker) string { return strings.ToUpper(m.one().UID) },
	func(m *maker) string { return fmt.Sprintf("hard%05d", m.random.IntN(m.most+20)) },
	func(m *maker) string { return fmt.Sprintf("text%05d", m.random.IntN(m.most+20)) }, // uids of blocks
	func(m *maker) string { return "((" + m.one().UID + "))" },
	func(m *maker) string { return "((" + m.title() + "))" },
	func(m *maker) string {
		return "https://roamresearch.com/#/app/" + m.of(Graph, "another") + "/page/" + m.one().UID
	},
	func(m *maker) string { return "#/app/" + m.of(Graph, "another") },
	func(m *maker) string { return "[[" + m.one().Title + "]]" },
	func(m *maker) string { return "#" + m.one().Title },
	func(m *maker) string { return "#[[" + m.one().Title + "]]" },
	func(m *maker) string { return "[[" + m.word() + "]] " + m.title() },
	func(m *maker) string { return "[[" + m.word() + "]] and [[" + m.word() + "]]" },
	func(m *maker) string { return m.of("]] ", "[[", "a]]b[[", "((") + m.title() },
	func(m *maker) string { return m.one().Title + m.of("/", " ", "/index", "/.", "/..", ".md", "//", "|x") },
	func(m *maker) string {
		return m.of("/", " ", "./", "../", "daily/", "\u00a0", "- ", "# ") + m.one().Title
	},
	func(m *maker) string { return strings.ToUpper(m.one().Title) },
	func(m *maker) string { return strings.ToLower(m.one().Title) },
	func(m *maker) string { return strings.Map(swapCase, m.one().Title) },
	func(m *maker) string { return norm.NFD.String(m.one().Title) },
	func(m *maker) string { return norm.NFC.String(m.one().Title) },
	func(m *maker) string { return strings.ToValidUTF8(strings.Repeat(m.title(), 300)[:300], "") },
	func(m *maker) string { return string([]rune(strings.Repeat(m.word(), 300))[:300]) },
	func(m *maker) string { return strings.NewReplacer(" ", "-", "/", "-").Replace(m.one().Title) },
	func(m *maker) string { return m.one().Title + m.of("\u200b", "\u00ad", "\u202e", "\u2060") },
	func(m *maker) string { return strings.ReplaceAll(m.title(), " ", m.of("\u00a0", "  ", "\u3000")) },
	func(m *maker) string {
		return m.of(`a \| b`, "a | b", `a\b`, `"a"`, "<b>", "&amp;", "**a**", "`a`", "a::", "a) (b", "null", "[]", "{}", "0") + m.of("", " ", "2")
	},
}

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}
