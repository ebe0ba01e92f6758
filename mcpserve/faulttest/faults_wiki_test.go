package faulttest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"roam-mcp/internal/ops"
)

// wikiFailure reads what the text of an error of the profile wiki says.
func wikiFailure(text string) map[string]any {
	failed := map[string]any{}
	for line := range strings.SplitSeq(text, "\n") {
		for _, name := range []string{ops.DetailApplied, ops.DetailDone} {
			var detail any
			if value, ok := strings.CutPrefix(line, name+": "); ok && json.Unmarshal([]byte(value), &detail) == nil {
				failed[name] = detail
			}
		}
	}
	if _, told := failed[ops.DetailApplied]; told {
		failed["code"] = string(ops.CodeOutcomeUnknown)
	}
	return failed
}

// wikiPath is a path that is free, or now and then one that is taken or only mentioned.
func (c *noteWriter) wikiPath() string {
	return c.title() + []string{"", "", "", "/deep"}[c.random.IntN(4)]
}

// chooseWiki chooses a tool of the profile wiki and its arguments.
func (c *noteWriter) chooseWiki() (tool string, arguments map[string]any) {
	pages := c.pages()
	n := c.random.IntN(20)
	if n < 5 || len(pages) == 0 {
		return "create_note", map[string]any{"path": c.wikiPath(), "title": c.wikiTitle(), "content": c.content(nil), "tags": c.tags()}
	}
	page := c.graph.note(pages[c.random.IntN(len(pages))])
	arguments = map[string]any{"path": page.title}
	switch {
	case n < 8 || len(pages) > 25:
		return "delete_note", arguments
	case n < 12:
		switch kind := c.random.IntN(3); {
		case kind == 0:
			arguments["append"] = c.content(nil)
		case kind == 1 || len(page.content) == 0:
			arguments["prepend"] = c.content(nil)
		default:
			arguments["find"] = strings.TrimLeft(page.content[c.random.IntN(len(page.content))], " ")
			arguments["replace"] = fmt.Sprint(arguments["find"], " more")
		}
		return "edit_note", arguments
	}
	for len(arguments) == 1 {
		c.toUpdateWiki(arguments, page)
	}
	return "update_note", arguments
}

func (c *noteWriter) toUpdateWiki(arguments map[string]any, page noteNow) {
	one := func(of int) bool { return c.random.IntN(of) == 0 }
	if one(2) {
		arguments["content"] = c.content(page.content)
	}
	if one(3) {
		arguments["new_path"] = c.wikiPath()
	}
	if one(4) {
		arguments["title"] = c.wikiTitle()
	}
	switch c.random.IntN(6) {
	case 0:
		arguments["tags"] = c.tags()
	case 1:
		arguments["add_tags"], arguments["remove_tags"] = c.tags(), c.tags()
	}
}

// wikiTitle is a title that a note shows; empty: that which its path says.
func (c *noteWriter) wikiTitle() string {
	if c.count++; c.random.IntN(2) == 0 {
		return ""
	}
	return fmt.Sprintf("Head %d", c.count)
}

// refused is what a call wants that must be refused, which no note can be.
var refused = noteNow{top: "refused"}

// wantedOfWiki is wanted for the profile wiki.
func (c *noteWriter) wantedOfWiki(tool string, asked map[string]any) (of []string, was, wanted noteNow) {
	path, _ := asked["path"].(string)
	uid := c.graph.titled(path)
	if uid != "" {
		was, of = c.graph.note(uid), []string{uid}
	}
	fields := map[string]any{}
	wanted = was
	switch tool {
	case "create_note":
		if uid != "" && len(c.graph.children(uid)) > 0 {
			return of, was, refused
		}
		wanted.title, fields["tags"], fields["content"] = path, asked["tags"], asked["content"]
	case "delete_note":
		if c.graph.mentioned(uid) {
			return of, was, noteNow{there: true, title: path}
		}
		return of, was, noteNow{}
	case "edit_note":
		wanted.content = edited(was.content, asked)
		if wanted.content == nil {
			return of, was, refused
		}
	default:
		to, moves := asked["new_path"].(string)
		if there := c.graph.titled(to); moves && there != "" && there != uid {
			if len(c.graph.children(there)) > 0 {
				return of, was, refused
			}
			of = append(of, there)
		}
		if moves {
			wanted.title = to
		}
		if content, given := asked["content"]; given {
			fields["content"] = content
		}
		if tags, given := retagged(was.properties["Tags"], asked); given {
			fields["tags"] = tags
		}
	}
	wanted = wanted.with(fields)
	plain := wanted.title[strings.LastIndexByte(wanted.title, '/')+1:]
	if title, given := asked["title"].(string); given {
		if delete(wanted.properties, "Title"); title != "" && title != plain {
			wanted.properties["Title"] = title
		}
	}
	if len(wanted.content)+len(wanted.properties) == 0 {
		wanted.properties["Title"] = plain
	}
	return of, was, wanted
}

