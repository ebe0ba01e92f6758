package faulttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	graphoutline "roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/profile/graph"
	"roam-mcp/mcpserve/profile/notes"
	"roam-mcp/mcpserve/profile/outline"
	"roam-mcp/mcpserve/profile/wiki"
)

// aimed breaks one or two of the requests of each call: the nth of all, or the nth that
// writes.
type aimed struct {
	faults
	mu          sync.Mutex
	armed       bool
	all, writes int // requests of the call so far
	atAll       []int
	atWrite     []int
	met         []string
}

// aim begins the next call.
func (a *aimed) aim() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.armed, a.all, a.writes, a.atAll, a.atWrite, a.met = true, 0, 0, nil, nil, nil
	for range 1 + a.random.IntN(5)/4 {
		if a.random.IntN(3) == 0 {
			a.atAll = append(a.atAll, a.random.IntN(8))
		} else {
			a.atWrite = append(a.atWrite, a.random.IntN(3)*a.random.IntN(3)) // most calls write once
		}
	}
}

// rest lets everything through.
func (a *aimed) rest() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.armed = false
	return a.met
}

func (a *aimed) choose(request faultproxy.Request) faultproxy.Fault {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.armed {
		return faultproxy.Fault{}
	}
	hit := slices.Contains(a.atAll, a.all)
	if a.all++; writes(request) {
		hit = hit || slices.Contains(a.atWrite, a.writes)
		a.writes++
	}
	fault := faultproxy.Fault{}
	if hit {
		fault = a.fault()
	}
	a.met = append(a.met, fmt.Sprintf("%s: %v %d %s", request.Action, fault.Kind, fault.Status, fault.Text))
	return fault
}

// noteWriter makes random writes of a profile, and holds each answer against the graph.
type noteWriter struct {
	world   *faultyWorld
	session *mcp.ClientSession
	faults  *aimed
	random  *rand.Rand
	profile string
	count   int
	graph   graphNow // before the call
	counts  map[string]int
}

func TestWritesOfNotesUnderFaultsHappenOnceAndAsTheyWereReported(t *testing.T) {
	seed := seedOf(*faultSeed)
	for _, profile := range []string{graph.Name, notes.Name, outline.Name, wiki.Name} {
		t.Run(profile, func(t *testing.T) {
			t.Logf("-fault-seed %d", seed)
			broken := &aimed{faults: faults{rand.New(rand.NewPCG(seed, 0))}}
			w := newFaultyWorld(t, profile, broken.choose)
			c := &noteWriter{world: w, session: w.connect(), faults: broken, profile: profile, random: rand.New(rand.NewPCG(seed, 1)), counts: map[string]int{}}
			switch profile {
			case notes.Name:
				c.call("create_note", map[string]any{"content": "the first of the day"})
			case outline.Name: // the page of who writes comes with the first write
				c.call("create_page", map[string]any{"title": "First"})
			}
			for range faultyNotes {
				c.write()
			}
			t.Logf("faults: %v; replies: %v", w.proxy.Counts(), c.counts)
			if lost, open := c.counts["not known"]+c.counts["done, said by an error"], c.counts["not known"]; open*mostNotesOpen > lost+c.counts["done"] {
				t.Errorf("of %d calls %d are left open", lost+c.counts["done"], open)
			}
		})
	}
}

// verdict is what an answer says became of a call.
type verdict struct {
	kind   string
	answer map[string]any // of a success
	failed map[string]any // the error
	note   string         // the second text
	text   string
}

// call calls a tool and reads its answer.
func (c *noteWriter) call(tool string, arguments map[string]any) verdict {
	c.world.t.Helper()
	result, err := callTool(c.world.t.Context(), c.session, tool, arguments)
	v := verdict{kind: "done"}
	var refused *jsonrpc.Error
	switch {
	case errors.As(err, &refused):
		v.text = refused.Message + " " + string(refused.Data)
		require.NoError(c.world.t, json.Unmarshal(refused.Data, &v.failed))
	case err != nil:
		c.world.t.Fatalf("%s: %v", tool, err)
	default:
		v.text = result.Content[0].(*mcp.TextContent).Text
		if len(result.Content) > 1 {
			if note, isText := result.Content[1].(*mcp.TextContent); isText { // else it is an image
				v.note = note.Text
			}
		}
		if c.profile == wiki.Name {
			if result.IsError {
				v.failed = wikiFailure(v.text)
			}
			break
		}
		require.NoError(c.world.t, json.Unmarshal([]byte(v.text), &v.answer))
		if result.IsError {
			v.failed, _ = v.answer["error"].(map[string]any)
		}
	}
	if v.failed == nil {
		return v
	}
	unknown := v.failed["code"] == string(ops.CodeOutcomeUnknown) || v.failed["cause"] == string(ops.CodeOutcomeUnknown)
	applied, told := v.failed["applied"]
	switch {
	case v.failed["done"] != nil:
		v.kind = "done in part"
	case unknown && applied == true:
		v.kind = "done, said by an error"
	case unknown && told && applied == nil:
		v.kind = "not known"
	default:
		v.kind = "not done"
	}
	return v
}

