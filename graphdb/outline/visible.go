package outline

import "roam-mcp/graphdb"

// VisibleTree returns an entity's children as trees, without hidden ones.
func VisibleTree(r graphdb.Reader, e graphdb.EID) []Block {
	return visibleTree(r, hidingPages(r), e, map[graphdb.EID]bool{e: true})
}

func visibleTree(r graphdb.Reader, marks []graphdb.EID, e graphdb.EID, seen map[graphdb.EID]bool) []Block {
	var out []Block
	for _, k := range Children(r, e) {
		if seen[k] || marked(r, marks, k) {
			continue
		}
		seen[k] = true
		b := ReadBlock(r, k)
		b.Children = visibleTree(r, marks, k, seen)
		out = append(out, b)
	}
	return out
}
