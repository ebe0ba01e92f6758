package notes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// The bounds of images that a call sends.
const (
	maxImages     = 10
	maxImageBytes = 8 << 20
)

// draft is what a call wants a note to be. What it leaves out stays as it is.
type draft struct {
	title, content   *string
	color, kind      *string
	items            *[]item   // without id: a new one
	labels           *[]string // labels as the call has them
	images           *[]picture
	pinned, archived *bool
}

// picture is an image of a draft: one that has an address, or one to upload.
type picture struct {
	address string
	base64  string
}

// draftOf reads the arguments of a call. Nothing is written where one is wrong.
func draftOf(c surface.Call) (draft, error) {
	args := c.Args()
	d := draft{
		title: surface.Optional[string](args, "title"), content: surface.Optional[string](args, "content"), color: surface.Optional[string](args, "color"),
		kind: surface.Optional[string](args, "type"), pinned: surface.Optional[bool](args, "isPinned"), archived: surface.Optional[bool](args, "isArchived"),
	}
	if d.title != nil {
		title := strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(*d.title)) // one line
		if d.title = &title; title == "" {
			d.title = nil
		}
	}
	if args.Has("labels") { // null takes all away, as an empty list does
		labels := args.List("labels")
		d.labels = &labels
	}
	if args.Has("checkItems") {
		items, err := itemsOf(c.ToolName(), args.Values("checkItems"))
		if err != nil {
			return draft{}, err
		}
		d.items = &items
	}
	if args.Has("images") {
		images, err := picturesOf(c.ToolName(), args.List("images"))
		if err != nil {
			return draft{}, err
		}
		d.images = &images
	}
	return d, nil
}

// below returns the names of the fields that are told by blocks below the note.
func (d draft) below() []string {
	var names []string
	for name, there := range map[string]bool{
		"content": d.content != nil, "color": d.color != nil, "checkItems": d.items != nil, "labels": d.labels != nil,
		"images": d.images != nil, "isArchived": d.archived != nil,
	} {
		if there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// itemsOf reads items: objects, or texts of items that are not checked. One with an empty
// text is an empty task, which Roam has too.
func itemsOf(tool string, values []json.RawMessage) ([]item, error) {
	fields := checkItemsParam("").Fields
	items := make([]item, 0, len(values))
	for i, value := range values {
		var each item
		if json.Unmarshal(value, &each.Text) != nil || string(value) == "null" {
			given, err := surface.ParseArguments(fmt.Sprintf("%s: checkItems[%d]", tool, i), value, fields, nil)
			if err != nil {
				return nil, err
			}
			each = item{strings.TrimSpace(given.Text("id")), given.Text("text"), given.Flag("checked", false)}
		}
		each.Text = strings.TrimSpace(each.Text)
		items = append(items, each)
	}
	return items, nil
}

// picturesOf reads images: addresses, also as a block shows them, and files in base64,
// also as data addresses.
func picturesOf(tool string, list []string) ([]picture, error) {
	if len(list) > maxImages {
		return nil, surface.Invalid(tool, "images are %d; at most %d are taken at once.", len(list), maxImages)
	}
	pictures := make([]picture, 0, len(list))
	for i, text := range list {
		if address, ok := ops.FileAddress(text); ok {
			pictures = append(pictures, picture{address: address})
			continue
		}
		file, err := ops.Decode(text, ops.Given{})
		switch {
		case err != nil:
			return nil, surface.Invalid(tool, "images[%d] is neither the address of an image nor an image in base64.", i)
		case len(file.Content) > maxImageBytes:
			return nil, surface.Invalid(tool, "images[%d] has %d bytes; at most %d are taken.", i, len(file.Content), maxImageBytes)
		case !strings.HasPrefix(file.MediaType, "image/"):
			return nil, surface.Invalid(tool, "images[%d] is no image, but %s.", i, textsafe.Quote(file.MediaType))
		}
		pictures = append(pictures, picture{base64: text})
	}
	return pictures, nil
}
