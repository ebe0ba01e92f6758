package undotest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/roamtext"
)

// rebuildOp is one call of a tool by an agent. What it is about is chosen by numbers, from
// what is there when its turn comes, so that a sequence can be made without some of its
// calls.
type rebuildOp struct {
	Agent int
	Kind  int
	Seed  uint64
}

// rebuildKind makes the arguments of a call; ok is false where there is nothing to do it
// with.
type rebuildKind struct {
	tool string
	args func(c *choice) (args map[string]any, ok bool)
}

// choice chooses from what is there.
type choice struct {
	*rand.Rand
	blocks, pages []rebuildThing
}

// rebuildThing is a page or a block that is there.
type rebuildThing struct {
	uid, text string
	parent    string
}

func (c *choice) block() (rebuildThing, bool) { return oneOf(c, c.blocks) }
func (c *choice) page() (rebuildThing, bool)  { return oneOf(c, c.pages) }

// place is a page or a block.
func (c *choice) place() (rebuildThing, bool) {
	if c.IntN(2) == 0 {
		return c.page()
	}
	return c.block()
}

func oneOf(c *choice, things []rebuildThing) (rebuildThing, bool) {
	if len(things) == 0 {
		return rebuildThing{}, false
	}
	return things[c.IntN(len(things))], true
}

func pick[T any](c *choice, from ...T) T { return from[c.IntN(len(from))] }

// newTitle is one that is likely not to be there.
func (c *choice) newTitle() string {
	word := fmt.Sprintf("New%d", c.IntN(40))
	switch c.IntN(8) {
	case 0:
		return word + " [[" + c.title() + "]]"
	case 1:
		return "[[" + c.title() + "]]"
	case 2:
		return "see #" + word
	case 3:
		return word + " two words"
	case 4:
		if b, ok := c.block(); ok {
			return word + " ((" + b.uid + "))"
		}
	case 5:
		return "area/" + word
	}
	return word
}

// title is that of a page that is there, or a new one.
func (c *choice) title() string {
	if p, ok := c.page(); ok && c.IntN(4) > 0 {
		return p.text
	}
	return fmt.Sprintf("New%d", c.IntN(40))
}

// retitled reports whether a page can get a title: what one becomes that mentions the page itself,
// or a block that mentions it, is anybody's guess.
func (c *choice) retitled(page rebuildThing, title string) bool {
	return !slices.Contains(fact.Mentions(title), page.text) && !slices.ContainsFunc(c.blocks, func(b rebuildThing) bool {
		return strings.Contains(title, "(("+b.uid+"))") && slices.Contains(fact.Mentions(b.text), page.text)
	})
}

// mention mentions a page or a block, in one of the spellings.
func (c *choice) mention() string {
	if b, ok := c.block(); ok && c.IntN(3) == 0 {
		return fmt.Sprintf(pick(c, "((%s))", "{{embed: ((%s))}}", "{{[[embed]]: ((%s))}}", "[label](((%s)))", "#((%s))", "`((%s))`"), b.uid)
	}
	title := c.title()
	if c.IntN(12) == 0 {
		title = pick(c, "November 25th, 2026", "December 1st, 2026")
	}
	switch c.IntN(6) {
	case 0:
		if roamtext.Bare(title) {
			return "#" + title
		}
		return "#[[" + title + "]]"
	case 1:
		return "#[[" + title + "]]"
	case 2:
		return "{{embed: [[" + title + "]]}}"
	case 3:
		return "[an alias]([[" + title + "]])"
	}
	return "[[" + title + "]]"
}

// text is the text of a block.
func (c *choice) text() string {
	word := fmt.Sprintf("word%d", c.IntN(1000))
	switch c.IntN(8) {
	case 0:
		return word
	case 1:
		if title := c.title(); !strings.ContainsAny(title, "[]()#:") {
			return title + ":: " + word
		}
	case 2:
		return c.mention() + " and " + c.mention()
	case 3:
		return "{{[[TODO]]}} " + word
	case 4:
		return word + " #.rm-hide"
	case 5:
		return "**" + word + "** `code [[not]]` " + c.mention()
	}
	return word + " " + c.mention()
}

