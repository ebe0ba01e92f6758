package mcpserve_test

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
)

// canary is in texts of blocks that are hidden, or below such.
const canary = "canary"

// TestNoHiddenBlockIsInAnAgentsOwnChanges looks for texts and uids of hidden blocks in all replies of
// the tools for own changes.
func TestNoHiddenBlockIsInAnAgentsOwnChanges(t *testing.T) {
	const hide, secretly = " #.rm-hide", " #.rm-private"
	write := func(tool, arguments string) func(*testing.T, ownWorld, *profiletest.Client) {
		return func(t *testing.T, _ ownWorld, c *profiletest.Client) { does(t, c, tool, arguments) }
	}
	update := write("update_block", `{"uid":"below0001","string":"`+canary+`"}`)
	person := func(uid, text string) func(*testing.T, ownWorld, *profiletest.Client) {
		return func(_ *testing.T, w ownWorld, _ *profiletest.Client) { w.person(uid, text) }
	}
	remove := func(uid string) func(*testing.T, ownWorld, *profiletest.Client) {
		return func(_ *testing.T, w ownWorld, _ *profiletest.Client) {
			w.Roam("data.block.delete", fields{"block": fields{"uid": uid}})
		}
	}
	move := func(uid, parent string) func(*testing.T, ownWorld, *profiletest.Client) {
		return func(_ *testing.T, w ownWorld, _ *profiletest.Client) {
			w.Roam("data.block.move", fields{"block": fields{"uid": uid}, "location": fields{"parent-uid": parent, "order": 0}})
		}
	}
	for name, test := range map[string]struct {
		steps []func(*testing.T, ownWorld, *profiletest.Client)
		uids  []string // that are in no reply
	}{
		"a text that a person has hidden since":          {steps: []func(*testing.T, ownWorld, *profiletest.Client){update, person("below0001", canary+hide)}, uids: []string{"below0001"}},
		"a text that is private since":                   {steps: []func(*testing.T, ownWorld, *profiletest.Client){update, person("below0001", canary+secretly)}, uids: []string{"below0001"}},
		"another text that is hidden since":              {steps: []func(*testing.T, ownWorld, *profiletest.Client){write("update_block", `{"uid":"below0001","string":"plain"}`), person("below0001", canary+hide)}, uids: []string{"below0001"}},
		"a text below a block that is hidden since":      {steps: []func(*testing.T, ownWorld, *profiletest.Client){update, person("two000001", "two"+hide)}, uids: []string{"below0001"}},
		"a changed text below one that is hidden":        {steps: []func(*testing.T, ownWorld, *profiletest.Client){update, person("below0001", canary+" again"), person("two000001", "two"+hide)}, uids: []string{"below0001"}},
		"what was moved below a hidden block":            {steps: []func(*testing.T, ownWorld, *profiletest.Client){update, person("three0001", "three"+hide), move("two000001", "three0001")}, uids: []string{"below0001"}},
		"a change of what was hidden already":            {steps: []func(*testing.T, ownWorld, *profiletest.Client){person("below0001", canary+hide), write("update_block", `{"uid":"below0001","string":"shown"}`)}, uids: []string{"below0001"}},
		"a deletion of what was hidden":                  {steps: []func(*testing.T, ownWorld, *profiletest.Client){person("below0001", canary+hide), write("delete_block", `{"uid":"below0001"}`)}, uids: []string{"below0001"}},
		"a deletion of what is above something hidden":   {steps: []func(*testing.T, ownWorld, *profiletest.Client){person("below0001", canary+hide), write("delete_block", `{"uid":"two000001"}`)}, uids: []string{"below0001"}},
		"a deletion below what is hidden":                {steps: []func(*testing.T, ownWorld, *profiletest.Client){person("two000001", "two"+hide), update, write("delete_block", `{"uid":"below0001"}`)}, uids: []string{"below0001"}},
		"a deletion below what was hidden and is gone":   {steps: []func(*testing.T, ownWorld, *profiletest.Client){update, write("delete_block", `{"uid":"below0001"}`), person("two000001", "two"+hide), remove("two000001")}, uids: []string{"below0001"}},
		"a page that was deleted with hidden blocks":     {steps: []func(*testing.T, ownWorld, *profiletest.Client){person("below0001", canary+hide), write("delete_page", `{"uid":"planq4000"}`)}, uids: []string{"below0001"}},
		"what was made, and is hidden since":             {steps: []func(*testing.T, ownWorld, *profiletest.Client){write("create_block", `{"parentUid":"two000001","markdown":"- made\n  - `+canary+`"}`), person("two000001", "two"+hide)}},
		"blocks among which others are hidden":           {steps: []func(*testing.T, ownWorld, *profiletest.Client){person("one000001", canary+hide), write("move_blocks", `{"parentUid":"planq4000","uids":["three0001","two000001"],"order":"first"}`), move("three0001", "other0001"), move("one000001", "other0001")}, uids: []string{"one000001"}},
		"a text that is hidden, and shown again, by one": {steps: []func(*testing.T, ownWorld, *profiletest.Client){person("two000001", canary+hide), write("update_block", `{"uid":"two000001","string":"two"}`), person("two000001", "two again")}, uids: []string{"two000001"}},
	} {
		for _, adverse := range []string{"", "ignored=data.block.update", "ignored=data.block.create", "drop=1"} {
			t.Run(name+" "+adverse, func(t *testing.T) {
				t.Parallel()
				w := newOwnWorld(t, nil)
				c := w.as("claude")
				for _, step := range test.steps {
					step(t, w, c)
				}
				words := []string{canary}
				if adverse == "" { // else what is hidden again by an undo may not be, and is shown then
					words = append(words, test.uids...)
				}
				for _, reply := range ownReplies(t, w, c, adverse) {
					for _, word := range words {
						if strings.Contains(reply, word) {
							t.Errorf("%s is in %s", word, reply)
						}
					}
				}
			})
		}
	}
}