// write makes one write of a random kind.
func (c *noteWriter) write() {
	c.graph = c.world.graphNow()
	var tool string
	var arguments map[string]any
	var check func(v verdict, after graphNow) error
	if c.profile == outline.Name {
		call := c.chooseOutline()
		tool, arguments = call.tool, call.args
		check = func(v verdict, after graphNow) error { return c.checkOutline(call, v, after) }
	} else {
		tool, arguments = c.choose()
		check = func(v verdict, after graphNow) error { return c.check(tool, arguments, v, after) }
	}
	c.read(tool, arguments)
	c.faults.aim()
	v := c.call(tool, arguments)
	met := c.faults.rest()
	require.NoError(c.world.t, c.world.proxy.Settle(c.world.t.Context()))
	after := c.world.graphNow()
	kind := v.kind
	if kind == "not known" && reflect.DeepEqual(c.graph, after) { // what is not there may still come, for all that the server can know
		kind = "not there"
	}
	c.counts[kind]++
	if err := check(v, after); err != nil {
		c.world.t.Errorf("%s %s:\n%v\nthe answer, %s: %s %s\nrequests:\n%s\nthe graph:\n%s", tool, rawjson.Encode(arguments), err, v.kind, v.text, v.note, strings.Join(met, "\n"), c.graph.difference(after))
	}
}

// read reads the note that a call is to change, as an agent has to before it sends content.
func (c *noteWriter) read(tool string, arguments map[string]any) {
	for _, each := range []struct{ profile, changes, reads, name string }{
		{graph.Name, "update_node", "get_node", "id"}, {notes.Name, "update_note", "get_note", "id"}, {wiki.Name, "update_note", "get_note", "path"},
	} {
		if each.profile == c.profile && each.changes == tool {
			c.call(each.reads, map[string]any{each.name: arguments[each.name]})
		}
	}
}

// words makes the text of a block that no other has.
func (c *noteWriter) words() string {
	c.count++
	link := ""
	switch c.random.IntN(8) {
	case 0:
		link = fmt.Sprintf(" [[Stub %d]]", c.random.IntN(30))
	case 1:
		if pages := c.pages(); len(pages) > 0 {
			link = " [[" + c.graph[pages[c.random.IntN(len(pages))]].title + "]]"
		}
	}
	return fmt.Sprintf("word %d%s", c.count, link)
}

// pages are those that are notes, in an order that is always the same.
func (c *noteWriter) pages() []string {
	var pages []string
	for uid, s := range c.graph {
		if strings.HasPrefix(s.title, "Note ") && len(c.graph.children(uid)) > 0 {
			pages = append(pages, uid)
		}
	}
	slices.Sort(pages)
	return pages
}

// quick are the notes without a title.
func (c *noteWriter) quick() []string {
	var uids []string
	for uid, s := range c.graph {
		if s.text == "[[Notes]]" && s.parent == graphoutline.DailyUID(time.Now()) {
			uids = append(uids, c.graph.children(uid)...)
		}
	}
	return slices.DeleteFunc(uids, func(uid string) bool { return strings.HasPrefix(c.graph[uid].text, "[[") })
}

// title is one that is free, or now and then one that is taken or only mentioned.
func (c *noteWriter) title() string {
	c.count++
	pages := c.pages()
	switch n := c.random.IntN(12); {
	case n == 0 && len(pages) > 0:
		return c.graph[pages[c.random.IntN(len(pages))]].title
	case n == 1:
		return fmt.Sprintf("Stub %d", c.random.IntN(30))
	}
	return fmt.Sprintf("Note %d", c.count)
}

