package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// getNoteVersion answers get_note_version.
func getNoteVersion(ctx context.Context, c surface.Call) (surface.Reply, error) {
	p, err := findPast(ctx, c, c.Args().Text("path"))
	if err != nil {
		return surface.Reply{}, err
	}
	v, then, err := p.version(ctx, c, c.Args().Text("version"))
	if err != nil {
		return surface.Reply{}, err
	}
	return textReply(c, then.header(versionName(v), v.Created.UnixMilli(), v.Updated.UnixMilli()), then.content()), nil
}
