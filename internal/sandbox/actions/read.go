package actions

import (
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
)

// The titles of the page with a graph's guidelines for agents.
const (
	guidelinesPage    = "roam/agent guidelines"
	oldGuidelinesPage = "agent guidelines" // in early 2026; looked up as it is written here
)

// guidelines is the result of data.ai.getGraphGuidelines.
type guidelines struct {
	QueriedAt     string   `json:"queriedAt"`
	Guidelines    *string  `json:"guidelines"` // null: no such page
	StarredPages  []string `json:"starredPages"`
	Homepage      *string  `json:"homepage"`
	TodaysPage    string   `json:"todaysDailyNotePage"`
	AIName        string   `json:"aiUserDisplayName"`
	AIPage        string   `json:"aiUserDisplayPage"`
	HumanUserName string   `json:"humanUserDisplayName"`

	ExtensionTools []offeredTool `json:"extensionTools,omitempty"`
}

// getGraphGuidelines is data.ai.getGraphGuidelines. It changes nothing.
func getGraphGuidelines(c *call) (any, error) {
	db := c.read()
	result := guidelines{
		QueriedAt: c.queriedAt(), StarredPages: starredPages(db), TodaysPage: outline.DailyTitle(c.Now),
		AIName: ai.name, AIPage: ai.name, HumanUserName: human.name,
		ExtensionTools: c.registry.extensionTools(),
	}
	title := guidelinesPage
	if c.OldGuidelines {
		title = oldGuidelinesPage
	}
	if page := outline.PageByTitle(db, title); page != 0 {
		text := markdown.Bullets(outline.VisibleTree(db, page))
		result.Guidelines = &text
	}
	return result, nil
}

// starredPages returns the titles of the shortcuts, in their order.
func starredPages(db *graphdb.DB) []string {
	titles := []string{}
	for _, page := range outline.Shortcuts(db) {
		titles = append(titles, outline.TextOf(db, page))
	}
	return titles
}

// node names a page or a block, and how deep to read it.
type node struct {
	UID      string `json:"uid"`
	Title    string `json:"title"`
	MaxDepth whole  `json:"maxDepth"`
}

// withUID decodes a node that must have a uid.
func (c *call) withUID() (node, error) {
	var asked node
	if err := c.object(&asked); err != nil {
		return node{}, err
	}
	if asked.UID == "" {
		return node{}, c.missing("uid")
	}
	return asked, nil
}

// find returns the page or block; 0 for none.
func (n node) find(db *graphdb.DB) graphdb.EID {
	if n.UID != "" {
		return outline.ByUID(db, n.UID)
	}
	return outline.PageByTitle(db, n.Title)
}

// depth returns how many levels to render: all, unless the call says otherwise.
func (n node) depth() int {
	if !n.MaxDepth.set {
		return outline.AllLevels
	}
	return max(0, n.MaxDepth.value)
}

// document is the result of data.ai.getPage and data.ai.getBlock.
type document struct {
	UID              string   `json:"uid"`
	Markdown         string   `json:"markdown"`
	Path             []string `json:"path,omitempty"`
	LinkedReferences preview  `json:"linkedReferences"`
	QueriedAt        string   `json:"queriedAt"`
}

// getPage is data.ai.getPage: null where there is no such page.
func getPage(c *call, asked node) (any, error) {
	if asked.UID == "" && asked.Title == "" {
		return nil, c.missing("uid or title")
	}
	db := c.read()
	page := asked.find(db)
	if page == 0 || !outline.IsPage(db, page) {
		return nil, nil
	}
	return c.document(db, page, asked.depth())
}

// getBlock is data.ai.getBlock: null where there is no such block or it is
// hidden. A page may be read by it too.
func getBlock(c *call) (any, error) {
	asked, err := c.withUID()
	if err != nil {
		return nil, err
	}
	db := c.read()
	block := asked.find(db)
	if block == 0 || outline.Hidden(db, block) {
		return nil, nil
	}
	result, err := c.document(db, block, asked.depth())
	result.Path = pathTo(db, block)
	return result, err
}

func (c *call) document(db *graphdb.DB, e graphdb.EID, depth int) (document, error) {
	preview, err := previewReferences(c, db, e)
	return document{
		UID:              db.String(e, graphdb.BlockUID),
		Markdown:         outline.Render(db, e, outline.RenderOptions{MaxDepth: depth}),
		LinkedReferences: preview,
		QueriedAt:        c.queriedAt(),
	}, err
}

// pathTo returns the texts of what lies above a block, the page first.
func pathTo(db *graphdb.DB, e graphdb.EID) []string {
	path := []string{}
	for _, step := range outline.Path(db, e) {
		path = append(path, step.Title)
	}
	return path
}
