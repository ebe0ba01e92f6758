package faulttest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/mcpserve/profile/notes"
	"roam-mcp/mcpserve/profile/wiki"
)

// check holds an answer against the graph before and after the call.
func (c *noteWriter) check(tool string, asked map[string]any, v verdict, after graphNow) error {
	of, was, wanted := c.wanted(tool, asked)
	named, _ := v.answer["id"].(string)
	uid := named
	if uid == "" {
		if uid = c.asked(asked); uid == "" || was.title == "" && wanted.title != "" {
			uid = after.titled(wanted.title)
		}
	}
	of = append(of, uid)
	if uid == "" { // of a quick note whose uid nobody told
		for each, s := range after {
			if _, there := c.graph[each]; !there && s.text == wanted.top && wanted.top != "" {
				of = append(of, each)
			}
		}
	}
	links := c.links(was, wanted)
	if err := c.graph.others(after, of, links); err != nil {
		return err
	}
	is, inPart := after.note(uid), v.kind == "done in part" || v.kind == "not known"
	promoted := was.there && was.title == "" && wanted.title != "" // its text is on the page before it goes from the block
	if text := c.graph.twice(after, links); text != "" && (!inPart || !promoted && text != is.top) {
		return fmt.Errorf("%q is there twice", text)
	}
	switch v.kind {
	case "done":
		if strings.HasPrefix(tool, "toggle") && strings.Contains(v.note, "lost") || strings.Contains(v.note, "not pinned") {
			wanted.pinned, wanted.properties = is.pinned, is.properties
		}
		if err := c.answered(v.answer, is); err != nil && named != "" && !strings.Contains(v.text, "could not be read back") {
			return err
		}
		if c.profile == wiki.Name {
			if err := c.answeredOfWiki(tool, asked, v, after); err != nil {
				return err
			}
		}
		fallthrough
	case "done, said by an error":
		for i := range wanted.content { // a link of the note to itself may follow the new title
			if i < len(is.content) && links.Replace(wanted.content[i]) == is.content[i] {
				wanted.content[i] = is.content[i]
			}
		}
		if !is.is(wanted) {
			return fmt.Errorf("it is  %+v\nwanted %+v", is, wanted)
		}
	case "not done":
		if !reflect.DeepEqual(c.graph, after) {
			return errors.New("the graph has changed")
		}
		unbroken := !slices.ContainsFunc(c.faults.met, func(request string) bool { return !strings.Contains(request, ": "+faultproxy.None.String()+" ") })
		if c.profile == wiki.Name && unbroken && wanted.top != refused.top {
			return errors.New("nothing was in its way")
		}
	case "done in part":
		return c.inPart(of, v, links, after)
	}
	return nil
}

// asked returns the uid of the note that a call is about; empty where it names none that
// is there.
func (c *noteWriter) asked(asked map[string]any) string {
	if path, given := asked["path"].(string); given {
		return c.graph.titled(path)
	}
	uid, _ := asked["id"].(string)
	return uid
}

// wanted returns what a call wants, and the uids that it is about.
func (c *noteWriter) wanted(tool string, asked map[string]any) (of []string, was, wanted noteNow) {
	if c.profile == wiki.Name {
		return c.wantedOfWiki(tool, asked)
	}
	fields := maps.Clone(asked)
	uid, _ := asked["id"].(string)
	if uid != "" {
		was, of = c.graph.note(uid), []string{uid}
	}
	title, _ := asked["title"].(string)
	if title != "" && title != was.title {
		if c.profile == notes.Name {
			title = c.free(title)
		}
		fields["title"] = title
		if stub := c.graph.titled(title); stub != "" && len(c.graph.children(stub)) == 0 {
			of = append(of, stub)
		}
	}
	wanted = was
	switch {
	case strings.HasPrefix(tool, "delete"):
		for each, s := range c.graph { // a quick note that became the page goes with it
			if c.profile == notes.Name && was.title != "" && s.text == "[["+was.title+"]]" {
				of = append(of, each)
			}
		}
		return of, was, noteNow{}
	case tool == "toggle_pin":
		return of, was, was.with(map[string]any{"isPinned": !was.pinned})
	case tool == "toggle_archive":
		return of, was, was.with(map[string]any{"isArchived": was.properties["Archived"] == ""})
	case was.top != "" && title != "": // a quick note becomes a page
		wanted.content, wanted.top = append([]string{was.top}, was.content...), ""
	}
	if title != "" {
		wanted.title = title
	}
	return of, was, wanted.with(fields)
}

