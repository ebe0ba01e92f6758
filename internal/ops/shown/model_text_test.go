package shown_test

import "strings"

// markOfCut is what stands behind a text that goes on.
const markOfCut = "... [truncated]"

// written returns rows as the text of a note: paragraphs where nothing stands below another,
// else bullets. ends are where the rows end, texts where their texts begin.
func written(page *row) (text string, starts, texts, ends []int) {
	bullets := false
	for _, r := range page.kids {
		bullets = bullets || len(r.kids) > 0 || r.text == "" || strings.Contains(r.text, "\n ") || strings.TrimRight(r.text, " ") != r.text
	}
	var out strings.Builder
	var walk func(r *row, depth int)
	walk = func(r *row, depth int) {
		for _, kid := range r.kids {
			switch {
			case out.Len() == 0:
			case bullets:
				out.WriteString("\n")
			default:
				out.WriteString("\n\n")
			}
			starts = append(starts, out.Len())
			if bullets {
				out.WriteString(strings.Repeat("  ", depth) + "- ")
			}
			texts = append(texts, out.Len())
			if bullets {
				out.WriteString(strings.ReplaceAll(kid.text, "\n", "\n  "+strings.Repeat("  ", depth)))
			} else {
				out.WriteString(kid.text)
			}
			ends = append(ends, out.Len())
			walk(kid, depth+1)
		}
	}
	walk(page, 0)
	return out.String(), starts, texts, ends
}

// cut is a part of a text that was shown.
type cut struct {
	above             []string // uids of what stands above the first row
	bullets           bool
	front             string // what stands before it in the line of the first row
	lead, trail       string // of the texts of the first and the last row, not shown
	headless          bool   // it begins within the first row, which has no bullet then
	first, last       string // lines of it
	stub              bool   // it ends with a bullet without its text
	mark              bool
	firstUID, lastUID string // of the rows of which it shows something
}

// cutOf returns what was shown of a page from one byte to another, and which rows.
func cutOf(page *row, from, to int, mark bool) (c cut, shown map[string]bool) {
	text, starts, texts, ends := written(page)
	to = from + len(strings.TrimRight(text[from:to], "\n"))
	c = cut{mark: mark, bullets: len(texts) > 0 && texts[0] > 0}
	lines := strings.Split(text[from:to], "\n")
	c.first, c.last = lines[0], lines[len(lines)-1]
	shown = map[string]bool{}
	if strings.TrimSpace(text[from:to]) == "" {
		return c, shown
	}
	depths, above := depthsOf(page), []string{}
	for i, r := range below(page) {
		above = append(above[:depths[i]:depths[i]], r.uid)
		if ends[i] <= from || texts[i] >= to && (texts[i] < ends[i] || ends[i] > to) {
			c.stub = c.stub || starts[i] < to && texts[i] >= to && ends[i] > from
			continue
		}
		if len(shown) == 0 {
			c.above = above[:depths[i]]
			if from > starts[i] {
				c.headless, c.front, c.lead = true, text[starts[i]:from], text[texts[i]:max(texts[i], from)]
				if from <= starts[i]+2*depths[i] { // within the blanks in front of the bullet
					c.headless = false
				}
			}
		}
		if shown[r.uid] = true; c.firstUID == "" {
			c.firstUID = r.uid
		}
		c.lastUID = r.uid
		c.trail = text[min(ends[i], to):ends[i]]
	}
	if !c.headless {
		c.first, _, _ = strings.Cut(strings.TrimLeft(text[from:to], "\n"), "\n")
	}
	return c, shown
}

func depthsOf(page *row) (depths []int) {
	var walk func(r *row, depth int)
	walk = func(r *row, depth int) {
		for _, kid := range r.kids {
			depths = append(depths, depth)
			walk(kid, depth+1)
		}
	}
	walk(page, 0)
	return depths
}

// line is a row of a text that was sent.
type line struct {
	indent int
	text   string
}

// paragraph is the indent of a paragraph: it stands below nothing, and nothing below it.
const paragraph = 1 << 20

// linesOf reads a text: bullets, or paragraphs with an empty line between.
func linesOf(text string) (list []line) {
	open := false // the line goes on
	for _, each := range strings.Split(text, "\n") {
		bare := strings.TrimLeft(each, " ")
		switch {
		case strings.TrimSpace(bare) == "":
			open = false
		case strings.HasPrefix(bare, "- "), bare == "-":
			list, open = append(list, line{len(each) - len(bare), strings.TrimLeft(bare[1:], " ")}), true
		case open:
			last := &list[len(list)-1] // what is below its text belongs to it
			last.text += "\n" + each[min(len(each)-len(bare), last.indent+2):]
		default:
			list, open = append(list, line{paragraph, strings.TrimSpace(bare)}), true
		}
	}
	return list
}

