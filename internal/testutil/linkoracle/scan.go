package linkoracle

import (
	"regexp"
	"strings"
	"unicode"
)

// kind is how a text mentions something.
type kind string

const (
	isLink      kind = "link"
	isTag       kind = "tag"
	isBlock     kind = "block"
	isComponent kind = "component"
	isAttribute kind = "attribute"
)

type mention struct {
	kind kind
	name string // a title, or the uid of a block
}

var (
	code      = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	formula   = regexp.MustCompile(`(?s)\$\$.*?\$\$`)
	address   = regexp.MustCompile(`https?://[^\s()]*\.[^\s()]*`)
	label     = regexp.MustCompile(`\[[^\[\]]*\]\(`)
	attribute = regexp.MustCompile(`^(\s*[^:\n\[\]]+(?::[^:\n\[\]]+)*)::`)
	component = regexp.MustCompile(`\{\{\s*\[\[`)
	blockRef  = regexp.MustCompile(`^\(\(([A-Za-z0-9_-]+)\)\)`)
)

// mentionsOf reads a text by the rules of LOCAL_API.md 9.3, from left to right,
// after what can't mention anything was made blank.
func mentionsOf(text string) []mention {
	text = code.ReplaceAllStringFunc(text, blank)
	for _, pattern := range []*regexp.Regexp{formula, address, label} {
		text = pattern.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "#", " ") })
	}
	var found []mention
	if m := attribute.FindStringSubmatch(text); m != nil {
		found = append(found, mention{isAttribute, m[1]})
	}
	names := map[int]bool{} // where the names of components begin
	for _, place := range component.FindAllStringIndex(text, -1) {
		begin := place[1] - 2
		after := strings.TrimLeft(text[begin+closing(text[begin:]):], " ")
		names[begin] = strings.HasPrefix(after, ":") || strings.HasPrefix(after, "}}")
	}
	for at := 0; at < len(text); {
		switch {
		case blockRef.MatchString(text[at:]):
			found = append(found, mention{isBlock, blockRef.FindStringSubmatch(text[at:])[1]})
			at += 2
		case strings.HasPrefix(text[at:], "[[") && closing(text[at:]) > 0:
			k := isLink
			if names[at] {
				k = isComponent
			} else if at > 0 && text[at-1] == '#' {
				k = isTag
			}
			found = append(found, mention{k, text[at+2 : at+closing(text[at:])-2]})
			at += 2
		case text[at] == '#':
			word := text[at+1:]
			if end := strings.IndexFunc(word, func(r rune) bool { return !inTag(r) }); end >= 0 {
				word = word[:end]
			}
			if word != "" {
				found = append(found, mention{isTag, word})
			}
			at += 1 + len(word)
		default:
			at++
		}
	}
	return found
}

func blank(s string) string { return strings.Repeat(" ", len(s)) }

func inTag(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_/.:@*'", r)
}

// closing returns where the brackets end that a text begins with, 0 where they
// don't.
func closing(text string) int {
	depth := 0
	for at := 0; at+1 < len(text); at++ {
		switch text[at : at+2] {
		case "[[":
			depth++
			at++
		case "]]":
			depth--
			at++
			if depth == 0 {
				return at + 1
			}
		}
	}
	return 0
}
