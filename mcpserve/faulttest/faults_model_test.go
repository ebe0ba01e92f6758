package faulttest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/testutil/require"
)

// state is what may be the case of a block or page; anywhere as parent is any.
type state struct {
	there   bool
	text    string // or the title
	parent  string // uid
	heading int

	shortcut bool // of a page
}

const anywhere = "*"

// thing is a block or page that a write was to make, and what may be the case
// of it after all that was answered.
type thing struct {
	origin string // the text that it was made with; no other has it
	uid    string // empty: not told
	isPage bool
	states []state
	told   string // the last answer about it
}

// settled reports whether it is known how things are, so that more can be done
// with it.
func (x *thing) settled() bool { return len(x.states) == 1 && x.states[0].there && x.uid != "" }

// faultyCaller makes writes over a client of its own, and keeps what has to be
// true of them.
type faultyCaller struct {
	world    *faultyWorld
	session  *mcp.ClientSession
	name     string
	random   *rand.Rand
	count    int
	pages    []string // uids of two pages that are there
	things   []*thing
	verdicts map[string]int
	open     []string
	told     string // the last answer
}

func newFaultyCaller(w *faultyWorld, n int, random *rand.Rand) *faultyCaller {
	c := &faultyCaller{world: w, session: w.connect(), name: fmt.Sprintf("caller%d", n), random: random, verdicts: map[string]int{}}
	for i := range 2 {
		var page struct{ UID string }
		require.NoError(w.t, json.Unmarshal(w.direct("data.page.fromMarkdown", map[string]any{"page": map[string]any{"title": fmt.Sprintf("%s page %d", c.name, i)}}), &page))
		c.pages = append(c.pages, page.UID)
	}
	return c
}

// text is one that nothing else has; some are not read back as they were written.
func (c *faultyCaller) text() string {
	c.count++
	forms := []string{"%s", "%s", "%s", "**%s**", "%s with [[a link]]", "{{[[TODO]]}} %s", "%s #tag", "%s `code`"}
	return fmt.Sprintf(forms[c.random.IntN(len(forms))], fmt.Sprintf("%s number %d end", c.name, c.count))
}

// write makes one write of a random kind.
func (c *faultyCaller) write() {
	kinds := []func(){
		c.createBlock, c.createBlock, c.createTree, c.createPage, c.updateBlock, c.moveBlock, c.deleteBlock,
		c.createBlock, c.appendToDailyNote, c.addComment, c.updateBlocks, c.deleteBlocks, c.updatePage, c.deletePage, c.addShortcut, c.removeShortcut,
	}
	kinds[c.random.IntN(len(kinds))]()
}

// call makes the call and says what may be the case: that it was done, that it
// was not, or both.
func (c *faultyCaller) call(tool string, arguments map[string]any) (reply toolReply, done, notDone bool) {
	c.world.t.Helper()
	result, err := callTool(c.world.t.Context(), c.session, tool, arguments)
	if err != nil {
		c.world.t.Fatalf("%s: %v", tool, err)
	}
	reply = newToolReply(c.world.t, result)
	c.told = tool + ": " + reply.text
	verdict := "done"
	switch {
	case !reply.isError:
		done = true
	case reply.failure["code"] != string(ops.CodeOutcomeUnknown):
		verdict, notDone = "failed", true
	case reply.failure["applied"] == true:
		verdict, done = "lost, applied", true
	case strings.HasSuffix(fmt.Sprint(reply.failure["evidence"]), "Roam may still do it."): // a look has shown that it is not there
		verdict, notDone = "lost, not there", true
	default:
		verdict, done, notDone = "lost, unknown", true, true
		c.open = append(c.open, fmt.Sprintf("%s %v: %s", tool, arguments, reply.text))
	}
	c.verdicts[verdict]++
	return reply, done, notDone
}

