package wiki

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
)

// draft is the content that a caller wants a note to have.
type draft struct {
	blocks []outline.Block // without lines that hold the title or tags
	title  string          // that the content gives: a line Title:: at the top, or front matter
	tags   []string        // that the content declares: lines Tags:: at the top, or front matter
	tagged bool            // it declares tags, or that there are none
}

// readHeader is what get_note shows above the content.
var readHeader = regexp.MustCompile(`^# [^\n]*\n\n\*\*Path:\*\* [^\n]*\n(?:\*\*(?:Tags|Version|Created|Updated):\*\* [^\n]*\n)*\n---\n\n?`)

// draftOf reads the content that a caller sent. The header of a note that was read, and is
// sent back with it, is no content.
func draftOf(content string) draft {
	parsed := note.Parse(readHeader.ReplaceAllString(content, ""))
	d := draft{tags: parsed.Tags, tagged: parsed.Tags != nil}
	for _, block := range parsed.Blocks {
		switch name, value, _ := note.SplitProperty(block.String); {
		case strings.EqualFold(name, propTitle):
			if d.title == "" {
				d.title = value
			}
			d.blocks = append(d.blocks, block.Children...)
		case strings.EqualFold(name, propTags):
			d.tags, d.tagged = append(d.tags, note.Read(block.String, true).Declared...), true
			d.blocks = append(d.blocks, block.Children...)
		default:
			d.blocks = append(d.blocks, block)
		}
	}
	return d
}

// oneLine returns a text without line ends, and without blanks around it.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// titleLine returns the line that holds the title of a note, on the page with a title;
// empty where the page says it already.
func titleLine(title, page string) string {
	if title = oneLine(title); title == "" || title == plainTitle(page) {
		return ""
	}
	return propTitle + ":: " + title
}

// pagesNamed asks which pages some titles or tags may mean, by key.
func pagesNamed(ctx context.Context, c surface.Call, names []string) (map[string][]ops.PageFound, error) {
	var asked []string
	for _, key := range keys(names) {
		if key != "" && !slices.Contains(asked, key) {
			asked = append(asked, key)
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	return c.Graph().PagesOf(ctx, asked)
}

// keys returns the keys of tags.
func keys(tags []string) []string {
	var all []string
	for _, tag := range tags {
		all = append(all, note.Key(tag))
	}
	return all
}

// tagsLine returns the line that declares tags, empty where there are none. One that is
// the title of a page, in whatever spelling, is written with that title.
func tagsLine(tags []string, pages map[string][]ops.PageFound) string {
	exact := map[string]bool{}
	for _, tag := range tags {
		exact[strings.Trim(strings.TrimSpace(tag), "#[]")] = true
	}
	return note.TagsLine(tags, func(key string) (string, bool) {
		title := ""
		for _, page := range pages[key] {
			if title == "" || exact[page.Title] {
				title = page.Title
			}
		}
		return title, title != ""
	})
}

// change is what a call makes of the blocks of a note; nil leaves as it is.
type change struct {
	title, tags *string // the whole line; "": none
	blocks      *[]outline.Block
}

// of returns the blocks that a page is to have directly below it, of those that it has.
// Lines keep their place and their uid, and new ones stand in front; new content stands
// where the old one began. A note is left with a line at least, which gives its title.
func (ch change) of(now []outline.Block, page string) []outline.Block {
	if ch.blocks != nil {
		now = withContent(now, *ch.blocks)
	}
	if ch.tags != nil {
		now = withLine(now, propTags, *ch.tags)
	}
	if ch.title != nil {
		now = withLine(now, propTitle, *ch.title)
	}
	if len(now) == 0 {
		now = []outline.Block{{String: propTitle + ":: " + plainTitle(page)}}
	}
	return now
}

// isLine reports whether a block directly below a page is the line of a property.
func isLine(block outline.Block, name string) bool {
	has, _, ok := note.SplitProperty(block.String)
	return ok && strings.EqualFold(has, name)
}

// isContent reports whether a block directly below a page is content.
func isContent(block outline.Block) bool {
	return !isLine(block, propTitle) && !isLine(block, propTags)
}

// withContent puts content in the place of what there is of it.
func withContent(now, content []outline.Block) []outline.Block {
	at := slices.IndexFunc(now, isContent)
	if at < 0 {
		at = len(now)
	}
	return slices.Concat(now[:at], content, slices.DeleteFunc(slices.Clone(now[at:]), isContent))
}

// withLine gives a page one line of a property, or none. What stands below the lines that
// go stays below the one that is kept, or below its bare name.
func withLine(now []outline.Block, name, text string) []outline.Block {
	var out, below []outline.Block
	at, first := -1, outline.Block{}
	for _, block := range now {
		if !isLine(block, name) {
			out = append(out, block)
			continue
		}
		if at < 0 {
			at, first = len(out), block
		}
		below = append(below, block.Children...)
	}
	if text == "" && len(below) > 0 {
		text = name + "::"
	}
	if text == "" {
		return out
	}
	if at < 0 {
		for at = 0; name == propTags && at < len(out) && isLine(out[at], propTitle); at++ {
		}
	}
	first.String, first.Children = text, below
	return slices.Insert(out, at, first)
}
