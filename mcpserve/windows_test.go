package mcpserve

import (
	"strings"
	"testing"
)

func TestOpenWindows(t *testing.T) {
	k := newKitchen(t, newPantry(t))
	c := k.serve(place{}).connect()
	for name, tc := range map[string]struct {
		uid, turn string
		shows     bool
	}{
		"shows the text of a block":                                 {"blk-flour", "", true},
		"leaves out the text of a block that is hidden from reads":  {"blk-priva", "", false},
		"leaves out the text of a block of which it can't be asked": {"blk-flour", "fail=data.ai.getBlock:broken", false},
	} {
		t.Run(name, func(t *testing.T) {
			c.call("open_main_window", `{"uid":"`+tc.uid+`"}`).ok()
			k.turn(tc.turn)
			defer k.roam.Clear()
			reply := c.call("get_open_windows", `{}`).ok()
			if got := strings.Contains(reply.text, `"block-string"`) && strings.Contains(strings.ToLower(reply.text), "flour and"); got != tc.shows || !strings.Contains(reply.text, tc.uid) || strings.Contains(reply.text, "secret") {
				t.Errorf("got %s", reply.text)
			}
		})
	}
}
