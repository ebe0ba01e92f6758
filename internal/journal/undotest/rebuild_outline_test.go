package undotest

// properties are those that a call of the profile outline sets.
func (c *choice) properties() fields {
	set := fields{}
	for range 1 + c.IntN(3) {
		key := pick(c, "Status", "status", "Tags", "alias", "New key")
		set[key] = pick[any](c, c.text(), "open", 7, true, []string{c.title(), "tagged"}, []string{"a b", "c"}, nil)
	}
	delete(set, map[bool]string{true: "status"}[set["Status"] != nil]) // which are the same
	return set
}

// outlinePlace is where a call of the profile outline puts a block. Its parameters are
// named otherwise in move_block.
func (c *choice) outlinePlace(parent, page string, missing bool) (fields, bool) {
	args := fields{}
	if c.IntN(2) == 0 {
		args["position"] = pick(c, "first", "last")
	}
	switch c.IntN(4) {
	case 0:
		sibling, ok := c.block()
		return fields{"sibling_block_uuid": sibling.uid, "position": pick(c, "before", "after")}, ok
	case 1:
		args[page] = c.title()
		if missing && c.IntN(3) == 0 {
			args[page] = pick(c, c.newTitle(), "tomorrow", "2026-12-24")
		}
		return args, true
	}
	at, ok := c.place()
	args[parent] = at.uid
	return args, ok
}

// outlineKinds are the writes of the profile outline.
func outlineKinds() []rebuildKind {
	create := rebuildKind{"create_block", func(c *choice) (fields, bool) {
		args, ok := c.outlinePlace("parent_block_uuid", "page_name", true)
		args["content"] = pick(c, c.text(), c.text()+"\nsecond line", "")
		if c.IntN(4) == 0 {
			args["properties"] = c.properties()
		}
		return args, ok
	}}
	update := rebuildKind{"update_block", func(c *choice) (fields, bool) {
		b, ok := c.block()
		args := fields{"block_uuid": b.uid}
		if c.IntN(3) > 0 {
			args["content"], args["replace_content"] = c.text(), c.IntN(3) > 0
		}
		if c.IntN(2) == 0 {
			args["properties"] = c.properties()
		}
		return args, ok && len(args) > 1
	}}
	move := rebuildKind{"move_block", func(c *choice) (fields, bool) {
		b, ok := c.block()
		args, there := c.outlinePlace("target_parent_uuid", "target_page_name", false)
		args["block_uuid"] = b.uid
		return args, ok && there
	}}
	return []rebuildKind{create, create, update, update, move, move,
		{"create_page", func(c *choice) (fields, bool) {
			args := fields{"title": c.newTitle(), "create_first_block": c.IntN(2) == 0}
			if c.IntN(2) == 0 {
				args["content"] = c.markdown()
			}
			if c.IntN(2) == 0 {
				args["properties"] = c.properties()
			}
			return args, true
		}},
		{"update_page", func(c *choice) (fields, bool) {
			p, ok := c.page()
			args := fields{"page_name": p.uid, "properties": c.properties()}
			if c.IntN(2) == 0 {
				args["content_append"] = c.markdown()
			}
			return args, ok
		}},
		{"delete_page", func(c *choice) (fields, bool) {
			p, ok := c.page()
			return fields{"page_name": p.uid, "force": c.IntN(3) > 0}, ok
		}},
		{"delete_block", func(c *choice) (fields, bool) {
			b, ok := c.block()
			return fields{"block_uuid": b.uid, "recursive": c.IntN(2) == 0}, ok
		}},
	}
}
