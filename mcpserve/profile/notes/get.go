package notes

import (
	"context"

	"roam-mcp/internal/ops"
	"roam-mcp/mcpserve/surface"
)

// The bounds of the images that get_note shows beside a note. Clients refuse results
// above 1 MB.
const (
	maxShown      = 4
	maxShownBytes = 700 << 10 // of all
)

// getNote answers get_note.
func getNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	f, err := find(ctx, c, nil)
	if err != nil {
		return surface.Reply{}, err
	}
	reply := f.showing(f.long, c.Args().Number("offset", 0))
	if reply.Passage.From == 0 {
		reply.Images = pictures(ctx, c, f.images())
	}
	return reply, nil
}

// pictures reads the first images that are files of the graph and fit. One that can't be
// read is left out: its address is in the note.
func pictures(ctx context.Context, c surface.Call, addresses []string) []surface.Image {
	var images []surface.Image
	room := maxShownBytes
	for _, address := range addresses[:min(len(addresses), maxShown)] {
		file, err := c.Graph().ReadFile(ctx, address)
		if err != nil {
			continue
		}
		kind := ops.ImageForModels(file.Content)
		if kind == "" || len(file.Content) > room {
			continue
		}
		room -= len(file.Content)
		images = append(images, surface.Image{Data: file.Content, MediaType: kind})
	}
	return images
}
