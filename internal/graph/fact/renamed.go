package fact

import (
	"maps"
	"slices"
	"strings"
)

// Renames are the uids that blocks have got, by those that they had: Roam may not give a block the
// uid again with which it went.
type Renames map[string]string

// UID returns the uid that a page or block has by now.
func (r Renames) UID(uid string) string {
	if renamed, ok := r[uid]; ok {
		return renamed
	}
	return uid
}

// State returns facts with the uids that blocks have by now, in all fields, and where a text refers
// to one.
func (r Renames) State(s State) State {
	renamed := s
	renamed.Things = make(map[string]Fact, len(s.Things))
	for uid, f := range s.Things {
		renamed.Things[r.UID(uid)] = r.Fact(f)
	}
	return renamed
}

// Fact is State of one fact.
func (r Renames) Fact(f Fact) Fact {
	f = r.Place(f)
	for _, had := range slices.Sorted(maps.Keys(r)) {
		f.Text = strings.ReplaceAll(f.Text, "(("+had+"))", "(("+r[had]+"))")
		f.Title = strings.ReplaceAll(f.Title, "(("+had+"))", "(("+r[had]+"))")
	}
	return f
}

// Place is Fact but for text and title, which stay as they are.
func (r Renames) Place(f Fact) Fact {
	for _, uid := range []*string{&f.UID, &f.Page, &f.Parent, &f.Left, &f.Right} {
		*uid = r.UID(*uid)
	}
	f.Children = r.List(f.Children)
	return f
}

// List returns uids as UID does; nil for nil.
func (r Renames) List(uids []string) []string {
	uids = slices.Clone(uids)
	for i, uid := range uids {
		uids[i] = r.UID(uid)
	}
	return uids
}
