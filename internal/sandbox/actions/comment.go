package actions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/sandbox/desk"
)

func commentActions() map[string]action {
	return map[string]action{
		"data.block.addComment":   {desk.Append, on(addComment)},
		"data.ai.getComments":     {desk.Read, getComments},
		"data.ai.searchTemplates": {desk.Read, searchTemplates},
	}
}

// addComment is data.block.addComment: the uids of the new blocks, and that of the
// comment they belong to.
func addComment(c *call, asked struct {
	UID      string  `json:"block-uid"`
	Text     *string `json:"reply-string"`
	Markdown *string `json:"reply-markdown"`
	ReplyUID string  `json:"reply-uid"`
	Open     *bool   `json:"open-comment"`
}) (any, error) {
	if asked.UID == "" {
		return nil, c.missing("block-uid")
	}
	if (asked.Text == nil) == (asked.Markdown == nil) {
		return nil, fmt.Errorf("%s: exactly one of reply-string and reply-markdown is required", c.Action)
	}
	said := []outline.Block{{String: or(asked.Text, "")}}
	if err := markdown.Check(or(asked.Markdown, "")); err != nil {
		return nil, err
	}
	if asked.Markdown != nil {
		said = markdown.Importer(*asked.Markdown)
	}
	if len(said) == 0 || strings.TrimSpace(or(asked.Text, "")+or(asked.Markdown, "")) == "" {
		return nil, fmt.Errorf("%s: a comment needs text", c.Action)
	}
	if asked.ReplyUID != "" {
		said[0].UID = asked.ReplyUID
	}
	var made struct {
		UIDs   []string `json:"uids"`
		Parent string   `json:"parentUid"`
		flattening
	}
	err := c.write(func(w *outline.Writer) (err error) {
		made.UIDs, made.Parent, err = w.AddComment(asked.UID, c.Now.Location(), said)
		made.tell(w)
		return err
	})
	if err == nil && or(asked.Open, false) {
		c.Graph.window.addPane(pane{kind: paneBlock, uid: made.Parent}, 0)
	}
	return made, err
}

// comment is one of the results of data.ai.getComments.
type comment struct {
	ParentUID string  `json:"parentUid"`
	Author    string  `json:"author"`
	Created   string  `json:"createdTime"`
	Edited    string  `json:"editedTime"`
	Markdown  string  `json:"markdown"`
	Editable  *string `json:"singleEditableUid"` // null where the comment is more than one block
}

// getComments is data.ai.getComments. A hidden block has none, and hidden parts of a
// comment are left out.
func getComments(c *call) (any, error) {
	asked, err := c.withUID()
	if err != nil {
		return nil, err
	}
	db := c.read()
	block := asked.find(db)
	if block != 0 && outline.IsPage(db, block) {
		return nil, fmt.Errorf("%s: %q is a page, not a block: only blocks have comments", c.Action, Loggable(asked.UID))
	}
	found := struct {
		QueriedAt string    `json:"queriedAt"`
		Total     int       `json:"total"`
		Comments  []comment `json:"comments"`
	}{QueriedAt: c.queriedAt(), Comments: []comment{}}
	if block != 0 && !outline.Hidden(db, block) {
		for _, e := range outline.Comments(db, block) {
			if one, ok := readComment(db, e, asked.depth()); ok {
				found.Comments = append(found.Comments, one)
			}
		}
	}
	found.Total = len(found.Comments)
	return found, nil
}

// readComment reports false for a comment that is hidden as a whole.
func readComment(db *graphdb.DB, e graphdb.EID, depth int) (comment, bool) {
	created, _ := db.Int(e, graphdb.CreateTime)
	edited := created
	var lines []string
	var shown []graphdb.EID
	for _, said := range outline.Children(db, e) {
		text := outline.Render(db, said, outline.RenderOptions{MaxDepth: depth})
		if text == "" {
			continue
		}
		lines, shown = append(lines, text), append(shown, said)
	}
	for _, said := range outline.Subtree(db, e) {
		if at, ok := db.Int(said, graphdb.EditTime); ok {
			edited = max(edited, at)
		}
	}
	one := comment{
		ParentUID: db.String(e, graphdb.BlockUID),
		Author:    db.String(db.Ref(e, graphdb.CreateUser), graphdb.UserDisplayName),
		Created:   isoTime(time.UnixMilli(created)),
		Edited:    isoTime(time.UnixMilli(edited)),
		Markdown:  strings.Join(lines, "\n"),
	}
	if len(shown) == 1 && len(outline.Children(db, shown[0])) == 0 {
		uid := db.String(shown[0], graphdb.BlockUID)
		one.Editable = &uid
	}
	return one, len(shown) > 0
}

// template is one of the results of data.ai.searchTemplates.
type template struct {
	Name    string `json:"name"`
	UID     string `json:"uid"`
	Content string `json:"content"`
}

// searchTemplates is data.ai.searchTemplates: those whose names have all words
// of the query. Hidden blocks are among them (LOCAL_API.md 7.4).
func searchTemplates(c *call) (any, error) {
	var asked struct {
		Query string `json:"query"`
	}
	if len(c.Args) > 0 {
		if err := c.object(&asked); err != nil {
			return nil, err
		}
	}
	db := c.read()
	found := struct {
		QueriedAt string     `json:"queriedAt"`
		Results   []template `json:"results"`
	}{QueriedAt: c.queriedAt(), Results: []template{}}
	for _, e := range outline.Templates(db) {
		name := outline.TemplateName(outline.TextOf(db, e))
		if !hasWords(name, asked.Query) {
			continue
		}
		found.Results = append(found.Results, template{
			Name: name, UID: db.String(e, graphdb.BlockUID), Content: markdown.Bullets(outline.ReadTree(db, e)),
		})
	}
	return found, nil
}

func hasWords(text, words string) bool {
	text = strings.ToLower(text)
	lacks := func(word string) bool { return !strings.Contains(text, word) }
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(words)), lacks)
}
