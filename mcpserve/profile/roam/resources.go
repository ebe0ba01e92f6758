package roam

import (
	"context"
	"fmt"
	"strings"

	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
)

// resources are what a person can put into a conversation.
func resources() []surface.Resource {
	return []surface.Resource{
		{Path: "guidelines", Title: "Guidelines", About: "How this Roam graph is to be read and written.", Read: readGuidelines},
		{Path: "today", Title: "Today", About: "Today's daily note of this Roam graph.", Read: readToday},
	}
}

func readGuidelines(ctx context.Context, c surface.Call) (string, error) {
	text, err := c.Guidelines(ctx)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "This graph has no guidelines. The user can write some on the page [[" + guidelinesTitle + "]].", nil
	}
	return surface.CutLines(text, c.MaxReply(), c.World().Say(say("The tool %s, with title %s, reads the rest.", task.ReadPage, guidelinesTitle))), nil
}

func readToday(ctx context.Context, c surface.Call) (string, error) {
	today := ops.Day(c.Now(), 0)
	page, err := c.Graph().ReadPage(ctx, ops.PageRef{UID: today}, nil)
	if err != nil {
		return "", err
	}
	markdown, found := page.Text("markdown")
	if !found {
		return fmt.Sprintf("There is no daily note for today (%s) yet.", today), nil
	}
	return surface.CutBlocks(markdown, c.MaxReply(), c.World().Say(say("The tool %s, with uid %s, tells how to read the rest.", task.ReadPage, today))), nil
}
