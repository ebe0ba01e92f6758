package wiki

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/ops"
	"roam-mcp/mcpserve/surface"
)

// draft is the content that a caller wants a note to have.
type draft struct {
	blocks []outline.Block // without lines that hold the title or tags and are no content
	title  string          // that the content gives: a line Title:: at the top, or front matter
	tags   []string        // that the content declares: lines Tags:: at the top, or front matter
	within []string        // tags that lines of the content declare, with something below them
	tagged bool            // it declares tags, or that there are none
}

// readHeader is what get_note shows above the content.
var readHeader = lazyregexp.New(`^# [^\n]*\n\n\*\*Path:\*\* [^\n]*\n(?:\*\*(?:Tags|Version|Created|Updated):\*\* [^\n]*\n)*\n---\n\n?`)

// withoutHeader returns a content without the header of a note that was read, which is sent
// back with it.
func withoutHeader(content string) string { return readHeader.ReplaceAllString(content, "") }

// draftOf returns the draft for a content and a title that were sent; an empty title is
// none. A line that holds the title or tags is content where something is below it, where
// it is content of the note already, and where it has another title than the one sent.
func draftOf(parsed note.Parsed, title string, now note.Node) draft {
	d := draft{title: oneLine(title), tags: parsed.Tags, tagged: parsed.Tags != nil}
	shown := sync.OnceValue(func() map[string]bool {
		texts := map[string]bool{}
		for _, n := range note.Shown(now, propTags, propTitle) {
			texts[n.Text] = true
		}
		return texts
	})
	held := note.HeldBy(parsed.Blocks, propTags, propTitle)
	for i, block := range parsed.Blocks {
		stays := held[i] != "" && (len(block.Children) > 0 || shown()[block.String])
		switch {
		case held[i] == propTags && stays:
			d.within = append(d.within, note.Read(block.String, true).Declared...)
		case held[i] == propTags:
			d.tags, d.tagged = append(d.tags, note.Read(block.String, true).Declared...), true
			continue
		case held[i] == propTitle && !stays:
			if _, said, _ := note.SplitProperty(block.String); d.title == "" || d.title == oneLine(said) {
				d.title = oneLine(said)
				continue
			}
		}
		d.blocks = append(d.blocks, block)
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

// change is what a call makes of the lines of a note; nil leaves as it is.
type change struct {
	title, tags *string // the whole line; "": none
}

// of returns the blocks that a page is to have directly below it, of those that it has.
// Lines keep their place and their uid, and new ones stand in front. A note is left with a
// line at least, which gives its title. below tells below which of its blocks something
// stands.
func (ch change) of(now []outline.Block, page string, below func(outline.Block) bool) []outline.Block {
	if ch.tags != nil {
		place := 0
		for held := heldBy(now); place < len(now) && held[place] == propTitle; place++ {
		}
		now = note.SetLine(now, propTags, *ch.tags, place, below)
	}
	if ch.title != nil {
		now = withTitle(now, *ch.title, page, below)
	}
	if len(now) == 0 {
		now = []outline.Block{{String: propTitle + ":: " + plainTitle(page)}}
	}
	return now
}

// inWhole does ch to the visible blocks of a page, and leaves the hidden ones in their places.
func (ch change) inWhole(f found, want []outline.Block, page string) []outline.Block {
	hidden := map[string]string{} // texts by uid
	for _, child := range f.whole.Children {
		if child.Hidden {
			hidden[child.UID] = child.Text
		}
	}
	visible := 0
	masked := slices.Clone(want)
	for i := range masked {
		if _, hides := hidden[masked[i].UID]; hides {
			masked[i].String = ""
		} else {
			visible++
		}
	}
	if visible == 0 && ch.title == nil { // a page that has nothing to show is no note
		line := propTitle + ":: " + plainTitle(page)
		ch.title = &line
	}
	done := ch.of(masked, page, f.whole.Below())
	for i := range done {
		if text, hides := hidden[done[i].UID]; hides {
			done[i].String = text
		}
	}
	return done
}

// heldBy returns for each block directly below a page the line that it is, and "" for
// content.
func heldBy(blocks []outline.Block) []string { return note.HeldBy(blocks, propTags, propTitle) }

// withTitle gives a page a line as the one that holds its title; an empty one is none. Where
// another line would hold the title then, the page keeps one that says it. A line of new
// content stays, below one that holds the title.
func withTitle(now []outline.Block, line, page string, below func(outline.Block) bool) []outline.Block {
	own := outline.Block{String: cmp.Or(line, propTitle+":: "+plainTitle(page))}
	if at := slices.Index(heldBy(now), propTitle); at >= 0 && now[at].UID == "" {
		return slices.Concat([]outline.Block{own}, now)
	}
	titled := note.SetLine(now, propTitle, line, 0, below)
	if line == "" && slices.Contains(heldBy(titled), propTitle) {
		return note.SetLine(now, propTitle, own.String, 0, below)
	}
	return titled
}