// markdown is that of a few blocks, some of them below others.
func (c *choice) markdown() string {
	var b strings.Builder
	depth := 0
	for i := range 1 + c.IntN(4) {
		if i > 0 {
			depth = c.IntN(depth + 2)
		}
		b.WriteString(strings.Repeat("  ", depth) + "- " + pick(c, "", "", "", "## ") + c.text() + "\n")
	}
	return b.String()
}

// order is a place among children.
func (c *choice) order() any { return pick[any](c, "first", "last", 0, 1, 2, 7) }

type fields = map[string]any

// look is some of what update_block changes besides the text.
func (c *choice) look(args fields) {
	switch c.IntN(4) {
	case 0:
		args["heading"] = c.IntN(4)
	case 1:
		args["open"] = c.IntN(2) == 0
	case 2:
		args["childrenViewType"] = pick(c, "bullet", "numbered", "document")
	case 3:
		args["textAlign"] = pick(c, "left", "center", "right", "justify")
	}
}

// blockUpdate changes a block.
func (c *choice) blockUpdate() (fields, bool) {
	b, ok := c.block()
	args := fields{"uid": b.uid}
	switch c.IntN(6) {
	case 0:
		c.look(args)
	case 1:
		args["todo"] = pick(c, "todo", "done", "none")
	case 2:
		if before, _, found := strings.Cut(b.text, " "); found && before != "" {
			args["find"], args["replace"] = before, c.mention()
			break
		}
		args["string"] = ""
	case 3:
		args["string"] = b.text // as it is
	case 4:
		c.look(args)
		args["string"] = c.text()
	default:
		args["string"] = c.text()
	}
	return args, ok
}

// below returns the children of a thing.
func (c *choice) below(uid string) (uids []string) {
	for _, b := range c.blocks {
		if b.parent == uid {
			uids = append(uids, b.uid)
		}
	}
	return uids
}

// rebuildKinds are the writes of a profile; those that are more likely stand there more
// than once.
func rebuildKinds(profile string) []rebuildKind {
	switch profile {
	case "graph":
		return graphKinds()
	case "notes":
		return noteKinds()
	case "outline":
		return outlineKinds()
	case "wiki":
		return wikiKinds()
	}
	create := rebuildKind{"create_block", func(c *choice) (fields, bool) {
		args := fields{"markdown": c.markdown(), "order": c.order()}
		if c.IntN(5) == 0 {
			args["nestUnder"] = pick(c, "Section", "Section #sorted", c.mention())
		}
		if c.IntN(8) == 0 {
			args["childrenViewType"] = "numbered"
		}
		if c.IntN(8) == 0 {
			args["open"] = false
		}
		switch c.IntN(6) {
		case 0:
			args["pageTitle"] = c.newTitle()
		case 1:
			args["pageTitle"] = c.title()
		case 2:
			args["dailyNotePage"] = pick(c, "today", "tomorrow", "2026-11-25")
		default:
			at, ok := c.place()
			args["parentUid"] = at.uid
			return args, ok
		}
		return args, true
	}}
	update := rebuildKind{"update_block", (*choice).blockUpdate}
	remove := rebuildKind{"delete_block", func(c *choice) (fields, bool) {
		b, ok := c.block()
		return fields{"uid": b.uid}, ok
	}}
	move := rebuildKind{"move_block", func(c *choice) (fields, bool) {
		b, ok := c.block()
		to, there := c.place()
		return fields{"uid": b.uid, "parentUid": to.uid, "order": c.order()}, ok && there
	}}
	rename := rebuildKind{"update_page", func(c *choice) (fields, bool) {
		p, ok := c.page()
		args := fields{"uid": p.uid}
		switch c.IntN(6) {
		case 0:
			args["childrenViewType"] = pick(c, "bullet", "numbered", "document")
		case 1, 2:
			title := c.title()
			args["title"], args["mergePages"] = title, true
			return args, ok && c.retitled(p, title)
		default:
			title := c.newTitle()
			args["title"] = title
			return args, ok && c.retitled(p, title)
		}
		return args, ok
	}}
	return append([]rebuildKind{create, create, create, update, update, remove, move, rename, rename}, rareKinds()...)
}

