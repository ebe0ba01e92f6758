package roundtriptest

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/rebuild"
)

// batch is how many trees are in one graph.
const batch = 100

// testTrees holds trees of every construct to the first law, as many in each profile.
func testTrees(t *testing.T, first, count int) {
	for n, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			holds := func(t testing.TB, trees []tree) []string { return firstLaw(t, profile, trees) }
			for from := 0; from < count && !t.Failed(); from += batch {
				t.Run(fmt.Sprintf("trees from %d", from), func(t *testing.T) {
					trees := make([]tree, min(batch, count-from))
					for i := range trees {
						trees[i] = newMaker(first + (from+i)*len(profiles) + n).tree()
					}
					report(t, trees, holds(t, trees), lesserTexts, holds)
				})
			}
		})
	}
}

// firstLaw says of each tree what a profile changes though it was told to change nothing, or
// to add one block.
func firstLaw(t testing.TB, profile string, trees []tree) []string {
	t.Helper()
	w := newWorld(t, profile, export(trees))
	before := w.graph()
	wrong := make([]string, len(trees))
	var added []string
	failed := false
	for i := range trees {
		uid, err := w.writtenBack(pageUID(i))
		if err != nil {
			wrong[i], failed = err.Error(), true
		}
		added = append(added, uid)
	}
	if failed {
		return wrong
	}
	after := w.graph()
	for i, uid := range added {
		if uid != "" {
			delete(after.Nodes, uid)
			page := after.Nodes[pageUID(i)]
			page.Children = page.Children[:len(page.Children)-1]
		}
	}
	if lines := rebuild.Differences(after, before); len(lines) > 0 {
		t.Errorf("elsewhere in the graph: %s", strings.Join(lines[:min(len(lines), 3)], "; "))
	}
	return wrong
}

// writtenBack writes a page back unchanged, and with one block more where the profile writes
// whole notes, and returns the uid of that.
func (w *world) writtenBack(page string) (added string, err error) {
	w.T.Helper()
	before := w.page(page)
	switch w.profile {
	case "roam":
		return "", w.textsBack(before, w.shownByRoam)
	case "outline":
		return "", w.textsBack(before, w.shownByOutline)
	}
	shown, err := w.note(before)
	if err != nil {
		return "", err
	}
	w.ResetCalls()
	if err := w.writeNote(before, shown.whole); err != nil {
		return "", fmt.Errorf("unchanged: %w\n     shown %q", err, shown.content)
	}
	if after := w.page(page).String(); after != before.String() {
		return "", fmt.Errorf("unchanged: %s\n     shown %q", firstDifference(after, before.String()), shown.content)
	}
	if wrote := w.wrote(); wrote != nil {
		return "", fmt.Errorf("unchanged: sends %q\n     shown %q", wrote, shown.content)
	}
	return w.addedOne(before)
}

// addedOne adds a block at the end of a note, in the form in which the note is shown.
func (w *world) addedOne(before stored) (added string, err error) {
	w.T.Helper()
	shown, err := w.note(before)
	if err != nil || strings.TrimSpace(shown.content) == "" && shown.items == nil {
		return "", err
	}
	with := shown.with("NEW")
	if err := w.writeNote(before, with); err != nil {
		return "", fmt.Errorf("one more: %w\n     sent %q", err, with)
	}
	after := w.page(before.UID)
	n := len(after.Children)
	if n == 0 || !strings.HasSuffix(after.Children[n-1].Text, "NEW") || after.Children[n-1].Children != nil {
		return "", fmt.Errorf("one more: the last block is not NEW: %s\n     sent %q", firstDifference(after.String(), before.String()), with)
	}
	if text := after.Children[n-1].Text; text != "NEW" && (shown.items == nil || text != "{{[[TODO]]}} NEW") {
		return "", fmt.Errorf("one more: it is %q\n     sent %q", text, with)
	}
	added, after.Children = after.Children[n-1].UID, after.Children[:n-1]
	if after.String() != before.String() {
		return "", fmt.Errorf("one more: %s\n     sent %q", firstDifference(after.String(), before.String()), with)
	}
	return added, nil
}

// textsBack sends the text of each block as it is shown.
func (w *world) textsBack(before stored, shown func(stored) (map[string]string, error)) error {
	w.T.Helper()
	texts, err := shown(before)
	if err != nil {
		return err
	}
	names := [2]string{"uid", "string"}
	if w.profile == "outline" {
		names = [2]string{"block_uuid", "content"}
	}
	for _, b := range flat(before.Children) {
		text, there := texts[b.UID]
		if !there {
			return fmt.Errorf("%s is not shown", b.UID)
		}
		if _, err := w.call("update_block", arguments{names[0]: b.UID, names[1]: text}); err != nil && outline.DecodeAnnotations(b.Text) == b.Text { // Roam's API stores no other
			return fmt.Errorf("unchanged: %w\n     sent %q", err, text)
		}
		if after := w.page(before.UID).String(); after != before.String() {
			return fmt.Errorf("unchanged: %s\n     sent %q", firstDifference(after, before.String()), text)
		}
	}
	return nil
}

// flat lists blocks with all below them, in reading order.
func flat(blocks []stored) []stored {
	var list []stored
	for _, b := range blocks {
		list = append(append(list, b), flat(b.Children)...)
	}
	return list
}
