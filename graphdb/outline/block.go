package outline

// Block is one block of a tree, as markdown and imports give it and as writes
// take it.
type Block struct {
	String           string
	UID              string // "": one is made
	Heading          int    // 1 to 3; 0: none
	Collapsed        bool   // children are folded away (:block/open false)
	TextAlign        string // "left", "center", "right", "justify"; "": not set
	ChildrenViewType string // "bullet", "numbered", "document"; "": not set
	BlockViewType    string // "outline", "horizontal-outline", …; "": not set
	Props            string // JSON; "": none
	Children         []Block

	// Annotation holds the attributes of the tag <roam …/> behind the text. Only
	// ParseAnnotated and AnnotatedMarkdown know it; nil: there is no tag.
	Annotation map[string]string
}

// MaxDepth is how deep a tree may be. Markdown that goes deeper is flattened at
// this level; an import that does is refused.
const MaxDepth = 200

// CountBlocks is the number of blocks in the trees.
func CountBlocks(blocks []Block) int {
	n := len(blocks)
	for i := range blocks {
		n += CountBlocks(blocks[i].Children)
	}
	return n
}
