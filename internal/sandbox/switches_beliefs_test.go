package sandbox

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/observed"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/switches"
	"roam-mcp/internal/testutil/require"
)

// step is a request to the small graph: an action with its list of arguments.
type step struct{ action, args string }

// script is what a plain client asks to find out about a belief.
type script []step

func create(uid, text string) step {
	return step{"data.block.create", fmt.Sprintf(`[{"location":{"parent-uid":"page-wate","order":"last"},"block":{"string":%q,"uid":%q}}]`, text, uid)}
}

func fromMarkdown(text string) step {
	return step{"data.block.fromMarkdown", fmt.Sprintf(`[{"location":{"parent-uid":"page-wate"},"markdown-string":%q}]`, text)}
}

func update(uid, fields string) step {
	return step{"data.block.update", fmt.Sprintf(`[{"block":{"uid":%q,%s}}]`, uid, fields)}
}

func remove(kind, uid string) step {
	return step{"data." + kind + ".delete", fmt.Sprintf(`[{%q:{"uid":%q}}]`, kind, uid)}
}

func move(uid, parent, order string) step {
	return step{"data.block.move", fmt.Sprintf(`[{"location":{"parent-uid":%q,"order":%s},"block":{"uid":%q}}]`, parent, order, uid)}
}

func reorder(parent, uids string) step {
	return step{"data.block.reorderBlocks", fmt.Sprintf(`[{"location":{"parent-uid":%q},"blocks":%s}]`, parent, uids)}
}

// look reads a page or block as a tree.
func look(uid string) step { return step{"data.ai.getBlock", fmt.Sprintf(`[{"uid":%q}]`, uid)} }

// attributes reads attributes of a page or block.
func attributes(uid, names string) step {
	return step{"data.pull", fmt.Sprintf(`["[%s]","[:block/uid \"%s\"]"]`, names, uid)}
}

func rename(uid, title string) step {
	return step{"data.page.update", fmt.Sprintf(`[{"page":{"uid":%q,"title":%q},"merge-pages":true}]`, uid, title)}
}

// run returns the statuses and bodies of all replies.
func (s script) run(t *testing.T, server *Server, token localapi.Token) string {
	t.Helper()
	var said strings.Builder
	for _, each := range s {
		header := []string{"Authorization", "Bearer " + token.Reveal()}
		body := fmt.Sprintf(`{"action":%q,"args":%s}`, each.action, each.args)
		switch each.action {
		case "without a token":
			header = nil
		case "another token":
			header[1] = "Bearer " + localapi.TokenPrefix + strings.Repeat("0", localapi.TokenLength-len(localapi.TokenPrefix))
		case "another version":
			body = `{"action":"graph.name","expectedApiVersion":"0.0.1"}`
		}
		status, got, _ := exchange(t, server, "POST", "/api/small", body, header...)
		var reply map[string]json.RawMessage // whose keys are in order then
		if json.Unmarshal([]byte(got), &reply) == nil {
			delete(reply, "apiVersion")
			got = string(rawjson.Encode(reply))
		}
		fmt.Fprintf(&said, "%d %s\n", status, got)
	}
	return strings.ReplaceAll(said.String(), clock().Format("2006-01-02T15:04:05.000Z"), "now")
}

// played is a script and what is in its replies for each setting, and without it is not.
type played struct {
	script
	says map[string]string
}

const timeOf = ":block/uid :create/time :edit/time :page/edit-time"

