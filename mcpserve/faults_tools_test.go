package mcpserve

import (
	"roam-mcp/mcpserve/ops"
)

// Here are the writes under faults that faults_model_test.go has not.

func (c *faultyCaller) appendToDailyNote() {
	text := c.text()
	reply, done, notDone := c.call("append_to_daily_note", map[string]any{"markdown": "- " + text, "nestUnder": "Said today"})
	c.made(&thing{origin: text, uid: firstUID(reply)}, state{true, text, anywhere, 0, false}, done, notDone)
}

func (c *faultyCaller) addComment() {
	x := c.someBlock()
	if x == nil {
		c.createBlock()
		return
	}
	text := c.text()
	key := []string{"comment", "commentMarkdown"}[c.random.IntN(2)]
	_, done, notDone := c.call("add_comment", map[string]any{"blockUid": x.uid, key: text})
	c.made(&thing{origin: text}, state{true, text, anywhere, 0, false}, done, notDone)
}

// item is what a batch's reply says of one thing.
func item(reply toolReply, uid string) (done, notDone, told bool) {
	of := reply.fields
	if reply.isError {
		of = reply.failure
	}
	results, _ := of["results"].([]any)
	for _, each := range results {
		fields, _ := each.(map[string]any)
		if fields["uid"] != uid {
			continue
		}
		done, _ = fields["ok"].(bool)
		notDone = !done
		if fields["code"] == string(ops.CodeOutcomeUnknown) {
			done, notDone = fields["applied"] != false, fields["applied"] != true
		}
		return done, notDone, true
	}
	return false, false, false
}

// batch calls a batch tool and notes what may be the case of each thing.
func (c *faultyCaller) batch(tool string, arguments map[string]any, of []*thing, wanted []state) {
	reply, done, notDone := c.call(tool, arguments)
	for i, x := range of {
		if itemDone, itemNotDone, told := item(reply, x.uid); told {
			c.changed(x, wanted[i], itemDone, itemNotDone)
			continue
		}
		c.changed(x, wanted[i], done, notDone)
	}
}

func (c *faultyCaller) updateBlocks() {
	blocks := c.some(1+c.random.IntN(4), false)
	if len(blocks) == 0 {
		c.createBlock()
		return
	}
	var updates []any
	var wanted []state
	for _, x := range blocks {
		after := x.states[0]
		after.text = c.text()
		updates = append(updates, map[string]any{"uid": x.uid, "string": after.text})
		wanted = append(wanted, after)
	}
	c.batch("update_blocks", map[string]any{"updates": updates}, blocks, wanted)
}

func (c *faultyCaller) deleteBlocks() {
	blocks := c.some(1+c.random.IntN(3), false)
	if len(blocks) == 0 {
		c.createBlock()
		return
	}
	var uids []string
	for _, x := range blocks {
		uids = append(uids, x.uid)
	}
	c.batch("delete_blocks", map[string]any{"uids": uids}, blocks, make([]state, len(blocks)))
}

// onPage calls a tool about a page of which all is known.
func (c *faultyCaller) onPage(tool string, arguments map[string]any, after func(*state)) {
	pages := c.some(1, true)
	if len(pages) == 0 {
		c.createPage()
		return
	}
	wanted := pages[0].states[0]
	after(&wanted)
	arguments["uid"] = pages[0].uid
	if tool == "update_page" {
		arguments["title"] = wanted.text
	}
	_, done, notDone := c.call(tool, arguments)
	c.changed(pages[0], wanted, done, notDone)
}

func (c *faultyCaller) updatePage() {
	c.onPage("update_page", map[string]any{}, func(s *state) { s.text = c.name + " title " + c.text() })
}

func (c *faultyCaller) addShortcut() {
	c.onPage("add_shortcut", map[string]any{}, func(s *state) { s.shortcut = true })
}

func (c *faultyCaller) removeShortcut() {
	c.onPage("remove_shortcut", map[string]any{}, func(s *state) { s.shortcut = false })
}

// deletePage takes a page that has nothing on it.
func (c *faultyCaller) deletePage() {
	if c.random.IntN(3) > 0 {
		c.addShortcut()
		return
	}
	title := c.name + " short-lived " + c.text()
	reply, done, notDone := c.call("create_page", map[string]any{"title": title})
	uid, _ := reply.fields["uid"].(string)
	x := &thing{origin: title, uid: uid, isPage: true}
	c.made(x, state{true, title, "", 0, false}, done, notDone)
	if x.settled() {
		_, done, notDone = c.call("delete_page", map[string]any{"uid": uid})
		c.changed(x, state{}, done, notDone)
	}
}
