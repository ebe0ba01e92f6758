package page

// content writes what a page is about.
func (f *frame) content(w *writer) {
	switch {
	case f.Problem != nil:
		w.put("<h1>That did not work</h1><p>%s</p><p>%s</p>\n", f.Problem.What, f.Problem.Todo)
	case f.Home:
		f.home(w)
	case f.List != nil:
		f.List.write(w)
	case f.Results != nil:
		f.Results.write(w)
	case len(f.Days) > 0:
		for _, day := range f.Days {
			w.put(`<article class="day">`)
			day.write(w)
			w.put("</article>")
		}
	case len(f.AllCalls) > 0:
		f.allCalls(w)
	case len(f.Catalog) > 0:
		f.catalog(w)
	case f.Document != nil:
		f.Document.write(w)
	default:
		w.put(`<h1>Calls</h1><p class="quiet">None yet.</p>
`)
	}
}

func (f *frame) home(w *writer) {
	w.put(`<h1>Graphs</h1>
<p class="lead">This is a Roam of its own on this machine, apart from Roam Desktop. Agents reach it through the Local API; you see here what they do.</p>
<ul class="cards">
`)
	for _, graph := range f.Graphs {
		open := "not open yet"
		if graph.Open {
			open = "open"
		}
		w.put(`<li><a href="%s/days"><b>%s</b>
  <span>%s, %s</span>
  <small>%s, %s</small></a></li>
`, graph.Address, graph.Name, plural(graph.Pages, "page"), plural(graph.Blocks, "block"), graph.Type, open)
	}
	w.put("%s</ul>\n", when(len(f.Graphs) == 0, `<li class="quiet">The sandbox has no graph.</li>`))
	if len(f.Blocked) == 0 {
		return
	}
	w.put(`<h2>Blocked</h2>
<p>Token requests for these graphs are refused without asking, since “Never allow” was chosen.</p>
`)
	for _, graph := range f.Blocked {
		w.put(`<form method="post" action="%s/unblock" class="row">%s
<input type="hidden" name="graph" value="%s"><input type="hidden" name="type" value="%s"><b>%s</b> <button>Ask again from now on</button></form>
`, f.Base, f.hidden(unblockForm, f.Here), graph.Name, graph.Type, graph.Name)
	}
}

func (l *list) write(w *writer) {
	w.put(`<h1>All pages</h1>
<p class="quiet">%s, the one edited last first`, plural(l.Total, "page"))
	if l.Newer != "" || l.Older != "" {
		w.put("; here %s to %s", l.First, l.Last)
	}
	w.put(`</p>
<table class="pages">
<thead><tr><th>Page</th><th class="number">References</th><th class="number">Edited</th></tr></thead>
<tbody>`)
	for _, entry := range l.Pages {
		refs := ""
		if entry.Refs > 0 {
			refs = thousands(entry.Refs)
		}
		w.put(`<tr><td><a href="%s">%s</a></td><td class="number">%s</td><td class="number">%s</td></tr>
`, entry.Address, entry.Title, refs, entry.Edited)
	}
	w.put(`</tbody>
</table>
<p class="turn">`)
	if l.Newer != "" {
		w.put(`<a href="%s">← Newer</a> `, l.Newer)
	}
	if l.Older != "" {
		w.put(`<a href="%s">Older →</a>`, l.Older)
	}
	w.put("</p>\n")
}

func (r *results) write(w *writer) {
	w.put("<h1>“%s”</h1>\n", r.Query)
	if len(r.Pages) == 0 {
		w.put("<p>Nothing has these words. Search looks for all of them in one title or one block.</p>\n")
		return
	}
	w.put(`<p class="quiet">%s</p>`, plural(r.Total, "hit"))
	writeLinked(w, r.Pages)
}

func (d *document) write(w *writer) {
	writePath(w, d.Path)
	w.put("<h1%s>", when(!d.IsPage, ` class="zoomed"`))
	if d.Address != "" {
		w.put(`<a class="own" href="%s">%s</a>`, d.Address, d.Plain)
	} else {
		w.put("%s", d.Plain)
	}
	w.put("</h1>\n")
	if d.Missing {
		w.put(`<p class="quiet">Nothing is written here yet.</p>
`)
		return
	}
	if len(d.Tree) > 0 {
		writeBlocks(w, d.Tree, d.View)
	} else {
		w.put(`<p class="quiet">No blocks yet.</p>`)
	}
	w.put("%s\n<p class=\"meta\">", when(d.Cut,
		`<p class="notice">This is only the beginning: there are more blocks than a browser shows well. Open a block to see what is below it.</p>`))
	if d.Edited != "" {
		w.put("Edited %s", d.Edited)
	}
	if d.Editor != "" {
		w.put(" by %s", d.Editor)
	}
	if d.UID != "" {
		w.put(" · <code>%s</code>", d.UID)
	}
	w.put("</p>\n")
	if d.Mentions > 0 {
		w.put(`<section class="backlinks"><h2>%s</h2>`, plural(d.Mentions, "linked reference"))
		writeLinked(w, d.Linked)
		w.put("</section>\n")
	}
}