func beliefsOfWrites() []played {
	abc := script{create("blk-a", "a"), create("blk-b", "b"), create("blk-c", "c")}
	then := func(steps ...step) script { return append(append(script{}, abc...), steps...) }
	const orders = `:block/uid {:block/children [:block/uid :block/order]}`
	return []played{
		{script{{"data.block.create", `[{"location":{"parent-uid":"none","order":0},"block":{"string":"x"}}]`}}, map[string]string{"silent=create": "200"}},
		{script{update("none", `"string":"x"`)}, map[string]string{"silent=update": `200 {"result":null`}},
		{script{move("none", "page-wate", "0")}, map[string]string{"silent=move": "200"}},
		{script{remove("block", "none")}, map[string]string{"silent=delete": `"result":null`}},
		{script{reorder("none", "[]")}, map[string]string{"silent=reorder": "200"}},
		{script{{"batchActions", `[{"actions":[{"action":"update-block","block":{"uid":"none","string":"x"}}]}]`}}, map[string]string{"silent=update,move": "200"}},
		{script{{"data.page.fromMarkdown", `[{"page":{"title":"Water","uid":"page-new1"},"markdown-string":"- wet"}]`}, look("page-wate")}, map[string]string{
			"taken-title=silent": `"result":{"uid":"page-wate"}`, "taken-title=adds": `- wet <roam`}},
		{script{create("blk-child", "again"), look("page-wate")}, map[string]string{
			"taken-uid=silent": "!500", "taken-uid=other-uid": `- again <roam`}},
		{script{create("blk-new-1", "new"), look("page-wate")}, map[string]string{
			"uid-honoured=other-uid": "!blk-new-1", "uid-honoured=refused": "500"}},
		{script{remove("block", "blk-flour"), create("blk-child", "again"), look("page-wate")}, map[string]string{
			"uid-reuse=refused": "500", "uid-reuse=other-uid": "!blk-child", "uid-reuse=silent": "!- again"}},
		{script{{"data.block.create", `[{"location":{"parent-uid":"page-wate","order":0},"block":{"string":"new","uid":"blk-new-1","heading":2,"open":false,"text-align":"center","children-view-type":"numbered","block-view-type":"side"}}]`},
			attributes("blk-new-1", ":block/heading :block/open :block/text-align :children/view-type :block/view-type")}, map[string]string{
			"create-looks=heading": "!heading", "create-looks=folding": `":block/open":true`, "create-looks=align": "!text-align", "create-looks=children-view": "!:children/view-type", "create-looks=block-view": "!:block/view-type"}},
		{script{update("blk-child", `"props":{"a":1}`), attributes("blk-child", ":block/props")}, map[string]string{"props=ignored": "!props", "props=refused": "500"}},
		{then(move("blk-a", "page-wate", "1"), look("page-wate")), map[string]string{"order-same-parent=down": `- a <roam uid=\"blk-a\"/>\n- b`}},
		{then(move("blk-c", "page-wate", "0"), look("page-wate")), map[string]string{"order-same-parent=up": `- a <roam uid=\"blk-a\"/>\n- c`}},
		{then(move("blk-a", "page-wate", "9"), look("page-wate")), map[string]string{"order-same-parent=beyond": `- a <roam uid=\"blk-a\"/>\n- b`}},
		{then(attributes("page-wate", orders)), map[string]string{"orders-dense=gaps": `{":block/uid":"blk-c",":block/order":4}`}},
		{then(reorder("page-wate", `["blk-c"]`), look("page-wate")), map[string]string{
			"reorder-partial=first": `- c <roam uid=\"blk-c\"/>\n- a`, "reorder-partial=silent": "!500"}},
		{then(step{"data.block.fromMarkdown", `[{"location":{"parent-uid":"page-wate","nest-under-str":"a"},"markdown-string":"- below"}]`}, look("page-wate")), map[string]string{
			"nest-under=new": `blk-c\"/>\n- a <roam`, "nest-under=ignored": `\n- below`}},
		{script{move("blk-flour", "blk-child", "0")}, map[string]string{"move-below-itself=silent": "200"}},
		{script{{"data.block.updateBlocks", `[{"updates":[{"uid":"blk-child","string":"x"}]}]`}}, map[string]string{
			"batch-form=list": `"result":[{"uid":"blk-child","ok":true}]`, "batch-form=count": `"result":{"count":1}`, "batch-form=none": "!result"}},
		{script{{"batchActions", `[{"actions":[{"action":"update-block","block":{"uid":"blk-child","string":"stepped"}}]}]`}, look("blk-child")}, map[string]string{
			"batch-actions=missing": "404", "batch-actions=silent": "!stepped"}},
		{script{{"data.q", `["[:find ?u . :in $ ?t :where [?e :block/uid ?u]]","` + strings.Repeat("x", 1<<20) + `"]`}}, map[string]string{"body-1m=refused": "413"}},
	}
}