// edited returns lines as edit_note makes them; nil where it must refuse.
func edited(lines []string, asked map[string]any) []string {
	if asked["append"] == "" || asked["prepend"] == "" {
		return nil
	}
	if added, given := asked["append"].(string); given {
		return slices.Concat(lines, outlineLines(added))
	}
	if added, given := asked["prepend"].(string); given {
		return slices.Concat(outlineLines(added), lines)
	}
	all, find := strings.Join(lines, "\n"), asked["find"].(string)
	if strings.Count(all, find) != 1 {
		return nil
	}
	return strings.Split(strings.Replace(all, find, asked["replace"].(string), 1), "\n")
}

var declaredTag = regexp.MustCompile(`#(?:\[\[([^\]]*)\]\]|(\S+))`)

// retagged returns the tags that update_note makes of a line, and whether it is to change
// them.
func retagged(line string, asked map[string]any) (tags []string, given bool) {
	if tags, given = asked["tags"].([]string); given {
		return tags, true
	}
	added, given := asked["add_tags"].([]string)
	if !given {
		return nil, false
	}
	for _, match := range declaredTag.FindAllStringSubmatch(line, -1) {
		if tag := match[1] + match[2]; !slices.Contains(asked["remove_tags"].([]string), tag) {
			tags = append(tags, tag)
		}
	}
	for _, tag := range added {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags, true
}

// linking returns the uids of the blocks on other pages that link to a page, and of these
// pages.
func (g graphNow) linking(page string) (blocks, pages []string) {
	own := g.tree(page)
	for uid, s := range g {
		if s.parent == "" || !strings.Contains(s.text, "[["+g[page].title+"]]") || slices.Contains(own, uid) {
			continue
		}
		root := uid
		for g[root].parent != "" {
			root = g[root].parent
		}
		if blocks = append(blocks, uid); !slices.Contains(pages, root) {
			pages = append(pages, root)
		}
	}
	return blocks, pages
}

func (g graphNow) mentioned(page string) bool {
	blocks, _ := g.linking(page)
	return len(blocks) > 0
}

// answeredOfWiki holds an answer of the profile wiki against what was done, and the
// history of the note against both.
func (c *noteWriter) answeredOfWiki(tool string, asked map[string]any, v verdict, after graphNow) error {
	path := asked["path"].(string)
	_, linking := c.graph.linking(c.graph.titled(path))
	now, begins, told, message := path, "Updated note at "+path, "", "Update note: "+path
	to, moves := asked["new_path"].(string)
	switch {
	case tool == "create_note":
		begins, message = `Created note "`, "Create note: "+path
	case tool == "delete_note":
		begins, told, message = "Deleted note at "+path, "Warning: %d note", "Delete note: "+path
	case moves && to != path:
		now, begins, told, message = to, "Moved note from "+path+" to "+to, "Updated links in %d note", "Move note: "+path+" → "+to
	}
	if !strings.HasPrefix(v.text, begins) {
		return fmt.Errorf("it does not begin with %q", begins)
	}
	if told != "" && len(linking) > 0 != strings.Contains(v.text, "\n\n"+fmt.Sprintf(told, len(linking))) {
		return fmt.Errorf("%d notes link to it", len(linking))
	}
	if v.note != "" || reflect.DeepEqual(c.graph, after) {
		return nil
	}
	if history := c.call("get_note_history", map[string]any{"path": now, "limit": 1}); !strings.Contains(history.text, "  "+message) {
		return fmt.Errorf("its history is %s, without %q", history.text, message)
	}
	return nil
}
