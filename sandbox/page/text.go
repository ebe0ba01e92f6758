package page

import (
	"html"
	"net/url"
	"strings"

	"roam-mcp/graphdb/roamtext"
)

// links finds what a text refers to.
type links interface {
	// page gives the address of the page with a title.
	page(title string) string
	// block gives the text of a block and its address; false where there is none.
	block(uid string) (text, address string, ok bool)
}

// textHTML is a block's text, or a title, as a person reads it. All of it is
// escaped, and the only addresses in it are ours and those of the web.
func textHTML(text string, to links) markup {
	w := &textWriter{s: text, links: to}
	w.write(roamtext.Tree(text))
	return markup(w.out.String())
}

// textWriter writes the forms of one text.
type textWriter struct {
	s     string
	links links
	out   strings.Builder
}

func (w *textWriter) write(nodes []roamtext.Node) {
	for _, n := range nodes {
		w.node(n)
	}
}

func (w *textWriter) node(n roamtext.Node) {
	content := n.Content(w.s)
	switch n.Kind {
	case roamtext.Code:
		w.code(n)
	case roamtext.Component:
		w.component(n)
	case roamtext.Alias, roamtext.Image:
		w.labelled(n)
	case roamtext.Bold:
		w.emphasis("b", n)
	case roamtext.Italic:
		w.emphasis("i", n)
	case roamtext.Highlight:
		w.emphasis("mark", n)
	case roamtext.Strike:
		w.emphasis("s", n)
	case roamtext.PageLink:
		w.link("page-link", w.links.page(content), content)
	case roamtext.Tag, roamtext.TagLink:
		w.link("tag", w.links.page(content), "#"+content)
	case roamtext.Attribute:
		w.link("attribute", w.links.page(content), content+":")
	case roamtext.BlockRef:
		if text, address, ok := w.links.block(content); ok {
			w.link("block-ref", address, text)
			return
		}
		w.plain(w.s[n.Start:n.End])
	case roamtext.Address:
		if webAddress(content) {
			w.link("web", content, content)
			return
		}
		w.plain(content)
	default: // plain text, and formulas as they are written
		w.plain(w.s[n.Start:n.End])
	}
}

func (w *textWriter) plain(s string) { w.out.WriteString(html.EscapeString(s)) }

// element writes content between tags.
func (w *textWriter) element(start, content, end string) {
	w.out.WriteString(start)
	w.plain(content)
	w.out.WriteString(end)
}

func (w *textWriter) link(class, address, content string) {
	start := `<a class="` + class + `" href="` + html.EscapeString(address) + `">`
	if class == "web" {
		start = `<a class="web" rel="noopener noreferrer" target="_blank" href="` + html.EscapeString(address) + `">`
	}
	w.element(start, content, "</a>")
}

func (w *textWriter) emphasis(tag string, n roamtext.Node) {
	w.out.WriteString("<" + tag + ">")
	w.write(n.Inside)
	w.out.WriteString("</" + tag + ">")
}

// code is a fence, the language on its first line left out, or inline code.
func (w *textWriter) code(n roamtext.Node) {
	content := n.Content(w.s)
	if n.From-n.Start < len("```") {
		w.element("<code>", content, "</code>")
		return
	}
	if language, code, ok := strings.Cut(content, "\n"); ok && !strings.Contains(language, " ") {
		content = code
	}
	w.element("<pre><code>", strings.TrimSuffix(content, "\n"), "</code></pre>")
}

// component is "{{…}}": a box of a task, an embed, or one that is not run here.
func (w *textWriter) component(n roamtext.Node) {
	name, argument, _ := n.Component(w.s)
	switch {
	case name == "TODO":
		w.out.WriteString(`<span class="box" role="img" aria-label="to do"></span>`)
	case name == "DONE":
		w.out.WriteString(`<span class="box done" role="img" aria-label="done"></span>`)
	case strings.HasPrefix(name, "embed") && argument != "":
		w.out.WriteString(string(textHTML(argument, w.links)))
	default:
		w.element(`<span class="component">`, n.Content(w.s), "</span>")
	}
}

// labelled is an alias or an image. The image is only linked to: what a graph
// holds must not make the browser call on others.
func (w *textWriter) labelled(n roamtext.Node) {
	label, target := n.Content(w.s), n.Target(w.s)
	if address, ok := w.addressOf(target); ok {
		w.link("alias", address, label)
		return
	}
	if !webAddress(target) {
		w.plain(w.s[n.Start:n.From])
		w.write(n.Inside)
		w.plain(w.s[n.To:n.End])
		return
	}
	if n.Kind == roamtext.Image && label == "" {
		label = "image"
	}
	w.link("web", target, label)
}

// addressOf returns the address of a page or block that is the target of an alias.
func (w *textWriter) addressOf(target string) (string, bool) {
	refs := roamtext.References(target)
	if len(refs) == 0 || refs[0].Start > 0 || refs[0].End < len(target) {
		return "", false
	}
	content := refs[0].Content(target)
	if refs[0].Kind == roamtext.BlockRef {
		_, address, ok := w.links.block(content)
		return address, ok
	}
	return w.links.page(content), true
}

// webAddress accepts what a browser may be sent to.
func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && ((u.Scheme == "http" || u.Scheme == "https") && u.Host != "" || u.Scheme == "mailto")
}
