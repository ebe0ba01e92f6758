package surface

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

// Resources returns what a person can put into a conversation.
func Resources(o Options) []Resource {
	return []Resource{
		{Path: "guidelines", Title: "Guidelines", About: "How this Roam graph is to be read and written.", Read: o.readGuidelines},
		{Path: "today", Title: "Today", About: "Today's daily note of this Roam graph.", Read: o.readToday},
	}
}

func (o Options) readGuidelines(ctx context.Context, c Call) (string, error) {
	text, err := c.Guidelines(ctx)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "This graph has no guidelines. The user can write some on the page [[" + GuidelinesTitle + "]].", nil
	}
	return CutLines(text, c.MaxReply(), c.World().Say(say("The tool %s, with %s %s, reads the rest.", problem.ReadPage, cmp.Or(o.ID, "title"), GuidelinesTitle))), nil
}

func (o Options) readToday(ctx context.Context, c Call) (string, error) {
	today := ops.Day(c.Now(), 0)
	page, err := c.Graph().ReadPage(ctx, ops.PageRef{UID: today}, nil)
	if err != nil {
		return "", err
	}
	markdown, found := page.Text("markdown")
	if !found {
		return fmt.Sprintf("There is no daily note for today (%s) yet.", today), nil
	}
	return CutBlocks(markdown, c.MaxReply(), c.World().Say(say("The tool %s, with %s %s, tells how to read the rest.", problem.ReadPage, cmp.Or(o.ID, "uid"), today))), nil
}