// made notes what a call was to make.
func (c *faultyCaller) made(x *thing, wanted state, done, notDone bool) {
	if done {
		x.states = append(x.states, wanted)
	}
	if notDone {
		x.states = append(x.states, state{})
	}
	x.told = c.told
	c.things = append(c.things, x)
}

// changed notes what a call was to change.
func (c *faultyCaller) changed(x *thing, wanted state, done, notDone bool) {
	x.told = c.told
	if done && !notDone {
		x.states = nil
	}
	if done {
		x.states = append(x.states, wanted)
	}
}

// place is a random place to create at.
func (c *faultyCaller) place() map[string]any {
	switch c.random.IntN(5) {
	case 0:
		return map[string]any{"pageTitle": c.name + " page 0"}
	case 1:
		return map[string]any{"pageTitle": "shared page"}
	case 2:
		return map[string]any{"dailyNotePage": "today"}
	case 3:
		return map[string]any{"parentUid": c.pages[1], "nestUnder": "a heading to nest under"}
	}
	return map[string]any{"parentUid": " " + c.pages[c.random.IntN(2)] + " "} // a model's spaces
}

func (c *faultyCaller) createBlock() {
	text, arguments := c.text(), c.place()
	arguments["markdown"] = "- " + text
	reply, done, notDone := c.call("create_block", arguments)
	x := &thing{origin: text, uid: firstUID(reply)}
	parent := anywhere
	if uid, ok := arguments["parentUid"].(string); ok && arguments["nestUnder"] == nil {
		parent = strings.TrimSpace(uid)
	}
	c.made(x, state{true, text, parent, 0, false}, done, notDone)
}

func (c *faultyCaller) createTree() {
	top, child, arguments := c.text(), c.text(), c.place()
	arguments["markdown"] = "## " + top + "\n\n- " + child
	_, done, notDone := c.call("create_block", arguments)
	c.made(&thing{origin: top}, state{true, top, anywhere, 2, false}, done, notDone)
	c.made(&thing{origin: child}, state{true, child, anywhere, 0, false}, done, notDone)
}

func (c *faultyCaller) createPage() {
	title := fmt.Sprintf("%s title %d", c.name, c.count)
	text := c.text()
	arguments := map[string]any{"title": title}
	withText := c.random.IntN(2) == 0
	if withText {
		arguments["markdown"] = "- " + text
	}
	reply, done, notDone := c.call("create_page", arguments)
	uid, _ := reply.fields["uid"].(string)
	c.made(&thing{origin: title, uid: uid, isPage: true}, state{true, title, "", 0, false}, done, notDone)
	if withText {
		c.made(&thing{origin: text}, state{true, text, anywhere, 0, false}, done, notDone)
	}
}

// some gives up to n blocks or pages of which all is known.
func (c *faultyCaller) some(n int, pages bool) []*thing {
	var known []*thing
	for _, x := range c.things {
		if x.isPage == pages && x.settled() {
			known = append(known, x)
		}
	}
	c.random.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
	return known[:min(n, len(known))]
}

// someBlock is a block of which all is known; nil where there is none.
func (c *faultyCaller) someBlock() *thing {
	if blocks := c.some(1, false); len(blocks) > 0 {
		return blocks[0]
	}
	return nil
}

func (c *faultyCaller) updateBlock() {
	x := c.someBlock()
	if x == nil {
		c.createBlock()
		return
	}
	wanted := x.states[0]
	arguments := map[string]any{"uid": x.uid}
	if c.random.IntN(4) > 0 {
		wanted.text = c.text()
		if c.random.IntN(3) == 0 {
			wanted.text += "\nsecond line"
		}
	}
	arguments["string"] = wanted.text // sometimes the text that it has
	if c.random.IntN(2) == 0 {
		wanted.heading = c.random.IntN(4)
		arguments["heading"] = wanted.heading
	}
	_, done, notDone := c.call("update_block", arguments)
	c.changed(x, wanted, done, notDone)
}