// ownReplies returns the replies of all calls of the tools that there can be, before and after an undo of
// each change by a Roam with a switch.
func ownReplies(t *testing.T, w ownWorld, c *profiletest.Client, adverse string) (replies []string) {
	t.Helper()
	ask := func(tool, arguments string) { replies = append(replies, c.Call(tool, arguments).String()) }
	see := func() (numbers []string) {
		ask("my_changes", `{}`)
		numbers = listOwn(t, c, `{}`).numbers()
		for _, number := range numbers {
			ask("get_change", fmt.Sprintf(`{"change":%q}`, number))
		}
		return numbers
	}
	numbers := see()
	ask("undo_changes", `{"session":"this","dryRun":true}`)
	for _, number := range numbers {
		if adverse != "" {
			w.Switch(adverse)
		}
		ask("undo_changes", fmt.Sprintf(`{"changes":[%q]}`, number))
		w.Sandbox.Clear()
	}
	see()
	return replies
}

func TestWhatIsHiddenIsCounted(t *testing.T) {
	w := newOwnWorld(t, nil)
	c := w.as("claude")
	does(t, c, "update_blocks", `{"updates":[{"uid":"one000001","string":"uno"},{"uid":"two000001","string":"due"}]}`)
	w.person("two000001", canary+" #.rm-hide")
	var change struct {
		Blocks   []struct{ UID string }
		NotShown int
	}
	c.Call("get_change", `{"change":"1"}`).Decode(t, &change)
	if len(change.Blocks) != 1 || change.NotShown != 1 {
		t.Errorf("it is %+v", change)
	}
	if undone := undoOwn(t, c, `{}`); fmt.Sprint(undone.Undone, undone.Left, undone.NotShown) != "[1] [] 1" {
		t.Errorf("undone is %+v", undone)
	}
}

func TestBlocksThatComeBackWithOtherUIDsAreTold(t *testing.T) {
	w := newOwnWorld(t, nil)
	w.Roam("data.block.create", fields{"location": fields{"parent-uid": "two000001", "order": 0}, "block": fields{"uid": "hidden001", "string": canary + " #.rm-hide"}})
	w.Switch("uids=refused")
	c := w.as("claude")
	does(t, c, "delete_block", `{"uid":"two000001"}`)
	undone := undoOwn(t, c, `{}`)
	if len(undone.Renewed) != 2 || undone.Renewed["two000001"] == "" || undone.Renewed["below0001"] == "" || len(undone.Left) > 0 {
		t.Errorf("undone is %+v", undone)
	}
	if now := w.texts(); !strings.Contains(now, undone.Renewed["below0001"]+" below two") || !strings.Contains(now, canary) {
		t.Errorf("the graph is %s", now)
	}
}