func beliefsOfTexts() []played {
	importing := func(text string) script { return script{fromMarkdown(text), look("page-wate")} }
	storing := func(text string) script {
		return script{update("blk-child", fmt.Sprintf(`"string":%q`, text)), attributes("blk-child", ":block/string")}
	}
	return []played{
		{importing("a &amp; b `&lt;`"), map[string]string{"importer=entities": "- a & b `&lt;`"}},
		{importing("- one <b>two</b> <T> `<i>`"), map[string]string{"importer=tags": "- one two  `<i>` <roam"}},
		{importing("a\n\n<!-- gone -->\n\nb"), map[string]string{"importer=comments": "!gone"}},
		{importing("a\n\n[x]: http://one.example\n\n- [y]: http://two.example \"t\""), map[string]string{"importer=definitions": "!.example"}},
		{importing("> said\n\n- > again"), map[string]string{"importer=quotes": "- again <roam"}},
		{importing("a\n\n---\n\nb\n\n***"), map[string]string{"importer=rules": "!---"}},
		{importing("Title\n==="), map[string]string{"importer=setext": `- Title <roam uid=\"_\" heading=\"1\"/>`}},
		{importing(`- a \[b\] \\`), map[string]string{"importer=escapes": `- a [b] \\ <roam`}},
		{importing("~~~go\na\n\nb\n~~~"), map[string]string{"importer=fences": "```go\\n"}},
		{importing("1. one\n2) two"), map[string]string{"importer=numbers": "- one <roam"}},
		{importing("| a | b |\n|---|---|\n| c | d |"), map[string]string{"importer=tables": `| a | b |\n  | --- | --- |\n  | c | d |`}},
		{importing("a *b* _c_ `*d*`"), map[string]string{"importer=emphasis": "- a *b* _c_ `*d*`"}},
		{importing("- a  \n  b"), map[string]string{"importer=breaks": `- a\n  b`}},
		{storing("  a  "), map[string]string{"literal=blanks": `"a"`}},
		{storing("a\r\nb"), map[string]string{"literal=crlf": `"a\nb"`}},
		{storing("a\tb"), map[string]string{"literal=tab": `"a b"`}},
		{storing("a\u00a0b"), map[string]string{"literal=nbsp": `"a b"`}},
		{storing("a👍b"), map[string]string{"literal=emoji": `"ab"`}},
		{storing(strings.Repeat("é", 50_000) + "end"), map[string]string{"literal=long": "!end"}},
	}
}

func beliefsOfRewriting() []played {
	mentions := script{create("blk-forms", "[[Water]] and [[about [[Water]]]] #Water `[[Water]]`"), create("blk-attri", "Water:: wet"),
		rename("page-wate", "Rain"), attributes("blk-forms", ":block/string"), attributes("blk-attri", ":block/string")}
	merging := script{{"data.page.fromMarkdown", `[{"page":{"title":"Rain","uid":"page-rain"},"markdown-string":"- second"}]`},
		create("blk-first", "first"), rename("page-rain", "Water"), look("page-wate")}
	return []played{
		{script{remove("block", "blk-flour"), attributes("blk-see-1", ":block/string")}, map[string]string{
			"delete-block-refs=kept": "((blk-flour))", "delete-block-refs=removed": `"See "`}},
		{script{remove("page", "page-wate"), attributes("blk-flour", ":block/string")}, map[string]string{
			"delete-page-links=kept": "[[Water]]", "delete-page-links=removed": `"Flour and "`}},
		{mentions, map[string]string{
			"rename-links=kept": `"[[Water]] and [[about [[Rain]]]] #Rain`, "rename-forms=nested": "[[about [[Water]]]]", "rename-forms=tags": "#Water",
			"rename-forms=attributes": "Water:: wet", "rename-forms=code": "`[[Rain]]`"}},
		{merging, map[string]string{"merge-order=before": `- second <roam uid=\"_\"/>\n- first`}},
	}
}