func rareKinds() []rebuildKind {
	return []rebuildKind{
		{"create_page", func(c *choice) (fields, bool) {
			args := fields{"title": c.newTitle()}
			if c.IntN(2) == 0 {
				args["markdown"] = c.markdown()
			}
			if c.IntN(6) == 0 {
				args["childrenViewType"] = "document"
			}
			return args, true
		}},
		{"append_to_daily_note", func(c *choice) (fields, bool) {
			args := fields{"markdown": c.markdown(), "date": pick(c, "today", "yesterday", "2026-12-24")}
			if c.IntN(3) == 0 {
				args["nestUnder"] = pick(c, "Log", "Log [[Beta]]")
			}
			return args, true
		}},
		{"add_comment", func(c *choice) (fields, bool) {
			b, ok := c.block()
			if c.IntN(2) == 0 {
				return fields{"blockUid": b.uid, "comment": c.text()}, ok
			}
			return fields{"blockUid": b.uid, "commentMarkdown": c.markdown()}, ok
		}},
		{"update_blocks", func(c *choice) (fields, bool) {
			var updates []fields
			for range 1 + c.IntN(4) {
				if args, ok := c.blockUpdate(); ok {
					updates = append(updates, args)
				}
			}
			if c.IntN(4) == 0 {
				updates = append(updates, fields{"uid": "notthere1", "string": "x"})
			}
			return fields{"updates": updates}, len(updates) > 0
		}},
		{"delete_blocks", func(c *choice) (fields, bool) {
			var uids []string
			for range 1 + c.IntN(4) {
				if b, ok := c.block(); ok {
					uids = append(uids, b.uid)
					uids = append(uids, c.below(b.uid)[:min(c.IntN(2), len(c.below(b.uid)))]...)
				}
			}
			if c.IntN(4) == 0 {
				uids = append(uids, "notthere1")
			}
			return fields{"uids": uids}, len(uids) > 0
		}},
		{"delete_page", func(c *choice) (fields, bool) {
			p, ok := c.page()
			return fields{"uid": p.uid}, ok
		}},
		{"move_blocks", func(c *choice) (fields, bool) {
			at, ok := c.place()
			uids := c.below(at.uid)
			c.Shuffle(len(uids), func(i, j int) { uids[i], uids[j] = uids[j], uids[i] })
			uids = uids[:len(uids)-min(c.IntN(2), max(0, len(uids)-1))]
			if other, there := c.block(); there && c.IntN(2) == 0 && !slices.Contains(uids, other.uid) {
				uids = slices.Insert(uids, c.IntN(len(uids)+1), other.uid)
			}
			return fields{"parentUid": at.uid, "uids": uids[:min(len(uids), 25)], "order": c.order()}, ok && len(uids) > 0
		}},
		{"add_shortcut", func(c *choice) (fields, bool) {
			p, ok := c.page()
			args := fields{"uid": p.uid}
			if c.IntN(2) == 0 {
				args["index"] = c.IntN(4)
			}
			return args, ok
		}},
		{"add_shortcut", func(c *choice) (fields, bool) {
			p, ok := c.page()
			return fields{"uid": p.uid}, ok
		}},
		{"remove_shortcut", func(c *choice) (fields, bool) {
			p, ok := c.page()
			return fields{"uid": p.uid}, ok
		}},
	}
}

