// Package roammarkdown takes the markdown apart that Roam's reads return: blocks
// as bullets, each ending in a tag with its uid (LOCAL_API.md 9.6).
package roammarkdown

import (
	"regexp"
	"strconv"
	"strings"
)

// Block is one block, or the header line of a page.
type Block struct {
	Source  string // its lines, with the line breaks
	Depth   int    // 0 at the left edge
	Header  bool   // the title line of a page
	UID     string // empty where the text has none
	Refs    int    // blocks that link here
	Hidden  int    // children that were not shown
	Heading int    // heading level, 0 for none
}

// syntax holds the expressions that tell where a block ends and begins.
type syntax struct{ end, attribute, bullet *regexp.Regexp }

func newSyntax() syntax {
	return syntax{
		end:       regexp.MustCompile(`<roam(?:\s[^<>]*)?/>\s*$`),
		attribute: regexp.MustCompile(`([A-Za-z]+)="([^"]*)"`),
		bullet:    regexp.MustCompile(`^ *- `),
	}
}

// Blocks splits markdown into its blocks. A block ends with its tag, since its
// text may hold line breaks and code with bullets of its own; in text of old
// builds, without tags, a block starts at each bullet.
func Blocks(markdown string) []Block {
	s := newSyntax()
	tagged := strings.Contains(markdown, "<roam")
	var found []Block
	var open strings.Builder
	flush := func() {
		if open.Len() > 0 {
			found = append(found, s.block(open.String()))
			open.Reset()
		}
	}
	for line := range strings.Lines(markdown) {
		switch {
		case tagged && open.Len() == 0 && strings.TrimSpace(line) == "":
			// An empty line between blocks belongs to the one before it.
			if n := len(found); n > 0 {
				found[n-1].Source += line
			}
			continue
		case !tagged && s.bullet.MatchString(line):
			flush()
		}
		open.WriteString(line)
		if tagged && s.end.MatchString(line) {
			flush()
		}
	}
	flush()
	return found
}

func (s syntax) block(source string) Block {
	b := Block{Source: source}
	trimmed := strings.TrimLeft(source, " ")
	b.Depth = (len(source) - len(trimmed)) / 2
	b.Header = !strings.HasPrefix(trimmed, "- ")
	tag := s.end.FindString(strings.TrimRight(source, "\n"))
	for _, m := range s.attribute.FindAllStringSubmatch(tag, -1) {
		n, _ := strconv.Atoi(m[2]) // not a number: 0, as if it were absent
		switch m[1] {
		case "uid":
			b.UID = m[2]
		case "refs":
			b.Refs = n
		case "hiddenChildren":
			b.Hidden = n
		case "heading":
			b.Heading = n
		}
	}
	return b
}