func (c *faultyCaller) moveBlock() {
	x := c.someBlock()
	if x == nil {
		c.createBlock()
		return
	}
	wanted := x.states[0]
	wanted.parent = c.pages[c.random.IntN(2)]
	order := []any{"first", "last", 1}[c.random.IntN(3)]
	_, done, notDone := c.call("move_block", map[string]any{"uid": x.uid, "parentUid": wanted.parent, "order": order})
	c.changed(x, wanted, done, notDone)
}

func (c *faultyCaller) deleteBlock() {
	x := c.someBlock()
	if x == nil {
		c.createBlock()
		return
	}
	_, done, notDone := c.call("delete_block", map[string]any{"uid": x.uid})
	c.changed(x, state{}, done, notDone)
}

// toolReply is what an agent reads.
type toolReply struct {
	text            string
	isError         bool
	fields, failure map[string]any
}

func newToolReply(t *testing.T, result *mcp.CallToolResult) toolReply {
	t.Helper()
	reply := toolReply{text: result.Content[0].(*mcp.TextContent).Text, isError: result.IsError}
	require.NoError(t, json.Unmarshal([]byte(reply.text), &reply.fields))
	reply.failure, _ = reply.fields["error"].(map[string]any)
	return reply
}

func firstUID(reply toolReply) string {
	uids, _ := reply.fields["uids"].([]any)
	if len(uids) == 0 {
		return ""
	}
	uid, _ := uids[0].(string)
	return uid
}

// graphContent is all that the graph holds, by uid and by text.
type graphContent struct {
	byUID  map[string]state
	byText map[string][]string // uids
}

func readGraph(w *faultyWorld) graphContent {
	g := graphContent{map[string]state{}, map[string][]string{}}
	rows := func(query string) (rows [][]any) {
		require.NoError(w.t, json.Unmarshal(w.direct("q", query), &rows))
		return rows
	}
	for _, row := range rows(`[:find ?u ?s ?p :where [?e :block/string ?s] [?e :block/uid ?u] [?c :block/children ?e] [?c :block/uid ?p]]`) {
		g.add(row[0].(string), state{true, row[1].(string), row[2].(string), 0, false})
	}
	for _, row := range rows(`[:find ?u ?s :where [?e :node/title ?s] [?e :block/uid ?u]]`) {
		g.add(row[0].(string), state{true, row[1].(string), "", 0, false})
	}
	for _, row := range rows(`[:find ?u :where [?e :page/sidebar] [?e :block/uid ?u]]`) {
		s := g.byUID[row[0].(string)]
		s.shortcut = true
		g.byUID[row[0].(string)] = s
	}
	for _, row := range rows(`[:find ?u ?h :where [?e :block/heading ?h] [?e :block/uid ?u]]`) {
		s := g.byUID[row[0].(string)]
		s.heading = int(row[1].(float64))
		g.byUID[row[0].(string)] = s
	}
	return g
}

func (g graphContent) add(uid string, s state) {
	g.byUID[uid] = s
	g.byText[s.text] = append(g.byText[s.text], uid)
}

// compare checks that every thing is as the answers allow, and none is there
// twice.
func (c *faultyCaller) compare(g graphContent) {
	for text, uids := range g.byText {
		if strings.Contains(text, c.name) && len(uids) > 1 {
			c.world.t.Errorf("%q is there %d times", text, len(uids))
		}
	}
	for _, x := range c.things {
		uid := x.uid
		if uid == "" && len(g.byText[x.origin]) > 0 {
			uid = g.byText[x.origin][0]
		}
		actual := g.byUID[uid]
		if !slices.ContainsFunc(x.states, func(s state) bool {
			if s.parent == anywhere {
				s.parent = actual.parent
			}
			return s == actual
		}) {
			c.world.t.Errorf("%q (uid %s) is %+v, and the answers allow %+v, the last being %s", x.origin, x.uid, actual, x.states, x.told)
		}
	}
}
