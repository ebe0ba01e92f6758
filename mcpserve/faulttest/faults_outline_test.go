package faulttest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// outlineModel is what the profile outline writes to: children by the uid of what they are
// below, and texts or titles. What a call is to make has a key that begins with "+".
type outlineModel struct {
	kids  map[string][]string
	texts map[string]string
	pages map[string]bool
	made  int
}

func (g graphNow) outlineModel() *outlineModel {
	m := &outlineModel{kids: map[string][]string{}, texts: map[string]string{}, pages: map[string]bool{}}
	for uid, s := range g {
		m.texts[uid] = s.text
		if s.parent == "" {
			m.texts[uid], m.pages[uid] = s.title, true
		}
		if below := g.children(uid); len(below) > 0 {
			m.kids[uid] = below
		}
	}
	return m
}

// add puts a new block below a page or block.
func (m *outlineModel) add(parent string, at int, text string) string {
	m.made++
	key := fmt.Sprintf("+%d", m.made)
	m.texts[key] = text
	m.kids[parent] = slices.Insert(m.kids[parent], at, key)
	return key
}

// addLines puts bullets at the end of a page, of at most two levels.
func (m *outlineModel) addLines(parent string, lines []string) {
	top := ""
	for _, line := range lines {
		if text, below := strings.CutPrefix(line, "  "); below {
			m.add(top, len(m.kids[top]), text)
			continue
		}
		top = m.add(parent, len(m.kids[parent]), line)
	}
}

// set sets a property, as the profile does it: behind those that are there.
func (m *outlineModel) set(parent, key string, value any) {
	at := 0
	for i, child := range m.kids[parent] {
		name, _, ok := strings.Cut(m.texts[child], "::")
		switch {
		case strings.EqualFold(name, key) && value == nil:
			m.remove(child)
			return
		case strings.EqualFold(name, key):
			m.texts[child] = fmt.Sprintf("%s:: %v", name, value)
			return
		case ok && at == i:
			at = i + 1
		}
	}
	if value != nil {
		m.add(parent, at, fmt.Sprintf("%s:: %v", key, value))
	}
}

// take takes a block from where it is.
func (m *outlineModel) take(uid string) {
	for parent, kids := range m.kids {
		if at := slices.Index(kids, uid); at >= 0 {
			m.kids[parent] = slices.Delete(kids, at, at+1)
		}
	}
}

// remove removes a page or block, with all below it.
func (m *outlineModel) remove(uid string) {
	m.take(uid)
	for _, child := range slices.Clone(m.kids[uid]) {
		m.remove(child)
	}
	delete(m.texts, uid)
	delete(m.pages, uid)
	delete(m.kids, uid)
}

// lines shows the pages that calls made, with their blocks. Of what is not in known the uid
// is left out.
func (m *outlineModel) lines(known graphNow) []string {
	var lines []string
	var show func(uid, indent string)
	show = func(uid, indent string) {
		name := "+"
		if _, was := known[uid]; was {
			name = uid
		}
		lines = append(lines, indent+name+" "+m.texts[uid])
		for _, child := range m.kids[uid] {
			show(child, indent+"  ")
		}
	}
	for _, uid := range slices.SortedFunc(maps.Keys(m.pages), func(a, b string) int { return strings.Compare(m.texts[a], m.texts[b]) }) {
		if strings.HasPrefix(m.texts[uid], "Outline ") {
			show(uid, "")
		}
	}
	return lines
}

// outlineCall is a call and what it is to do.
type outlineCall struct {
	tool   string
	args   map[string]any
	of     []string // uids of what it is about
	title  string   // of the page that it is to make; empty: none
	wanted *outlineModel
}

// outlinePages are the pages that the calls made, and outlineBlocks the blocks on them, in
// an order that is always the same.
func (c *noteWriter) outlinePages() (pages, blocks []string) {
	for uid, s := range c.graph {
		if strings.HasPrefix(s.title, "Outline ") {
			pages = append(pages, uid)
		}
	}
	slices.Sort(pages)
	for _, page := range pages {
		blocks = append(blocks, c.graph.tree(page)[1:]...)
	}
	return pages, blocks
}

