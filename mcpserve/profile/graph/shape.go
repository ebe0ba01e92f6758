package graph

import (
	"math"
	"strings"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/mcpserve/surface"
)

// The greatest lengths of content, in characters (profiles/graph.md, "Limits").
const (
	wholeContent    = 10_000 // of one node
	listedContent   = 500    // in a list
	foundContent    = 150    // of a page that was found for a block of it, which is shown beside it
	neighborContent = 200    // of the neighbors of get_node
	matchContent    = 200    // of the block that was found
	blockTitle      = 80     // of a block's text as its title
)

// The greatest numbers of links that a node shows (profiles/graph.md, "Limits").
const (
	wholeLinks  = 100
	listedLinks = 20
	foundLinks  = 3 // of search
	foundTags   = 5
)

// linkInfo is a node that another one links to.
type linkInfo struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// nodeResponse is a node as a model reads it. The fields up to links are the
// seed's, the others are ours.
type nodeResponse struct {
	ID        string     `json:"id"`
	Title     string     `json:"title"`
	Content   string     `json:"content"`
	Tags      []string   `json:"tags"`
	Links     []linkInfo `json:"links"`
	Score     *float64   `json:"score,omitempty"`     // of search
	Direction string     `json:"direction,omitempty"` // of a neighbor: in, out or both
	Match     *match     `json:"match,omitempty"`     // of search: the block that was found
	Created   string     `json:"created,omitempty"`
	Updated   string     `json:"updated,omitempty"`
	Kind      note.Kind  `json:"kind,omitempty"` // where it is not plain
	Warnings  []string   `json:"_warnings,omitempty"`
}

// match is the block for which a page was found.
type match struct {
	ID      string `json:"id"`
	Content string `json:"content"`
}

// nodeWithContext is a node with its neighbors.
type nodeWithContext struct {
	nodeResponse
	IncomingCount int            `json:"incomingCount"`
	OutgoingCount int            `json:"outgoingCount"`
	Neighbors     []nodeResponse `json:"neighbors"`
}

// hubResponse is a node with its value of a metric.
type hubResponse struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	Score float64 `json:"score"`
}

// pathResponse is a way from one node to another.
type pathResponse struct {
	Path   []string `json:"path"`
	Length int      `json:"length"` // number of links
	Titles []string `json:"titles"`
	Steps  []string `json:"steps,omitempty"` // of an undirected path: how each link is walked
}

// extent is how much of a node is shown: characters of content, and links.
type extent struct{ content, links int }

func whole() extent    { return extent{content: wholeContent, links: wholeLinks} }
func listed() extent   { return extent{content: listedContent, links: listedLinks} }
func found() extent    { return extent{content: listedContent, links: foundLinks} }
func neighbor() extent { return extent{content: neighborContent, links: listedLinks} }

// shape returns a page or a block as a model reads it.
func shape(n note.Node, e extent) nodeResponse { return shapeWith(n, contentOf(n), e) }

// shapeWith is shape where the content is known.
func shapeWith(n note.Node, content string, e extent) nodeResponse {
	links := note.Links(n)
	shaped := nodeResponse{
		ID: n.UID, Title: titleOf(n), Content: surface.CutCharacters(content, e.content),
		Tags: note.TagsOf(n).All(), Links: []linkInfo{},
		Created: isoTime(n.CreatedAt()), Updated: isoTime(n.UpdatedAt()), Kind: kindOf(n),
	}
	for _, link := range links[:min(len(links), e.links)] {
		shaped.Links = append(shaped.Links, linkInfo{link.UID, link.Title})
	}
	shaped.warn(fewerLinks(len(links), e.links))
	return shaped
}

// warn adds warnings; empty ones are none.
func (n *nodeResponse) warn(warnings ...string) {
	for _, each := range warnings {
		if each != "" {
			n.Warnings = append(n.Warnings, each)
		}
	}
}

// kindOf returns the kind of a page where it is worth a word.
func kindOf(n note.Node) note.Kind {
	if kind := note.KindOfTitle(n.Title); n.IsPage() && kind != note.Plain {
		return kind
	}
	return ""
}

// titleOf returns the title of a page, or the text of a block as one line.
func titleOf(n note.Node) string {
	if n.IsPage() {
		return n.Title
	}
	texts := map[string]string{}
	for _, ref := range n.Refs {
		if ref.Title == "" && !ref.Hidden {
			texts[ref.UID] = ref.Text
		}
	}
	text := outline.ReplaceBlockRefs(n.Text, func(uid string) (string, bool) { text, ok := texts[uid]; return text, ok })
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return string(runes[:min(len(runes), blockTitle)])
}

// contentOf returns the content of a page, or of a block with all below it.
func contentOf(n note.Node) string { return rendering(n).Text }

func rendering(n note.Node) note.Rendering {
	if n.IsPage() {
		return note.Render(n, note.TagsName)
	}
	return note.Render(note.Node{UID: n.PageUID, Title: n.PageTitle, Children: []note.Node{n}})
}

// isoTime returns a time in ms since 1970 as ISO 8601 has it; empty for 0.
func isoTime(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format(time.RFC3339)
}

// rounded returns a score with a number of decimals, and never makes 0 of one that
// is above.
func rounded(score float64, decimals int) float64 {
	units := math.Pow10(decimals)
	return max(math.Round(score*units), 1) / units
}
