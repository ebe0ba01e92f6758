package graph

import (
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// maxNamed is how many pages or blocks a node's warnings name, each in one of its
// own.
const maxNamed = 10

// fewerLinks says that a node has more links than are listed.
func fewerLinks(all, most int) string {
	if all <= most {
		return ""
	}
	return fmt.Sprintf("Only the first %d of %d links are listed", most, all)
}

// emptyPages names the pages that a node links to and that have no content, which
// are what a broken link is in Roux.
func emptyPages(n note.Node) []string {
	var warnings []string
	empty := 0
	for _, link := range note.Links(n) {
		if !link.Empty {
			continue
		}
		if empty++; empty <= maxNamed {
			warnings = append(warnings, "Empty page: "+textsafe.Quote("[["+link.Title+"]]"))
		}
	}
	if empty > maxNamed {
		warnings = append(warnings, fmt.Sprintf("%d more empty pages", empty-maxNamed))
	}
	return warnings
}

// distinctTags returns tags without those that are blank or equal to an earlier one, and
// warns of the equal ones.
func distinctTags(tags []string) (distinct, warnings []string) {
	seen := map[string]bool{}
	for _, tag := range tags {
		key := note.Key(tag)
		switch {
		case key == "":
		case seen[key]:
			warnings = append(warnings, "Duplicate tag ignored: "+textsafe.Line(tag, 80))
		default:
			seen[key] = true
			distinct = append(distinct, tag)
		}
	}
	return distinct, warnings
}

// keptInline warns of tags in the text of a node that are not among those that the
// caller wants it to have: nobody edits prose behind somebody's back.
func keptInline(n note.Node, wanted []string) []string {
	keys := map[string]bool{}
	for _, tag := range wanted {
		keys[note.Key(tag)] = true
	}
	var warnings []string
	for _, tag := range note.TagsOf(n).Inline {
		if !keys[note.Key(tag)] {
			warnings = append(warnings, fmt.Sprintf("Tag kept in the text: %s (%s)", textsafe.Quote(tag), surface.Counted(note.BlocksTagged(n, note.Key(tag)), "block")))
		}
	}
	return warnings
}

// orphaned warns of references to blocks that were deleted, which Roam turns into text.
func orphaned(referred []ops.Referring) []string {
	if len(referred) == 0 {
		return nil
	}
	var pages []string
	for _, each := range referred {
		if name := textsafe.Quote("[[" + each.Page + "]]"); !slices.Contains(pages, name) {
			pages = append(pages, name)
		}
	}
	more := ""
	if n := len(pages) - maxNamed; n > 0 {
		pages, more = pages[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	return []string{fmt.Sprintf("References to deleted blocks became plain text, on %s%s", strings.Join(pages, ", "), more)}
}

// unlinked says that links to a page that was deleted became plain text.
func unlinked(links, nodes int) string {
	if links == 0 {
		return ""
	}
	return fmt.Sprintf("%s in %s became plain text", surface.Counted(links, "link"), surface.Counted(nodes, "note"))
}