func beliefsOfTimes() []played {
	now := clock().UnixMilli()
	stamped := func(uid string, change step) script { return script{change, attributes(uid, timeOf)} }
	unstamped := func(ms int) string { return fmt.Sprintf(`":edit/time":%d`, ms) }
	created := stamped("blk-new-1", create("blk-new-1", "new"))
	return []played{
		{created, map[string]string{"create-time=missing": "!:create/time", "create-time=behind": fmt.Sprintf(`":create/time":%d`, now-5000), "edit-time=child": "!:edit/time"}},
		{stamped("blk-child", update("blk-child", `"string":"x"`)), map[string]string{"edit-time=text": unstamped(3000)}},
		{stamped("blk-child", update("blk-child", `"heading":2`)), map[string]string{"edit-time=heading": unstamped(3000)}},
		{stamped("blk-child", update("blk-child", `"open":false`)), map[string]string{"edit-time=folding": unstamped(3000)}},
		{stamped("blk-child", move("blk-child", "page-wate", "0")), map[string]string{"edit-time=move": unstamped(3000)}},
		{stamped("page-wate", rename("page-wate", "Rain")), map[string]string{"edit-time=rename": unstamped(1000)}},
		{stamped("page-brea", update("blk-child", `"string":"x"`)), map[string]string{"page-edit-time=missing": "!:page/edit-time"}},
	}
}

func beliefsOfReads() []played {
	asking := func(args string) script { return script{{"data.q", args}} }
	const ask = `["[:find ?t . :where [?e :node/title ?t] [(= ?t \"Water\")]]"]`
	many := fromMarkdown(strings.Repeat("- x\n", 1001))
	return []played{
		{asking(`["[:find (pull ?e [:node/title]) . :where [?e :block/uid \"page-wate\"]]"]`), map[string]string{
			"query-keys=colon": `{":node/title":"Water"}`, "query-keys=qualified": `{"node/title":"Water"}`}},
		{asking(`["[:find (pull ?e [[:node/title :as \"name\"]]) . :where [?e :block/uid \"page-wate\"]]"]`), map[string]string{"as=ignored": `{"title":"Water"}`}},
		{asking(`["[:find (pull ?e [{[:block/children :limit nil] [:block/uid]}]) . :where [?e :block/uid \"page-brea\"]]"]`), map[string]string{"pull-options=refused": "500"}},
		{script{many, {"data.q", `["[:find (pull ?e [[:block/children :limit nil :as \"k\"]]) . :where [?e :block/uid \"page-wate\"]]"]`}}, map[string]string{"limit-nil=cut": "!children: 1001"}},
		{asking(`["[:find ?t :in $ [?u ...] :where [?e :block/uid ?u] [?e :node/title ?t]]",["page-wate"]]`), map[string]string{"collection-input=refused": "500"}},
		{script{{"data.pull_many", `["[:node/title]",[[":block/uid","none"],[":block/uid","page-wate"]]]`}}, map[string]string{
			"pull-missing=left-out": `[{":node/title":"Water"}]`, "pull-missing=error": "500"}},
		{script{{"data.ai.getPage", `[{"title":"None"}]`}}, map[string]string{"missing-page=empty": `"result":{}`, "missing-page=error": "500"}},
		{script{look("blk-child")}, map[string]string{"tag-form=none": `"markdown":"- a fine child"`}},
		{script{many, {"data.q", `["[:find (count ?a) :timeout 1 :where [?a :block/uid ?x] [?b :block/uid ?y] [(not= ?x ?y)]]"]`}}, map[string]string{"timeout-text=other": "interrupted"}},
		{script{{"graph.isEncrypted", `[]`}}, map[string]string{
			"encrypted-form=missing": "404", "encrypted-form=error": "500", "encrypted-form=null": `"result":null`, "encrypted-form=text": `"result":"false"`}},
		{script{{"q", ask}}, map[string]string{"async-forms=q": "404"}},
		{script{{"data.q", ask}}, map[string]string{"async-forms=data.q": "404"}},
		{script{{"data.fast.q", ask}}, map[string]string{"async-forms=data.fast.q": "404"}},
		{script{{"data.backend.q", ask}}, map[string]string{"async-forms=data.backend.q": "404"}},
		{script{{"data.async.q", ask}}, map[string]string{"async-forms=data.async.q": "404"}},
		{script{{"data.pull_many", `["[:node/title]",[]]`}}, map[string]string{"async-forms=data.pull_many": "404"}},
	}
}