// tree puts lines below those with less blanks in front.
func tree(root *row, list []line) *row {
	type open struct {
		indent int
		r      *row
	}
	stack := []open{{-1, root}}
	for _, each := range list {
		if each.indent == paragraph {
			stack = stack[:1]
		}
		for stack[len(stack)-1].indent >= each.indent {
			stack = stack[:len(stack)-1]
		}
		r, parent := &row{text: each.text}, stack[len(stack)-1].r
		parent.kids, stack = append(parent.kids, r), append(stack, open{each.indent, r})
	}
	return root
}

// read reads what was sent in place of a part. It returns nil where it can't be told what it
// replaces, and the uids of rows of which nothing was sent that stay.
func (c cut) read(w *ways, sent string) *row {
	text, at := sent, -1
	if i := strings.LastIndex(sent, markOfCut); c.mark && i >= 0 {
		text, at = sent[:i]+sent[i+len(markOfCut):], i
		before := text[:i]
		if own := before[strings.LastIndex(before, "\n")+1:]; strings.Trim(own, " -") == "" && (own != c.last || c.stub && strings.TrimSpace(text[i:]) != "") { // a line of its own
			before = strings.TrimRight(before[:len(before)-len(own)], "\n")
			text, at = before+text[i:], len(before)
		}
	}
	if c.stub {
		trimmed := strings.TrimRight(text, "\n")
		if own := trimmed[strings.LastIndex(trimmed, "\n")+1:]; strings.Trim(own, " -") == "" {
			text = strings.TrimRight(trimmed[:len(trimmed)-len(own)], "\n")
		}
	}
	root := &row{text: rootText}
	if strings.TrimSpace(text) == "" {
		return root
	}
	if c.trail != "" {
		if at < 0 {
			if at = c.end(w, text); at < 0 {
				return nil
			}
			text = text[:at] + strings.TrimLeft(text[at:], " ")
		}
		if shown := c.last[len(strings.TrimRight(c.last, " ")):]; !strings.HasSuffix(text[:at], " ") {
			text, at = text[:at]+shown+text[at:], at+len(shown)
		}
		text = text[:at] + c.trail + text[at:]
	}
	if !c.headless {
		text = strings.TrimLeft(text, "\n")
	}
	first, rest, more := strings.Cut(text, "\n")
	known := strings.HasPrefix(strings.TrimLeft(text, " "), strings.TrimLeft(c.first, " ")) || likeness(first, c.first) > 0
	switch {
	case c.headless:
		if !known {
			return nil
		}
		if !strings.HasPrefix(first, " ") {
			first = c.first[:len(c.first)-len(strings.TrimLeft(c.first, " "))] + first
		}
		first = c.front + first
	case known && len(c.above) > 0 && strings.HasPrefix(strings.TrimLeft(first, " "), "- "):
		first = strings.Repeat("  ", len(c.above)) + strings.TrimLeft(first, " ")
	}
	if text = first; more {
		text += "\n" + rest
	}
	if len(c.above) > 0 && !strings.HasPrefix(strings.TrimLeft(text, " \n"), "-") {
		return nil // it can't stand below them
	}
	var list []line
	for depth := range c.above {
		list = append(list, line{2 * depth, "\x00"})
	}
	root = tree(root, append(list, linesOf(text)...))
	top := root
	for _, uid := range c.above {
		top = top.kids[0]
		top.uid, top.text = uid, ""
	}
	return root
}

// left returns the uids of the rows that stay where nothing is sent: of which a part was
// shown.
func (c cut) left() (list []string) {
	if c.headless {
		list = append(list, c.firstUID)
	}
	if c.trail != "" {
		list = append(list, c.lastUID)
	}
	return list
}

// end returns where the row ends of which the end was not shown, in a text that was sent
// without the mark; -1 where it can't be told.
func (c cut) end(w *ways, text string) int {
	var ends []int
	at, last, lastEnd := 0, "", -1
	for _, each := range strings.Split(text, "\n") {
		if strings.TrimSpace(each) == strings.TrimSpace(c.last) {
			ends = append(ends, at+len(strings.TrimRight(each, " ")))
		}
		if strings.TrimSpace(each) != "" {
			last, lastEnd = each, at+len(strings.TrimRight(each, " "))
		}
		at += len(each) + 1
	}
	switch {
	case len(ends) > 0 && strings.TrimSpace(last) == strings.TrimSpace(c.last):
		return ends[len(ends)-1]
	case len(ends) == 1:
		return ends[0]
	case likeness(last, c.last) > 0 && w.pick(2) == 0:
		return lastEnd
	}
	return -1
}
