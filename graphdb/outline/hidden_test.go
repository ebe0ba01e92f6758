package outline

import (
	"slices"
	"testing"

	"roam-mcp/graphdb"
)

func TestAllHidden(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "a|seen\n  b|kept #.rm-hide\n    c|below\n  d|also #[[.rm-private]]\ne|((b)) seen")
	n.page("About #.rm-hide", "f|on a page whose title says so")
	var all []string
	for e := range AllHidden(n.DB()) {
		all = append(all, n.DB().String(e, graphdb.BlockUID))
	}
	slices.Sort(all)
	var each []string
	for e := range n.DB().Entities(graphdb.BlockString) {
		if Hidden(n.DB(), e) {
			each = append(each, n.DB().String(e, graphdb.BlockUID))
		}
	}
	slices.Sort(each)
	if !slices.Equal(all, each) || !slices.Equal(all, []string{"b", "c", "d"}) {
		t.Errorf("all are %v, one by one %v", all, each)
	}
}