// chooseOutline chooses a call of the profile outline.
func (c *noteWriter) chooseOutline() outlineCall {
	call := outlineCall{args: map[string]any{}, wanted: c.graph.outlineModel()}
	pages, blocks := c.outlinePages()
	n := c.random.IntN(20)
	switch {
	case n < 2 || len(blocks) == 0:
		c.toCreatePage(&call)
	case n < 3 || len(blocks) > 60:
		call.tool = "delete_page"
		call.of = []string{pages[c.random.IntN(len(pages))]}
		call.args["page_name"], call.args["force"] = call.of[0], true
		call.wanted.remove(call.of[0])
	case n < 6:
		c.toUpdatePage(&call, pages[c.random.IntN(len(pages))])
	case n < 10:
		c.toCreateBlock(&call, pages, blocks)
	case n < 14:
		c.toUpdateBlock(&call, blocks[c.random.IntN(len(blocks))])
	case n < 16:
		call.tool = "delete_block"
		call.of = []string{blocks[c.random.IntN(len(blocks))]}
		call.args["block_uuid"], call.args["recursive"] = call.of[0], true
		call.wanted.remove(call.of[0])
	default:
		c.toMoveBlock(&call, pages, blocks)
	}
	return call
}

// someLines are bullets of a few words.
func (c *noteWriter) someLines() (lines []string, markdown string) {
	for range 1 + c.random.IntN(3) {
		c.count++
		line := fmt.Sprintf("word %d", c.count)
		if len(lines) > 0 && c.random.IntN(2) == 0 {
			line = "  " + line
		}
		lines = append(lines, line)
		text := strings.TrimLeft(line, " ")
		markdown += line[:len(line)-len(text)] + "- " + text + "\n"
	}
	return lines, markdown
}

// someProperties chooses properties for a page or block, and sets them in the model.
func (c *noteWriter) someProperties(call *outlineCall, of string) {
	set := map[string]any{}
	for _, key := range []string{"Status", "By", "Left"} {
		if c.random.IntN(2) == 0 { // one at most is new, since they come in no order
			c.count++
			set[key] = []any{fmt.Sprintf("word %d", c.count), nil}[c.random.IntN(4)/3]
			call.wanted.set(of, key, set[key])
			break
		}
	}
	if len(set) > 0 {
		call.args["properties"] = set
	}
}

func (c *noteWriter) toCreatePage(call *outlineCall) {
	c.count++
	call.tool, call.title = "create_page", fmt.Sprintf("Outline %d", c.count)
	call.args["title"] = call.title
	page := "+page"
	call.wanted.texts[page], call.wanted.pages[page] = call.title, true
	c.someProperties(call, page)
	if c.random.IntN(4) > 0 {
		lines, markdown := c.someLines()
		call.args["content"] = markdown
		call.wanted.addLines(page, lines)
	} else if c.random.IntN(2) == 0 {
		call.args["create_first_block"] = true
		call.wanted.add(page, len(call.wanted.kids[page]), "")
	}
}

func (c *noteWriter) toUpdatePage(call *outlineCall, page string) {
	call.tool, call.of = "update_page", []string{page}
	call.args["page_name"] = []string{page, c.graph[page].title}[c.random.IntN(2)]
	c.someProperties(call, page)
	if len(call.args) == 1 || c.random.IntN(2) == 0 {
		lines, markdown := c.someLines()
		call.args["content_append"] = markdown
		call.wanted.addLines(page, lines)
	}
}

// outlinePlace chooses a place, and returns what it is below and the index there, in the
// model as it is. without is a block that must not be above the place.
func (c *noteWriter) outlinePlace(call *outlineCall, pages, blocks []string, parent, page, without string) (below string, at int) {
	free := func(uid string) bool { return without == "" || !slices.Contains(c.graph.tree(without), uid) }
	if sibling := blocks[c.random.IntN(len(blocks))]; c.random.IntN(2) == 0 && free(sibling) {
		call.args["sibling_block_uuid"] = sibling
		below = c.graph[sibling].parent
		at = slices.Index(call.wanted.kids[below], sibling)
		call.args["position"] = "before"
		if c.random.IntN(2) == 0 {
			call.args["position"] = "after"
			at++
		}
		return below, at
	}
	if below = blocks[c.random.IntN(len(blocks))]; c.random.IntN(2) == 0 && free(below) {
		call.args[parent] = below
	} else {
		below = pages[c.random.IntN(len(pages))]
		call.args[page] = c.graph[below].title
	}
	if c.random.IntN(2) == 0 {
		call.args["position"] = "first"
		return below, 0
	}
	return below, len(call.wanted.kids[below])
}

