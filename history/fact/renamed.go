package fact

import (
	"maps"
	"slices"
	"strings"
)

// Renamed returns the facts with other uids of blocks, where Roam has given a block another one
// than it had: in all fields, and where a text refers to the block.
func (s State) Renamed(uids map[string]string) State {
	if len(uids) == 0 {
		return s
	}
	renamed := State{Things: make(map[string]Fact, len(s.Things)), Shortcuts: s.Shortcuts}
	for uid, f := range s.Things {
		renamed.Things[nameOf(uid, uids)] = f.renamed(uids)
	}
	return renamed
}

func nameOf(uid string, uids map[string]string) string {
	if renamed, ok := uids[uid]; ok {
		return renamed
	}
	return uid
}

func (f Fact) renamed(uids map[string]string) Fact {
	for _, uid := range []*string{&f.UID, &f.Page, &f.Parent, &f.Left, &f.Right} {
		*uid = nameOf(*uid, uids)
	}
	f.Children = slices.Clone(f.Children)
	for i, uid := range f.Children {
		f.Children[i] = nameOf(uid, uids)
	}
	for _, old := range slices.Sorted(maps.Keys(uids)) {
		f.Text = strings.ReplaceAll(f.Text, "(("+old+"))", "(("+uids[old]+"))")
		f.Title = strings.ReplaceAll(f.Title, "(("+old+"))", "(("+uids[old]+"))")
	}
	return f
}
