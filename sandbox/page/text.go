package page

import (
	"html/template"
	"net/url"
	"strings"

	"roam-mcp/graphdb/outline"
)

// links finds what a text refers to.
type links interface {
	// page gives the address of the page with a title.
	page(title string) string
	// block gives the text of a block and its address; false where there is none.
	block(uid string) (text, address string, ok bool)
}

const (
	maxNested = 20    // marks within marks, such as bold in italics
	maxReach  = 8_000 // bytes in which the end of a form is sought
)

// textHTML is a block's text, or a title, as a person reads it. All of it is
// escaped, and the only addresses in it are ours and those of the web.
func textHTML(s string, to links) template.HTML {
	w := &textWriter{s: s, links: to, refs: map[int]outline.Reference{}}
	for _, ref := range outline.References(s) {
		if _, outer := w.refs[ref.Start]; !outer {
			w.refs[ref.Start] = ref
		}
	}
	w.write(0, len(s), 0)
	return template.HTML(w.out.String())
}

// textWriter writes parts of one text, whose references it knows by their start.
type textWriter struct {
	s     string
	links links
	refs  map[int]outline.Reference
	out   strings.Builder
}

// form is something other than plain text: where it ends, and how it is written.
// One without write is none.
type form struct {
	end   int
	write func()
}

// write handles s[from:to]; what no form takes is plain text.
func (w *textWriter) write(from, to, depth int) {
	plainFrom := from
	for i := from; i < to; {
		found := w.formAt(i, to, depth)
		if found.write == nil {
			i++
			continue
		}
		w.plain(w.s[plainFrom:i])
		found.write()
		i, plainFrom = found.end, found.end
	}
	w.plain(w.s[plainFrom:to])
}

func (w *textWriter) formAt(i, to, depth int) form {
	var found form
	rest := w.s[i:min(to, i+maxReach)]
	switch rest[0] {
	case '`':
		found = w.code(i, rest)
	case '{':
		found = w.component(i, rest)
	case '!', '[':
		found = w.labelled(i, rest)
	case '*', '_', '^', '~':
		found = w.marked(i, rest, depth)
	case 'h':
		found = w.address(i, rest)
	}
	if ref, ok := w.refs[i]; ok && found.write == nil && ref.End <= to {
		return w.reference(ref)
	}
	return found
}

func (w *textWriter) plain(s string) { w.out.WriteString(template.HTMLEscapeString(s)) }

// element writes content between tags.
func (w *textWriter) element(start, content, end string) {
	w.out.WriteString(start)
	w.plain(content)
	w.out.WriteString(end)
}

func (w *textWriter) link(class, address, content string) {
	start := `<a class="` + class + `" href="` + template.HTMLEscapeString(address) + `">`
	if class == "web" {
		start = `<a class="web" rel="noopener noreferrer" target="_blank" href="` + template.HTMLEscapeString(address) + `">`
	}
	w.element(start, content, "</a>")
}

// code is a fence or inline code; nothing in it means anything else.
func (w *textWriter) code(i int, rest string) form {
	if body, ok := strings.CutPrefix(rest, "```"); ok {
		if end := strings.Index(body, "```"); end >= 0 {
			language, code, found := strings.Cut(body[:end], "\n")
			if !found || strings.Contains(language, " ") {
				code = body[:end]
			}
			return form{i + 6 + end, func() { w.element("<pre><code>", strings.TrimSuffix(code, "\n"), "</code></pre>") }}
		}
		return form{}
	}
	if end := strings.IndexByte(rest[1:], '`'); end > 0 {
		return form{i + 2 + end, func() { w.element("<code>", rest[1:1+end], "</code>") }}
	}
	return form{}
}

// component is "{{…}}": a box of a task, an embed, or one that is not run here.
func (w *textWriter) component(i int, rest string) form {
	inner, ok := braced(rest)
	if !ok {
		return form{}
	}
	end := i + len(inner) + 4
	name, argument, _ := strings.Cut(strings.TrimSpace(inner), ":")
	name = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(name), "[["), "]]")
	argument = strings.TrimSpace(argument)
	switch {
	case name == "TODO":
		return form{end, func() { w.out.WriteString(`<span class="box" role="img" aria-label="to do"></span>`) }}
	case name == "DONE":
		return form{end, func() { w.out.WriteString(`<span class="box done" role="img" aria-label="done"></span>`) }}
	case strings.HasPrefix(name, "embed") && argument != "":
		return form{end, func() { w.out.WriteString(string(textHTML(argument, w.links))) }}
	}
	return form{end, func() { w.element(`<span class="component">`, inner, "</span>") }}
}