// content changes some lines, so that most stay.
func (c *noteWriter) content(lines []string) string {
	lines = slices.Clone(lines)
	for range 1 + c.random.IntN(4) {
		at := c.random.IntN(len(lines) + 1)
		indent := []string{"", "", "  "}[c.random.IntN(3)]
		switch n := c.random.IntN(8); {
		case n < 4 || len(lines) == 0:
			lines = slices.Insert(lines, at, indent+c.words())
		case n < 6:
			at = min(at, len(lines)-1)
			c.count++
			lines[at] += fmt.Sprintf(" more %d", c.count)
		case n < 7:
			at = min(at, len(lines)-1)
			lines = slices.Delete(lines, at, at+1)
		default:
			c.random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
	}
	var content strings.Builder
	for i, line := range lines[:min(len(lines), 8)] {
		text := strings.TrimLeft(line, " ")
		if i > 0 && text != line {
			content.WriteString("  ")
		}
		content.WriteString("- " + text + "\n")
	}
	return content.String()
}

func (c *noteWriter) tags() []string {
	all := []string{"red", "green", "two words", "blue"}
	c.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:c.random.IntN(4)]
}

// choose chooses a tool and its arguments.
func (c *noteWriter) choose() (tool string, arguments map[string]any) {
	if c.profile == wiki.Name {
		return c.chooseWiki()
	}
	noun := map[string]string{graph.Name: "_node", notes.Name: "_note"}[c.profile]
	known := append(c.pages(), c.quick()...)
	n := c.random.IntN(20)
	if n < 6 || len(known) == 0 {
		arguments = c.fields(noteNow{}, true)
		return "create" + noun, arguments
	}
	uid := known[c.random.IntN(len(known))]
	switch {
	case n < 9 || len(known) > 25 || c.graph.isMixed(uid):
		return "delete" + noun, map[string]any{"id": uid}
	case n < 10 && c.profile == notes.Name:
		return "toggle_pin", map[string]any{"id": uid}
	case n < 11 && c.profile == notes.Name:
		return "toggle_archive", map[string]any{"id": uid}
	}
	arguments = c.fields(c.graph.note(uid), false)
	arguments["id"] = uid
	return "update" + noun, arguments
}

// fields chooses what a note is to have.
func (c *noteWriter) fields(now noteNow, create bool) map[string]any {
	one := func(of int) bool { return c.random.IntN(of) == 0 }
	fields := map[string]any{}
	lines := now.content
	if now.top != "" {
		lines = append([]string{now.top}, lines...)
	}
	if create || one(2) {
		fields["content"] = c.content(lines)
	}
	if create && (c.profile == graph.Name || !one(3)) || !create && one(4) {
		fields["title"] = c.title()
	}
	if c.profile == graph.Name {
		if one(2) || len(fields) == 0 {
			fields["tags"] = c.tags()
		}
		return fields
	}
	for key, value := range map[string]func() any{
		"labels": func() any { return c.tags() }, "color": func() any { return []string{"blue", "green", "default"}[c.random.IntN(3)] },
		"isPinned": func() any { return one(2) }, "isArchived": func() any { return one(2) },
		"checkItems": func() any { return c.items(now) }, "images": func() any { return c.images(now) },
	} {
		fields[key] = value // keeps the random numbers in the order of the keys below
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		value, chosen := fields[key].(func() any)
		if chosen && one(4) {
			fields[key] = value()
		} else if chosen {
			delete(fields, key)
		}
	}
	if fields["content"] == "" && create { // a quick note of nothing is refused
		fields["content"] = "- " + c.words() + "\n"
	}
	return fields
}

func (c *noteWriter) items(now noteNow) []map[string]any {
	var items []map[string]any
	for _, line := range now.items {
		if c.random.IntN(4) > 0 {
			items = append(items, map[string]any{"text": line[len("{{[[TODO]]}} "):], "checked": c.random.IntN(2) == 0})
		}
	}
	for range c.random.IntN(3) {
		c.count++
		items = append(items, map[string]any{"text": fmt.Sprintf("word %d", c.count), "checked": false})
	}
	if items == nil {
		items = []map[string]any{}
	}
	return items
}

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func (c *noteWriter) images(now noteNow) []string {
	images := []string{}
	for _, image := range now.images {
		if c.random.IntN(3) > 0 {
			images = append(images, strings.TrimSuffix(strings.TrimPrefix(image, "![]("), ")"))
		}
	}
	if c.random.IntN(2) == 0 {
		images = append(images, pixel)
	}
	return images
}