// graphKinds are the writes of the profile graph.
func graphKinds() []rebuildKind {
	update := rebuildKind{"update_node", func(c *choice) (fields, bool) {
		p, ok := c.page()
		args := fields{"id": p.uid}
		if title := c.newTitle(); c.retitled(p, title) && c.IntN(3) == 0 {
			args["title"] = title
		}
		if c.IntN(3) > 0 {
			args["content"] = c.markdown()
		}
		if c.IntN(3) == 0 {
			args["tags"] = []string{c.title(), "tagged"}[:1+c.IntN(2)]
		}
		return args, ok && len(args) > 1
	}}
	return []rebuildKind{
		{"create_node", func(c *choice) (fields, bool) {
			return fields{"title": c.newTitle(), "content": c.markdown(), "tags": []string{"tagged", c.title()}[:c.IntN(3)]}, true
		}},
		update, update,
		{"delete_node", func(c *choice) (fields, bool) {
			p, ok := c.page()
			return fields{"id": p.uid}, ok
		}},
	}
}

// noteKinds are the writes of the profile notes.
func noteKinds() []rebuildKind {
	about := func(c *choice, args fields) fields {
		if c.IntN(2) == 0 {
			args["content"] = c.markdown()
		}
		if c.IntN(3) == 0 {
			args["labels"] = []string{c.title(), "label two"}[:1+c.IntN(2)]
		}
		if c.IntN(3) == 0 {
			args["color"] = pick(c, "red", "blue", "default")
		}
		if c.IntN(4) == 0 {
			args["isPinned"] = c.IntN(2) == 0
		}
		if c.IntN(4) == 0 {
			args["isArchived"] = c.IntN(2) == 0
		}
		if c.IntN(4) == 0 {
			args["checkItems"] = []any{fields{"text": c.text(), "checked": c.IntN(2) == 0}, fields{"text": "second"}}
		}
		return args
	}
	toggle := func(tool string) rebuildKind {
		return rebuildKind{tool, func(c *choice) (fields, bool) {
			p, ok := c.page()
			return fields{"id": p.uid}, ok
		}}
	}
	update := rebuildKind{"update_note", func(c *choice) (fields, bool) {
		p, ok := c.page()
		args := about(c, fields{"id": p.uid})
		if title := c.newTitle(); c.retitled(p, title) && c.IntN(4) == 0 {
			args["title"] = title
		}
		return args, ok && len(args) > 1
	}}
	return []rebuildKind{
		{"create_note", func(c *choice) (fields, bool) {
			args := about(c, fields{"content": c.markdown()})
			if c.IntN(3) > 0 {
				args["title"] = c.newTitle()
			}
			return args, true
		}},
		update, update, toggle("toggle_pin"), toggle("toggle_archive"), toggle("delete_note"),
	}
}

// wikiKinds are the writes of the profile wiki, but for restores, whose versions are in the
// journal alone; they are made of the same requests.
func wikiKinds() []rebuildKind {
	about := func(c *choice, args fields) fields {
		if c.IntN(2) == 0 {
			args["content"] = c.markdown()
		}
		if c.IntN(4) == 0 {
			args["title"] = fmt.Sprintf("Title %d", c.IntN(9))
		}
		return args
	}
	update := rebuildKind{"update_note", func(c *choice) (fields, bool) {
		p, ok := c.page()
		args := about(c, fields{"path": p.text})
		switch c.IntN(4) {
		case 0:
			args["tags"] = []string{c.title(), "label two"}[:c.IntN(3)]
		case 1:
			args["add_tags"], args["remove_tags"] = []string{c.title()}, []string{c.title()}
		}
		if title := c.newTitle(); c.retitled(p, title) && c.IntN(3) == 0 {
			args["new_path"] = title
		}
		return args, ok && len(args) > 1
	}}
	return []rebuildKind{
		{"create_note", func(c *choice) (fields, bool) {
			args := about(c, fields{"path": c.newTitle(), "title": "", "content": c.markdown()})
			if c.IntN(3) == 0 {
				args["tags"] = []string{c.title(), "label two"}
			}
			return args, true
		}},
		update, update, update,
		{"edit_note", func(c *choice) (fields, bool) {
			p, ok := c.page()
			return fields{"path": p.text, pick(c, "append", "prepend"): c.markdown()}, ok
		}},
		{"delete_note", func(c *choice) (fields, bool) {
			p, ok := c.page()
			return fields{"path": p.text}, ok
		}},
	}
}
