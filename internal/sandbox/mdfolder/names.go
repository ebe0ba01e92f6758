package mdfolder

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
)

const extension = ".md"

// fileNames makes names of files that are valid on every file system, and different
// on every one. It holds the keys of those that are taken.
type fileNames map[string]bool

// of returns the name for the file of a page. The title itself is in the file.
func (taken fileNames) of(title string) string {
	base := safeName(title)
	name := base
	for n := 2; taken[sameName(name)]; n++ {
		name = fmt.Sprintf("%s (%d)", base, n)
	}
	taken[sameName(name)] = true
	return name + extension
}

// sameName returns a key that names have in common which some file system takes for
// one: such as differ in upper and lower case, by which table of Unicode ever, or in
// their form of normalization.
func sameName(name string) string {
	const dottedI, i = "i\u0307", "i" // what "\u0130" becomes, by one table or the other
	folded := cases.Fold().String(strings.ToUpper(norm.NFKD.String(name)))
	return norm.NFKC.String(strings.ReplaceAll(folded, dottedI, i))
}

// maxName bounds a name, in bytes; file systems allow 255.
const maxName = 120

func safeName(title string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, norm.NFC.String(title))
	name = strings.TrimSpace(name)
	for len(name) > maxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	name = strings.TrimRight(name, ". ")
	stem, _, _ := strings.Cut(norm.NFKC.String(strings.ToUpper(name)), ".")
	switch {
	case name == "", name[0] == '.', reservedName(strings.TrimSpace(stem)): // hidden, or a device on Windows
		return "_" + name
	}
	return name
}

func reservedName(stem string) bool {
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && stem[3] >= '0' && stem[3] <= '9'
}

// linkNames resolves the links in files of other programs.
type linkNames struct {
	titles map[string]bool   // of all pages
	paths  map[string]string // path without extension → title

	folder    string // of the file whose links are resolved
	plainTags bool   // a # begins no tag

	mentioned map[string]bool // titles in the results of roamText
	uids      map[string]bool // that blocks have been given
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
// labels, to headings, to paths, to files, embedded pages, and tags that are none or end
// earlier.
func (l linkNames) rewrite(text string) string {
	if !strings.ContainsAny(text, "[#") {
		return text
	}
	var b strings.Builder
	at := 0
	for _, r := range roamtext.Spans(text) {
		if r.Start < at {
			continue
		}
		start := r.Start
		written, changed := "", false
		switch r.Kind {
		case roamtext.PageLink, roamtext.TagLink:
			if strings.Contains(r.Content(text), "[[") {
				continue
			}
			bang := r.Kind == roamtext.PageLink && start > at && text[start-1] == '!'
			written, changed = l.link(r.Content(text), r.Kind == roamtext.TagLink, bang)
			if strings.HasPrefix(written, "{{") {
				start--
			}
		case roamtext.Tag:
			escaped := start > at && text[start-1] == '\\'
			written, changed = l.tag(r.Content(text), escaped)
			if escaped {
				start--
			}
		case roamtext.Alias, roamtext.Image:
			written, changed = l.fileLink(r.Content(text), r.Target(text), r.Kind == roamtext.Image)
		}
		if changed {
			b.WriteString(text[at:start] + written)
			at = r.End
		}
	}
	return b.String() + text[at:]
}

// tag returns a tag in Roam's syntax, and whether that differs. In other programs the
// signs at its end do not belong to it. One that is none there becomes code.
func (l linkNames) tag(title string, escaped bool) (string, bool) {
	short := strings.TrimRight(title, ".:@*'")
	rest := title[len(short):]
	switch {
	case (escaped || l.plainTags) && short != "":
		return "`#" + short + "`" + rest, true
	case escaped || l.plainTags:
		return "`#" + title + "`", true
	case short == "" || rest == "" || l.titles[title]:
		return "", false
	}
	return "#[[" + short + "]]" + rest, true
}

// fileLink returns the link for [label](target), and whether the target is a file of
// the folder.
func (l linkNames) fileLink(label, target string, embed bool) (string, bool) {
	target = strings.TrimSpace(linkTitle.ReplaceAllString(target, ""))
	target = strings.TrimSuffix(strings.TrimPrefix(target, "<"), ">")
	target, _, _ = strings.Cut(target, "#")
	if decoded, err := url.PathUnescape(target); err == nil {
		target = decoded
	}
	if !isMarkdown(target) {
		return "", false
	}
	stem := norm.NFC.String(strings.TrimSuffix(target, path.Ext(target)))
	title := l.paths[path.Join(l.folder, stem)]
	if strings.HasPrefix(stem, "/") || title == "" {
		title = l.find(path.Clean(stem)) // from the root of the folder, or a name that is unique
	}
	switch {
	case !l.titles[title]:
		return "", false
	case embed:
		return "{{[[embed]]: [[" + title + "]]}}", true
	case label == "" || label == title:
		return "[[" + title + "]]", true
	}
	return "[" + label + "]([[" + title + "]])", true
}

// linkTitle matches the title of a markdown link: [label](target "title").
var linkTitle = lazyregexp.New(`\s+(?:"[^"]*"|'[^']*')\s*$`)

// link returns a link in Roam's syntax, and whether that differs.
func (l linkNames) link(link string, tag, embed bool) (string, bool) {
	target, label, labelled := note.CutLink(link)
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