// writePath writes the path to a block; nothing if it is empty.
func writePath(w *writer, path []step) {
	if len(path) == 0 {
		return
	}
	w.put(`<p class="path">`)
	for i, s := range path {
		w.put(`%s<a href="%s">%s</a>`, when(i > 0, ` <span aria-hidden="true">›</span> `), s.Address, s.Text)
	}
	w.put("</p>\n")
}

func writeLinked(w *writer, pages []linkedPage) {
	for _, page := range pages {
		w.put(`<section class="linked"><h3><a href="%s">%s</a></h3>
`, page.Address, page.Title)
		for _, found := range page.Found {
			writePath(w, found.Path)
			writeBlocks(w, []block{found.Block}, "")
		}
		w.put("</section>\n")
	}
}

func writeBlocks(w *writer, blocks []block, view string) {
	if view != "" {
		view = " " + view
	}
	w.put(`<ul class="blocks%s">`, view)
	for _, b := range blocks {
		b.write(w)
	}
	w.put("</ul>")
}

func (b *block) write(w *writer) {
	w.put(`
<li id="b-%s"%s>
  <div class="line`, b.UID, when(b.Hidden, ` class="hidden-block"`))
	if b.Heading != 0 {
		w.put(" h%s", b.Heading)
	}
	w.put(`"><a class="bullet" href="%s" aria-label="Open this block"></a><div class="text">%s</div>`, b.Address, b.Text)
	if b.Refs > 0 {
		w.put(`<a class="refs" href="%s" title="%s">%s</a>`, b.Address, plural(b.Refs, "reference"), b.Refs)
	}
	w.put("%s</div>\n", when(b.Hidden, `<small class="badge">hidden from agents</small>`))
	if len(b.Children) > 0 {
		if b.Closed {
			w.put("<details><summary>%s below</summary>", plural(len(b.Children), "block"))
		}
		writeBlocks(w, b.Children, b.View)
		w.put("%s\n", when(b.Closed, "</details>"))
	}
	w.put("</li>")
}

func (f *frame) allCalls(w *writer) {
	w.put(`<h1>Calls</h1>
<p class="quiet">The latest %s, newest first.</p>
<table class="pages"><thead><tr><th>Time</th><th>Call</th><th>Graph</th><th>Answer</th><th class="number">Took</th></tr></thead>
<tbody>`, plural(len(f.AllCalls), "call"))
	for _, call := range f.AllCalls {
		w.put(`<tr class="%s"><td><time>%s</time></td><td>%s</td><td>%s</td><td>%s %s%s</td><td class="number">%s</td></tr>
`, call.class(), call.At, call.Action, call.Graph.Name, call.Status, call.Code, when(call.Wrote(), "wrote"), call.Took)
	}
	w.put("</tbody></table>\n")
}

func (f *frame) catalog(w *writer) {
	hidden := f.hidden(switchesForm, f.Base+"/switches")
	w.put(`<h1>Switches</h1>
<p class="lead">Each makes this sandbox behave like a Roam that is slow, broken, older or set up differently, so that a client can be tried against it.</p>
<form method="post" action="%s/switches" class="row">%s<button name="clear" value="yes">Turn all off</button></form>
<table class="pages switches">
<tbody>`, f.Base, hidden)
	for _, entry := range f.Catalog {
		w.put(`<tr%s><td><b>%s</b><br><span class="quiet">%s</span></td>
<td><form method="post" action="%s/switches">%s<input type="hidden" name="name" value="%s">
`, when(entry.On, ` class="on"`), entry.Name, entry.Does, f.Base, hidden, entry.Name)
		entry.control(w)
		w.put("</form></td></tr>\n")
	}
	w.put("</tbody></table>\n")
}

// control writes what turns a switch on or off.
func (s *switchEntry) control(w *writer) {
	switch {
	case s.On:
		w.put(`<code>%s</code> <button name="value" value="off">Turn off</button>`, s.Value)
		return
	case len(s.Choices) > 0:
		w.put(`<select name="value" aria-label="Value of %s">`, s.Name)
		for _, choice := range s.Choices {
			w.put("<option>%s</option>", choice)
		}
		w.put("</select> ")
	case s.Switch.Value != "":
		w.put(`<input name="value" placeholder="%s" aria-label="Value" maxlength="500" size="12"> `, s.Switch.Value)
	}
	w.put("<button>Turn on</button>")
}
