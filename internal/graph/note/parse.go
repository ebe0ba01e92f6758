package note

import (
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
)

// Parsed is the content that an agent writes.
type Parsed struct {
	Blocks []outline.Block
	Front  int      // how many of the blocks, from the first, are of YAML front matter
	Tags   []string // of YAML front matter; nil without
}

// Parse reads the content that an agent writes: Markdown (package markdown), in which
// [[page|text]] is [text]([[page]]). A YAML mapping in front becomes property lines, but for
// its tags. Any text is content.
func Parse(content string) Parsed {
	var p Parsed
	if front, rest, ok := CutFrontMatter(content); ok {
		if properties, ok := ParseProperties(front); ok && len(properties) > 0 {
			p.front(properties)
			p.Front, content = len(p.Blocks), rest
		}
	}
	blocks := markdown.Parse(content).Blocks
	roamTexts(blocks)
	p.Blocks = append(p.Blocks, blocks...)
	return p
}

// front adds front matter.
func (p *Parsed) front(properties []Property) {
	for _, property := range properties {
		if key := strings.ToLower(property.Key); (key == "tags" || key == "tag") && property.Children == nil {
			p.Tags = append(p.Tags, ListedTags(property.Value)...)
		} else {
			p.Blocks = append(p.Blocks, propertyBlocks([]Property{property})...)
		}
	}
}

func propertyBlocks(properties []Property) []outline.Block {
	var out []outline.Block
	for _, property := range properties {
		out = append(out, outline.Block{String: property.Text(), Children: propertyBlocks(property.Children)})
	}
	return out
}

// roamTexts turns the texts of blocks into Roam's.
func roamTexts(blocks []outline.Block) {
	for i := range blocks {
		blocks[i].String = unescapeBars(labelled(blocks[i].String))
		roamTexts(blocks[i].Children)
	}
}

// labelled turns [[page|text]] into [text]([[page]]), and leaves the label out where the
// link is already the target of an alias.
func labelled(text string) string {
	var b strings.Builder
	at := 0
	for _, link := range pageLinks(text) {
		content := link.Content(text)
		bar := separator(content)
		if bar < 0 {
			continue
		}
		target, label := strings.TrimSpace(content[:bar]), strings.TrimSpace(content[bar+1:])
		written := "[[" + target + "]]"
		switch {
		case target == "":
			continue
		case label == "" || strings.ContainsAny(label, "[]") || strings.HasSuffix(text[:link.Start], "]("):
		case !isAlias("[" + label + "]([[" + target + "]])"):
		default:
			written = "[" + label + "](" + written + ")"
		}
		b.WriteString(text[at:link.Start] + written)
		at = link.End
	}
	return b.String() + text[at:]
}

// isAlias reports whether a text is one alias and nothing else.
func isAlias(text string) bool {
	spans := roamtext.Spans(text)
	return len(spans) > 0 && spans[0].Kind == roamtext.Alias && spans[0].Start == 0 && spans[0].End == len(text)
}

// separator returns the place of the first | without a backslash, or -1.
func separator(link string) int {
	for i := range len(link) {
		if link[i] == '|' && (i == 0 || link[i-1] != '\\') {
			return i
		}
	}
	return -1
}
