package sandbox

import (
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/await"
)

func TestSwitchIgnored(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	before := c.markdown("page-brea")
	for _, one := range []struct{ setting, action, argument, want string }{
		{"ignored=all", "data.block.create", `{"location": {"parent-uid": "page-brea"}, "block": {"string": "new"}}`, ``},
		{"ignored=all", "data.block.fromMarkdown", `{"location": {"parent-uid": "page-brea"}, "markdown-string": "- a\n  - b\n- c"}`, `{"uids":["_________","_________"]}`},
		{"ignored=all", "data.page.fromMarkdown", `{"page": {"title": "New"}, "markdown-string": "- a"}`, `{"uid":"_________"}`},
		{"ignored=all", "data.page.fromMarkdown", `{"page": {"title": "New", "uid": "page-new1"}}`, `{"uid":"page-new1"}`},
		{"ignored=all", "data.block.addComment", `{"block-uid": "blk-child", "reply-string": "x"}`, `{"parentUid":"_________","uids":["_________"]}`},
		{"ignored=all", "data.block.updateBlocks", `{"updates": [{"uid": "blk-child", "string": "x"}]}`, `{"results":[{"uid":"blk-child","ok":true}]}`},
		{"ignored=all", "data.block.deleteBlocks", `{"uids": ["blk-child", "none"]}`, `{"results":[{"uid":"blk-child","ok":true,"deleted":true},{"uid":"none","ok":true,"deleted":true}]}`},
		{"ignored=data.undo,data.block.update", "data.block.update", `{"block": {"uid": "blk-child", "string": "x"}}`, `null`},
		{"ignored=data.block.move", "data.block.move", `{"block": {"uid": "blk-child"}, "location": {"parent-uid": "page-wate", "order": 0}}`, `null`},
		{"ignored=data.block.delete", "data.block.delete", `{"block": {"uid": "blk-child"}}`, `{"deleted":true}`},
		{"ignored=all", "data.page.update", `{"page": {"uid": "page-brea", "title": "Loaf"}}`, `null`},
		{"ignored=all", "data.block.reorderBlocks", `{"location": {"parent-uid": "page-brea"}, "blocks": []}`, ``},
	} {
		s.Switches().Clear()
		turn(t, s, one.setting)
		got := c.do(one.action, one.argument)
		if !regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(one.want), "_", "[A-Za-z0-9_-]") + "$").MatchString(got) {
			t.Errorf("%s: %s, want %s", one.action, got, one.want)
		}
		if after := c.markdown("page-brea"); after != before {
			t.Fatalf("%s was done: %s", one.action, after)
		}
	}
	turn(t, s, "ignored=data.block.delete")
	c.do("data.block.update", `{"block": {"uid": "blk-child", "string": "another"}}`)
	if got := c.markdown("blk-child"); !strings.HasPrefix(got, "- another") {
		t.Errorf("a write that is not named is ignored too: %s", got)
	}
}

func TestSwitchFailDone(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	for setting, want := range map[string]seen{
		"fail-done=data.block.update":                  {localapi.CodeInternal, 500, "fail-done is on"},
		"fail-done=data.block.update:Block not found":  {localapi.CodeNotFound, 500, "Block not found"},
		"fail-done=data.block.delete:it failed, after": {says: "null"},
	} {
		s.Switches().Clear()
		turn(t, s, setting)
		result, err := c.try("data.block.update", `{"block": {"uid": "blk-child", "string": "`+setting+`"}}`)
		want.check(t, setting, result, err)
		if got := c.markdown("blk-child"); !strings.HasPrefix(got, "- "+setting) {
			t.Errorf("%s: it was not done: %s", setting, got)
		}
	}
}

func TestSwitchLate(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	const write = `{"block": {"uid": "blk-child", "string": "written late"}}`
	for _, setting := range []string{"late=1h", "late=20ms"} {
		turn(t, s, setting)
		_, err := c.try("data.block.update", write)
		if e, ok := problem.AsCall(err); !ok || e.Code != localapi.CodeConnectionFailed || !e.Sent() {
			t.Errorf("%s: %v", setting, err)
		}
		if late := strings.HasPrefix(c.markdown("blk-child"), "- written late"); late && setting == "late=1h" {
			t.Error("it was done at once")
		}
	}
	await.Condition(t, "the late write", func() bool { return strings.HasPrefix(c.markdown("blk-child"), "- written late") })
}