func (c *noteWriter) toCreateBlock(call *outlineCall, pages, blocks []string) {
	c.count++
	text := fmt.Sprintf("word %d", c.count)
	call.tool = "create_block"
	var key string
	if c.random.IntN(5) == 0 {
		c.count++
		call.title = fmt.Sprintf("Outline %d", c.count)
		call.args["page_name"] = call.title
		call.wanted.texts["+page"], call.wanted.pages["+page"] = call.title, true
		key = call.wanted.add("+page", 0, text)
	} else {
		below, at := c.outlinePlace(call, pages, blocks, "parent_block_uuid", "page_name", "")
		call.of = []string{below}
		key = call.wanted.add(below, at, text)
	}
	call.args["content"] = text
	c.someProperties(call, key)
}

func (c *noteWriter) toUpdateBlock(call *outlineCall, uid string) {
	call.tool, call.of = "update_block", []string{uid}
	call.args["block_uuid"] = uid
	c.someProperties(call, uid)
	if len(call.args) > 1 && c.random.IntN(2) == 0 || strings.Contains(c.graph[uid].text, "::") {
		if len(call.args) > 1 {
			return
		}
	}
	c.count++
	text := fmt.Sprintf("word %d", c.count)
	call.args["content"] = text
	if was := c.graph[uid].text; was != "" && c.random.IntN(3) == 0 {
		call.args["replace_content"] = false
		text = was + "\n" + text
	}
	call.wanted.texts[uid] = text
}

func (c *noteWriter) toMoveBlock(call *outlineCall, pages, blocks []string) {
	uid := blocks[c.random.IntN(len(blocks))]
	call.tool, call.of = "move_block", []string{uid}
	below, at := c.outlinePlace(call, pages, blocks, "target_parent_uuid", "target_page_name", uid)
	call.args["block_uuid"] = uid
	if from := slices.Index(call.wanted.kids[below], uid); from >= 0 && from < at {
		at--
	}
	call.wanted.take(uid)
	call.wanted.kids[below] = slices.Insert(call.wanted.kids[below], at, uid)
}

// checkOutline holds an answer against the graph before and after the call.
func (c *noteWriter) checkOutline(call outlineCall, v verdict, after graphNow) error {
	of, links := call.of, strings.NewReplacer()
	if uid := after.titled(call.title); call.title != "" && uid != "" {
		of = append(of, uid)
	}
	if err := c.graph.others(after, of, links); err != nil {
		return err
	}
	if text := c.graph.twice(after, links); text != "" {
		return fmt.Errorf("%q is there twice", text)
	}
	switch v.kind {
	case "not done":
		if !reflect.DeepEqual(c.graph, after) {
			return errors.New("the graph has changed")
		}
	case "done in part":
		return c.inPart(of, v, links, after)
	case "done", "done, said by an error":
		is, wanted := after.outlineModel().lines(c.graph), call.wanted.lines(c.graph)
		if !slices.Equal(is, wanted) {
			return fmt.Errorf("it is\n%s\nwanted\n%s", strings.Join(is, "\n"), strings.Join(wanted, "\n"))
		}
		if v.kind == "done" {
			return c.outlineAnswered(call, v, after)
		}
	}
	return nil
}

// outlineAnswered holds what an answer says of its blocks against what is there.
func (c *noteWriter) outlineAnswered(call outlineCall, v verdict, after graphNow) error {
	if v.answer["success"] != true {
		return errors.New("it does not say that it succeeded")
	}
	if order, told := v.answer["order"].(float64); told {
		uid, _ := v.answer["block_uuid"].(string)
		parent, _ := v.answer["parent_uuid"].(string)
		if at := slices.Index(after.children(parent), uid); at != int(order) {
			return fmt.Errorf("it says that %s is at %v, and it is at %d", uid, order, at)
		}
	}
	if n, told := v.answer["deleted_blocks"].(float64); told {
		if gone := len(c.graph.tree(call.of[0])) - len(strings.Fields(c.graph[call.of[0]].title))/2; int(n) != gone {
			return fmt.Errorf("it says that %v blocks went, and %d did", n, gone)
		}
	}
	uids, _ := v.answer["block_uuids"].([]any)
	for _, uid := range uids {
		text := after[uid.(string)].text
		if content := fmt.Sprint(call.args["content"], call.args["content_append"]); text != "" && !strings.Contains(content, "- "+text) {
			return fmt.Errorf("%s is %q, which is not of the content", uid, text)
		}
	}
	return nil
}