// braced gives what stands in the double braces that s begins with: up to those
// that belong to them or, where braces inside are not in pairs, the first ones.
func braced(s string) (string, bool) {
	if !strings.HasPrefix(s, "{{") {
		return "", false
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 && s[i-1] == '}' {
				return s[2 : i-1], true
			}
		}
	}
	end := strings.Index(s, "}}")
	return s[2:max(2, end)], end >= 2
}

// labelled is "[label](target)" or an image. The image is only linked to: what
// a graph holds must not make the browser call on others.
func (w *textWriter) labelled(i int, rest string) form {
	image := strings.HasPrefix(rest, "![")
	body := strings.TrimPrefix(rest, "!")
	middle := strings.Index(body, "](")
	if !strings.HasPrefix(body, "[") || middle < 1 || strings.ContainsAny(body[1:middle], "[]\n") {
		return form{}
	}
	label := body[1:middle]
	target, ok := parenthesized(body[middle+1:])
	if !ok {
		return form{}
	}
	end := i + (len(rest) - len(body)) + middle + 1 + len(target) + 2
	if refs := outline.References(target); len(refs) > 0 && refs[0].Start == 0 && refs[0].End == len(target) {
		if address, ok := w.addressOf(refs[0]); ok {
			return form{end, func() { w.link("alias", address, label) }}
		}
		return form{}
	}
	if !webAddress(target) {
		return form{}
	}
	if image && label == "" {
		label = "image"
	}
	return form{end, func() { w.link("web", target, label) }}
}

// parenthesized gives what stands in the parentheses that s begins with.
func parenthesized(s string) (string, bool) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '\n':
			return "", false
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s[1:i], true
			}
		}
	}
	return "", false
}

func (w *textWriter) addressOf(ref outline.Reference) (string, bool) {
	if ref.Kind == outline.BlockRef {
		_, address, ok := w.links.block(ref.Target)
		return address, ok
	}
	return w.links.page(ref.Target), true
}

// marked is bold, italic, highlighted or struck text.
func (w *textWriter) marked(i int, rest string, depth int) form {
	for _, mark := range []struct{ sign, tag string }{{"**", "b"}, {"__", "i"}, {"^^", "mark"}, {"~~", "s"}} {
		if !strings.HasPrefix(rest, mark.sign) || depth >= maxNested {
			continue
		}
		length := strings.Index(rest[2:], mark.sign)
		if length < 1 || strings.Contains(rest[2:2+length], "\n\n") {
			return form{}
		}
		return form{i + length + 4, func() {
			w.out.WriteString("<" + mark.tag + ">")
			w.write(i+2, i+2+length, depth+1)
			w.out.WriteString("</" + mark.tag + ">")
		}}
	}
	return form{}
}

// address is an address of the web that stands by itself.
func (w *textWriter) address(i int, rest string) form {
	if !strings.HasPrefix(rest, "http://") && !strings.HasPrefix(rest, "https://") {
		return form{}
	}
	end := strings.IndexAny(rest, " \t\n\"<>[]{}|\\^`")
	if end < 0 {
		end = len(rest)
	}
	found := strings.TrimRight(rest[:end], ".,;:!?)*_~'")
	if !webAddress(found) {
		return form{}
	}
	return form{i + len(found), func() { w.link("web", found, found) }}
}

// webAddress accepts what a browser may be sent to.
func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && ((u.Scheme == "http" || u.Scheme == "https") && u.Host != "" || u.Scheme == "mailto")
}

// reference is a mention of a page or a block.
func (w *textWriter) reference(ref outline.Reference) form {
	target := ref.Target
	switch ref.Kind {
	case outline.BlockRef:
		text, address, ok := w.links.block(target)
		if !ok {
			return form{}
		}
		return form{ref.End, func() { w.link("block-ref", address, text) }}
	case outline.Attribute:
		return form{ref.End, func() { w.link("attribute", w.links.page(target), target+":") }}
	case outline.Tag, outline.TagLink:
		return form{ref.End, func() { w.link("tag", w.links.page(target), "#"+target) }}
	}
	return form{ref.End, func() { w.link("page-link", w.links.page(target), target) }}
}
