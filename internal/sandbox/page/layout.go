package page

import (
	"net/url"
	"time"

	"github.com/dustin/go-humanize"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
)

// head begins a document. The title and what more stands in the head follow.
const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="/page/static/style.css">
<link rel="icon" href="/page/static/icon.svg" type="image/svg+xml">
`

// enteredPage leads a browser to an address.
func enteredPage(address string) string {
	var w writer
	w.put(head+`<meta http-equiv="refresh" content="0;url=%s">
<title>Roam (sandbox)</title>
</head>
<body>
<main>
<p><a href="%s">To the graphs</a></p>
</main>
</body>
</html>
`, address, address)
	return w.String()
}

// lockedPage tells a browser without key how it is let in, and for how many hours.
func lockedPage(hours int) string {
	var w writer
	w.put(head+`<title>Roam (sandbox)</title>
</head>
<body>
<main>
<h1>Open this with its key</h1>
<p>This sandbox shows its graphs only to the person who runs it.</p>
<p>Open the address that <code>%s</code> printed when it started. It ends in <code>?key=…</code>, and this browser is let in until the sandbox stops or no page has been open for %s hours.</p>
<p>The name in it ends in <code>.localhost</code>. Chrome, Edge, Firefox, and Safari from macOS 26 on know such a name as this computer.</p>
</main>
</body>
</html>
`, problem.World{}.Command(problem.Run("sandbox")), hours)
	return w.String()
}

// page returns a page of a session.
func page(s *session, title string, requests []desk.Request, location *time.Location, content markup) string {
	var w writer
	w.put(head+`<title>%s · Roam (sandbox)</title>
</head>
<body>
<header><a href="%s/">Roam <small>sandbox</small></a></header>
<main>
`, title, s.base)
	for _, request := range requests {
		dialog(&w, s, request, location)
	}
	w.put(`%s
</main>
</body>
</html>
`, content)
	return w.String()
}

// dialog writes the dialog of a token request.
func dialog(w *writer, s *session, r desk.Request, location *time.Location) {
	w.put(`<section class="request" role="alertdialog" aria-labelledby="request-%s">
  <h2 id="request-%s">A token for <b>%s</b>%s is asked for</h2>
  <p><q>%s</q> asks for <b>%s</b> access. Agents could %s.%s</p>
  <form method="post" action="%s/requests/%s">
    <input type="hidden" name="form" value="%s">
    `, r.ID, r.ID, r.Graph.Name, when(r.Graph.Type == localapi.Offline, " (offline)"),
		r.Description, r.AccessLevel.Words(), r.AccessLevel.Explain(),
		when(r.AI, " What is written with this token is marked as written by an AI."),
		s.base, url.PathEscape(r.ID), s.form(r.ID))
	for _, level := range localapi.RequestableLevels() {
		if !r.AccessLevel.LowerThan(level) {
			w.put(`<button name="verdict" value="%s"%s>Allow %s</button>
    `, level, when(level == r.AccessLevel, ` class="first"`), level.Words())
		}
	}
	w.put(`<button name="verdict" value="deny">Deny</button>
    <button name="verdict" value="never" class="danger">Never allow</button>
  </form>
  <p class="quiet">Open until %s. “Never allow” also refuses every later request for this graph.</p>
</section>
`, r.Expires.In(location).Format("15:04:05"))
}

func failure(what, todo string) markup {
	var w writer
	w.put("<h1>That did not work</h1><p>%s</p><p>%s</p>", what, todo)
	return markup(w.String())
}

// graphList returns the list of graphs, for pages below an address.
func graphList(base string, graphs []Graph) markup {
	var w writer
	w.put(`<h1>Graphs</h1>
<p class="quiet">This is a Roam of its own on this computer, apart from Roam Desktop. Token requests appear here.</p>
<ul>
`)
	for _, graph := range graphs {
		w.put(`<li><a href="%s"><b>%s</b></a> <small>%s, %s, %s</small></li>
`, address(base, graph.Graph), graph.Name, graph.Type, plural(graph.Pages, "page"), plural(graph.Blocks, "block"))
	}
	w.put("</ul>%s", when(len(graphs) == 0, `<p class="quiet">The sandbox has no graph.</p>`))
	return markup(w.String())
}

func (l list) markup() markup {
	var w writer
	w.put(`<h1>%s</h1>
<p class="quiet">%s, the one edited last first</p>
<ul>
`, l.Graph.name, plural(l.Total, "page"))
	for _, entry := range l.Pages {
		w.put(`<li><a href="%s">%s</a> <small>%s</small></li>
`, l.Graph.page(entry.Title), entry.Title, entry.Edited)
	}
	w.put("</ul>")
	if l.Older != "" {
		w.put(`<p><a href="%s">Older pages</a></p>`, l.Older)
	}
	return markup(w.String())
}

func (d document) markup() markup {
	var w writer
	w.put(`<p class="quiet"><a href="%s">%s</a></p>
<h1>%s</h1>
`, d.Graph.base, d.Graph.name, d.Title)
	writeBlocks(&w, d.Blocks)
	w.put("%s%s", when(len(d.Blocks) == 0, `<p class="quiet">Nothing is written here yet.</p>`),
		when(d.Cut, `<p class="quiet">This is only the beginning: there are more blocks than a browser shows well.</p>`))
	return markup(w.String())
}

func writeBlocks(w *writer, blocks []block) {
	if len(blocks) == 0 {
		return
	}
	w.put(`<ul class="blocks">`)
	for _, b := range blocks {
		w.put(`
<li id="b-%s"><div class="text h%s">%s</div>`, b.UID, b.Heading, b.Text)
		writeBlocks(w, b.Children)
		w.put("</li>")
	}
	w.put("</ul>")
}

// plural writes "1 page", "2 pages".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}
