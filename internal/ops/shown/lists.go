package shown

import "slices"

// Lists are the lists of a note beside its content.
type Lists [3][]string

// List is one of Lists.
type List int

// The lists of a note.
const (
	Tags List = iota // that it declares
	Images
	// Items are the uids of all blocks that are shown in a list of their own, and are no
	// content. Which of them were shown is known as of other blocks.
	Items
)

// MergeList returns what a list becomes of which somebody was shown one state and sends
// another: what is sent and was not shown comes, what was shown and is not sent goes, and
// all else stays as it is now. Items with one key are the same.
func MergeList(shown, sent, now []string, key func(string) string) []string {
	has := func(list []string, item string) bool {
		return slices.ContainsFunc(list, func(each string) bool { return key(each) == key(item) })
	}
	var out []string
	for _, item := range now {
		if !has(shown, item) || has(sent, item) {
			out = append(out, item)
		}
	}
	if reordered(shown, sent, key) {
		out = inOrderOf(sent, out, key)
	}
	at := 0
	for _, item := range sent {
		switch i := slices.IndexFunc(out, func(each string) bool { return key(each) == key(item) }); {
		case i >= 0:
			at = i + 1
		case !has(shown, item):
			out = slices.Insert(out, at, item)
			at++
		}
	}
	return out
}

// reordered reports whether what two lists have in common is in another order.
func reordered(a, b []string, key func(string) string) bool {
	place := map[string]int{}
	for i, item := range a {
		place[key(item)] = i
	}
	last := -1
	for _, item := range b {
		if at, ok := place[key(item)]; ok {
			if at < last {
				return true
			}
			last = at
		}
	}
	return false
}

// inOrderOf returns a list in which the items that another one has are in its order. The
// others keep their places.
func inOrderOf(order, list []string, key func(string) string) []string {
	var common, sorted []string
	for _, item := range list {
		if slices.ContainsFunc(order, func(each string) bool { return key(each) == key(item) }) {
			common = append(common, item)
		}
	}
	for _, item := range order {
		if at := slices.IndexFunc(common, func(each string) bool { return key(each) == key(item) }); at >= 0 {
			sorted = append(sorted, common[at])
			common = slices.Delete(common, at, at+1)
		}
	}
	out := slices.Clone(list)
	for i, item := range out {
		if len(sorted) > 0 && slices.ContainsFunc(order, func(each string) bool { return key(each) == key(item) }) {
			out[i], sorted = sorted[0], sorted[1:]
		}
	}
	return out
}