// free is the title that a note gets.
func (c *noteWriter) free(title string) string {
	free := title
	for n := 2; ; n++ {
		uid := c.graph.titled(free)
		if uid == "" || len(c.graph.children(uid)) == 0 {
			return free
		}
		free = fmt.Sprintf("%s (%d)", title, n)
	}
}

// links are what other notes may have in place of a link to the note.
func (c *noteWriter) links(was, wanted noteNow) *strings.Replacer {
	if was.title == "" {
		return strings.NewReplacer()
	}
	link := "[[" + was.title + "]]"
	if wanted.title == "" {
		return strings.NewReplacer(link, was.title)
	}
	return strings.NewReplacer(link, "[["+wanted.title+"]]")
}

// answered holds what an answer shows of the note against what is there.
func (c *noteWriter) answered(answer map[string]any, is noteNow) error {
	if _, shown := answer["content"]; !shown { // what was deleted
		return nil
	}
	title, _ := answer["title"].(string)
	if title != is.title {
		return fmt.Errorf("the answer has the title %q, and there is %q", title, is.title)
	}
	if content, _ := answer["content"].(string); strings.Count(content, "word ") != strings.Count(strings.Join(is.content, " ")+is.top, "word ") {
		return fmt.Errorf("the answer has the content %q, and there is %q", content, is.content)
	}
	if c.profile != notes.Name {
		return nil
	}
	items, _ := answer["checkItems"].([]any)
	images, _ := answer["images"].([]any)
	if answer["isPinned"] != is.pinned || answer["isArchived"] != (is.properties["Archived"] != "") || len(items) != len(is.items) || len(images) != len(is.images) {
		return fmt.Errorf("the answer is %v, and there is %+v", answer, is)
	}
	return nil
}

// inPart holds what an error says was done against what was. Links that follow a new title
// need not be told.
func (c *noteWriter) inPart(of []string, v verdict, links *strings.Replacer, after graphNow) error {
	if reflect.DeepEqual(c.graph, after) {
		return errors.New("nothing was done")
	}
	told := map[string][]string{}
	done, _ := v.failed["done"].(map[string]any)
	for kind, list := range done {
		uids, _ := list.([]any)
		for _, uid := range uids {
			told[kind] = append(told[kind], uid.(string))
		}
	}
	actual := map[string][]string{}
	for _, uid := range c.changed(of, after) {
		was, before := c.graph[uid]
		is, now := after[uid]
		switch {
		case !now:
			actual["deleted"] = append(actual["deleted"], uid)
		case !before:
			actual["inserted"] = append(actual["inserted"], uid)
		default:
			for kind, changed := range map[string]bool{"updated": is.text != was.text, "renamed": is.title != was.title, "shortcuts": is.shortcut != was.shortcut, "moved": is.parent != was.parent} {
				follows := kind == "updated" && links.Replace(was.text) == is.text && !slices.Contains(told[kind], uid)
				if changed && !follows {
					actual[kind] = append(actual[kind], uid)
				}
			}
		}
	}
	_, open := v.failed["applied"]
	for _, kind := range []string{"inserted", "updated", "renamed", "shortcuts", "moved", "deleted"} {
		for _, uid := range told[kind] {
			if _, there := after[uid]; there == (kind == "deleted") {
				return fmt.Errorf("it says that %s was %s", uid, kind)
			}
			own := kind == "updated" && slices.Contains(actual["inserted"], uid) // the first line of a page that a quick note became
			if kind != "moved" && kind != "deleted" && !own && !slices.Contains(actual[kind], uid) {
				return fmt.Errorf("it says that %s was %s", uid, kind)
			}
		}
		for _, uid := range actual[kind] {
			if !open && !c.covered(after, told[kind], uid) {
				return fmt.Errorf("it does not say that %s was %s", uid, kind)
			}
		}
	}
	return nil
}

// covered reports whether one of some uids is that of a block or of one above it, before
// or after.
func (c *noteWriter) covered(after graphNow, uids []string, uid string) bool {
	for _, graph := range []graphNow{c.graph, after} {
		for each := uid; each != ""; each = graph[each].parent {
			if slices.Contains(uids, each) {
				return true
			}
		}
	}
	return false
}

// changed are the pages and blocks in the trees of some, before and after.
func (c *noteWriter) changed(of []string, after graphNow) []string {
	seen := map[string]bool{}
	for _, graph := range []graphNow{c.graph, after} {
		for _, uid := range of {
			if _, there := graph[uid]; !there {
				continue
			}
			for _, each := range graph.tree(uid) {
				seen[each] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
