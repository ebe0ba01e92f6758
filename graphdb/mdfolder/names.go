package mdfolder

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"roam-mcp/graphdb/roamtext"
)

const extension = ".md"

// fileNames makes names of files that are valid on every file system. It holds those
// that are taken, in lower case, since some file systems are not case-sensitive.
type fileNames map[string]bool

// of returns the name for the file of a page. The title itself is in the file.
func (taken fileNames) of(title string) string {
	base := safeName(title)
	name := base
	for n := 2; taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s (%d)", base, n)
	}
	taken[strings.ToLower(name)] = true
	return name + extension
}

// maxName bounds a name, in bytes; file systems allow 255.
const maxName = 120

func safeName(title string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, title)
	name = strings.TrimSpace(name)
	for len(name) > maxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	name = strings.TrimRight(name, ". ")
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch {
	case name == "", name[0] == '.', reservedName(stem): // hidden, or a device on Windows
		return "_" + name
	}
	return name
}

func reservedName(stem string) bool {
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && stem[3] >= '0' && stem[3] <= '9'
}

// linkNames resolves the links in files of other programs.
type linkNames struct {
	titles map[string]bool   // of all pages
	paths  map[string]string // path without extension → title

	mentioned map[string]bool // titles in the results of roamText
}

// missing lists the mentioned titles without a file.
func (l linkNames) missing() []string {
	var titles []string
	for _, title := range slices.Sorted(maps.Keys(l.mentioned)) {
		if !l.titles[title] {
			titles = append(titles, title)
		}
	}
	return titles
}

// roamText rewrites a text of another program, and records what it mentions.
func (l linkNames) roamText(text string) string {
	text = l.rewrite(text)
	for _, r := range roamtext.References(text) {
		if r.Kind != roamtext.BlockRef {
			l.mentioned[r.Content(text)] = true
		}
	}
	return text
}

// rewrite replaces the syntax of other programs that Roam does not know: links with
// labels, to headings, to paths, embedded pages, and check boxes.
func (l linkNames) rewrite(text string) string {
	text = checkBox(text)
	if !strings.Contains(text, "[[") {
		return text
	}
	var b strings.Builder
	at := 0
	for _, r := range roamtext.References(text) {
		title := r.Content(text)
		if r.Start < at || r.Kind != roamtext.PageLink && r.Kind != roamtext.TagLink || strings.Contains(title, "[[") {
			continue
		}
		bang := r.Kind == roamtext.PageLink && r.Start > at && text[r.Start-1] == '!'
		link, changed := l.link(title, r.Kind == roamtext.TagLink, bang)
		if !changed {
			continue
		}
		before := text[at:r.Start]
		if strings.HasPrefix(link, "{{") {
			before = strings.TrimSuffix(before, "!")
		}
		b.WriteString(before + link)
		at = r.End
	}
	return b.String() + text[at:]
}

// link returns a link in Roam's syntax, and whether that differs.
func (l linkNames) link(link string, tag, embed bool) (string, bool) {
	target, label, labelled := cutLink(link)
	if l.titles[link] { // a title may contain these characters
		target, label, labelled = link, "", false
	}
	title := target
	if page, anchor, ok := strings.Cut(target, "#"); ok && !l.titles[target] && l.find(page) != "" {
		title = page
		if !labelled {
			label, labelled = page+" > "+anchor, true
		}
	}
	if found := l.find(title); found != "" {
		title = found
	}
	switch {
	case embed && l.titles[title]:
		return "{{[[embed]]: [[" + title + "]]}}", true
	case tag:
		return "#[[" + title + "]]", title != link
	case labelled && label != "" && !strings.ContainsAny(label, "[]"):
		return "[" + label + "]([[" + title + "]])", true
	}
	return "[[" + title + "]]", title != link
}

// find returns the title of the page with a title, date or path, or "".
func (l linkNames) find(name string) string {
	if l.titles[name] {
		return name
	}
	if title, ok := dailyTitle(name); ok {
		return title
	}
	return l.paths[strings.TrimSuffix(strings.TrimPrefix(name, "/"), extension)]
}

// cutLink splits "target|label".
func cutLink(link string) (target, label string, labelled bool) {
	target, label, labelled = strings.Cut(link, "|")
	return strings.TrimSpace(target), strings.TrimSpace(label), labelled
}

func checkBox(text string) string {
	for _, box := range [...]struct{ mark, roam string }{
		{"[ ] ", "{{[[TODO]]}} "}, {"[x] ", "{{[[DONE]]}} "}, {"[X] ", "{{[[DONE]]}} "},
	} {
		if rest, ok := strings.CutPrefix(text, box.mark); ok {
			return box.roam + rest
		}
	}
	return text
}