func beliefsOfErrors() []played {
	return []played{
		{script{{"data.nothing", `[]`}}, map[string]string{"error-action=500": `500 {"error":{"message":"Unknown action`}},
		{script{{"", `[]`}}, map[string]string{"error-no-action=404/UNKNOWN_ACTION": `404 {"error":{"code":"UNKNOWN_ACTION"`}},
		{script{{"data.pull", `[]`}}, map[string]string{"error-no-args=400/VALIDATION_ERROR": `400 {"error":{"code":"VALIDATION_ERROR"`}},
		{script{{"data.pull", `[7,7]`}}, map[string]string{"error-wrong-type=200": `200 {"result":null`}},
		{script{{"data.block.update", `[{"block":7}]`}}, map[string]string{"error-wrong-type=400": "400"}},
		{script{{"data.q", `["[:find"]`}}, map[string]string{"error-bad-query=400/VALIDATION_ERROR": "400"}},
		{script{{"data.q", `["[:find ?x :where [?e :block/uid]]"]`}}, map[string]string{"error-unbound=422": "422"}},
		{script{{"data.pull", `["[:block/uid",1]`}}, map[string]string{"error-bad-pattern=400": "400"}},
		{script{{"another version", `[]`}}, map[string]string{"error-version=409": "409"}},
		{script{{"without a token", `[]`}}, map[string]string{"error-no-token=403/DENIED": `"code":"DENIED"`}},
		{script{{"another token", `[]`}}, map[string]string{"error-token=401": `401 {"error":{"message"`}},
	}
}

func TestEveryBeliefCanBePlayedAndIsExpectedOtherwise(t *testing.T) {
	seen := map[switches.Name]bool{"overlap": true} // which has a test of its own
	for _, group := range [][]played{beliefsOfWrites(), beliefsOfTexts(), beliefsOfRewriting(), beliefsOfTimes(), beliefsOfReads(), beliefsOfErrors()} {
		for _, each := range group {
			usual := saidOf(t, each.script, "")
			for setting, says := range each.says {
				parsed, err := switches.Parse(setting)
				require.NoError(t, err)
				seen[parsed.Name] = true
				says, isMissing := strings.CutPrefix(says, "!")
				if got := saidOf(t, each.script, setting); strings.Contains(got, says) == isMissing || strings.Contains(usual, says) != isMissing {
					t.Errorf("%s: %q is not what differs:\n%s\nand without it\n%s", setting, says, got, usual)
				}
			}
		}
	}
	for _, belief := range observed.Beliefs() {
		if !seen[switches.Name(belief.ID)] {
			t.Errorf("%s is not played", belief.ID)
		}
	}
}

var uidInMarkdown = regexp.MustCompile(`uid=\\"[^"]+\\"`)

// withoutMadeUp replaces uids that the sandbox has made up, as markdown has them.
func withoutMadeUp(uid string) string {
	if strings.Contains(uid, `"blk-`) || strings.Contains(uid, `"page-`) {
		return uid
	}
	return `uid=\"_\"`
}

// saidOf returns what a script is answered by a new sandbox with a switch.
func saidOf(t *testing.T, s script, setting string) string {
	t.Helper()
	server := start(t, Options{Policy: desk.Allow})
	token := tokenFor(t, server, small, localapi.Full)
	if setting != "" {
		turn(t, server, setting)
	}
	said := uidInMarkdown.ReplaceAllStringFunc(s.run(t, server, token), withoutMadeUp)
	stop(t, server)
	if n := strings.Count(said, `{"id":`); n > 100 {
		return fmt.Sprintf("children: %d", n)
	}
	return said
}

func TestSwitchOverlap(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	turn(t, s, "overlap=read-first")
	done := make(chan error, 1)
	began := time.Now()
	go func() {
		_, err := c.try("data.block.update", `{"block": {"uid": "blk-child", "string": "written"}}`)
		done <- err
	}()
	early := c.markdown("blk-child")
	if passed := time.Since(began); strings.Contains(early, "written") && passed < 200*time.Millisecond {
		t.Errorf("the write was done %v after it was sent", passed)
	}
	require.NoError(t, <-done)
	if got := c.markdown("blk-child"); !strings.Contains(got, "written") {
		t.Errorf("after its reply: %s", got)
	}
}
