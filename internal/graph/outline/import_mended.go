package outline

import (
	"encoding/json"
	"errors"
	"fmt"

	"roam-mcp/internal/graph/graphdb"
)

// untitledPage is a page that gets a title when all others have theirs.
type untitledPage struct {
	page  graphdb.EID
	place string
}

// report tells what can't be imported as it is.
func (im *importer) report(format string, args ...any) {
	if im.options.Report != nil {
		im.options.Report(im.place + ": " + fmt.Sprintf(format, args...))
	}
}

// mendable reports a field of a wrong type, which encoding/json leaves out. use is
// false for what is no page, ok for any other error.
func (im *importer) mendable(err error) (use, ok bool) {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return err == nil, err == nil
	case wrong.Field == "":
		im.report("it is a %s and no page, so it is left out", wrong.Value)
		return false, true
	}
	im.report("%s is a %s, so it is left out", wrong.Field, wrong.Value)
	return true, true
}

// nameUntitled gives pages without a title one that no other has.
func (im *importer) nameUntitled() error {
	n := 1
	for _, u := range im.untitled {
		title := "Untitled"
		for ; PageByTitle(im.w.tx, title) != 0; n++ {
			title = fmt.Sprintf("Untitled %d", n+1)
		}
		if err := im.w.tx.Set(u.page, graphdb.NodeTitle, graphdb.StringValue(title)); err != nil {
			return err
		}
		im.place = u.place
		im.report("it has no title, so it is the page %s", quoted(title))
	}
	return nil
}

// atMost returns the blocks, all on one level if those below them would be too deep
// under the given number of ancestors.
func (im *importer) atMost(blocks []exported, ancestors int) []exported {
	if ancestors < MaxDepth {
		return blocks
	}
	flat := flattened(blocks, nil)
	if len(flat) > len(blocks) {
		im.report("its outline is more than %d levels deep, so that deeper blocks are on that level", MaxDepth)
	}
	return flat
}

// flattened adds the blocks and all below them, in the order in which they are read,
// without children.
func flattened(blocks, to []exported) []exported {
	for _, b := range blocks {
		below := b.Children
		b.Children = nil
		to = flattened(below, append(to, b))
	}
	return to
}
