package page

import (
	"cmp"
	"net/url"

	"roam-mcp/problem"
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
<body class="locked">
<main id="main">
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
<body class="locked">
<main id="main">
<h1>Open this with its key</h1>
<p>This sandbox shows its graphs only to the person who runs it.</p>
<p>Open the address that <code>%s</code> printed when it started. It ends in <code>?key=…</code>, and this browser is let in until the sandbox stops or the page has not been used for %s hours.</p>
<p>The name in it ends in <code>.localhost</code>. Chrome, Edge, Firefox, and Safari from macOS 26 on know such a name as this computer.</p>
</main>
</body>
</html>
`, problem.World{}.Command(problem.Run("sandbox")), hours)
	return w.String()
}

// page returns the page of a session.
func (f *frame) page() string {
	var w writer
	w.put(head + "<title>")
	if f.Title != "" {
		w.put("%s · ", f.Title)
	}
	if f.Current != nil {
		w.put("%s · ", f.Current.Name)
	}
	w.put(`Roam (sandbox)</title>
<script src="/page/static/live.js" defer></script>
</head>
<body data-base="%s">
<a class="skip" href="#main">To the content</a>
`, f.Base)
	f.navigation(&w)
	w.put(`<main id="main">
  <div data-live="requests" aria-live="assertive">
`)
	for _, request := range f.Requests {
		f.request(&w, request)
	}
	f.switched(&w)
	w.put(`  </div>
  <div data-live="content">
`)
	f.content(&w)
	w.put(`  </div>
</main>
<aside class="activity" aria-label="Latest calls" data-live="calls">
  <h2>Latest calls</h2>
`)
	f.activity(&w)
	w.put(`</aside>
</body>
</html>
`)
	return w.String()
}

// navigation writes the list of graphs and, in a graph, of what to see of it.
func (f *frame) navigation(w *writer) {
	w.put(`<nav class="side" aria-label="Graphs and pages">
  <p class="brand"><a href="%s/">Roam <small>sandbox</small></a></p>
`, f.Base)
	if f.Current != nil {
		f.graphMenu(w, f.Current)
	}
	w.put(`  <h2>Graphs</h2>
  <ul class="menu">
`)
	for _, graph := range f.Graphs {
		current := f.Current != nil && graph.Address == f.Current.Address
		w.put(`    <li><a href="%s/days"%s>%s</a>%s</li>
`, graph.Address, when(current, ` class="current"`), graph.Name, when(graph.Type == "offline", " <small>offline</small>"))
	}
	w.put(`  </ul>
  <h2>Sandbox</h2>
  <ul class="menu">
    <li><a href="%s/calls"%s>Calls</a></li>
    <li><a href="%s/switches"%s>Switches</a></li>
  </ul>
</nav>
`, f.Base, here(len(f.AllCalls) > 0), f.Base, here(len(f.Catalog) > 0))
}

// here marks the entry of a menu for the page that is shown.
func here(shown bool) markup { return when(shown, ` aria-current="page"`) }

func (f *frame) graphMenu(w *writer, graph *graphEntry) {
	w.put(`  <form class="search" action="%s" role="search">
    <input type="search" name="q" value="%s" placeholder="Find in %s" aria-label="Find pages and blocks in %s" maxlength="500">
  </form>
  <ul class="menu">
    <li><a href="%s/days"%s>Daily notes</a></li>
    <li><a href="%s"%s>All pages</a></li>
  </ul>
  <div data-live="shortcuts">
`, graph.Address, f.Query, graph.Name, graph.Name, graph.Address, here(len(f.Days) > 0), graph.Address, here(f.List != nil))
	if len(f.Shortcuts) > 0 {
		w.put(`  <h2>Shortcuts</h2>
  <ul class="menu">`)
		for _, s := range f.Shortcuts {
			w.put(`<li><a href="%s">%s</a></li>`, s.Address, s.Text)
		}
		w.put("</ul>\n")
	}
	w.put("  </div>\n")
}

// request writes the dialog of a token request.
func (f *frame) request(w *writer, r request) {
	w.put(`<section class="request" role="alertdialog" aria-labelledby="request-%s">
  <h2 id="request-%s">A token for <b>%s</b>%s is asked for</h2>
  <p><q>%s</q> asks for <b>%s</b> access. Agents could %s.%s</p>
  <form method="post" action="%s/requests/%s">
    %s
    `, r.ID, r.ID, r.Graph.Name, when(r.Graph.Type == "offline", " (offline)"),
		r.Description, r.AccessLevel.Words(), r.AccessLevel.Explain(),
		when(r.AI, " What is written with this token is marked as written by an AI."),
		f.Base, url.PathEscape(r.ID), f.hidden(r.Form, f.Here))
	for i, level := range r.Levels {
		w.put(`<button name="verdict" value="%s"%s>Allow %s</button>
    `, level, when(i == 0, ` class="first"`), level.Words())
	}
	w.put(`<button name="verdict" value="deny">Deny</button>
    <button name="verdict" value="never" class="danger">Never allow</button>
  </form>
  <p class="quiet">Open until %s. “Never allow” also refuses every later request for this graph.</p>
</section>
`, r.Until)
}

// hidden returns the fields of a form for a purpose, which leads back to an address.
func (f *frame) hidden(purpose, from string) markup {
	var w writer
	w.put(`<input type="hidden" name="form" value="%s"><input type="hidden" name="from" value="%s">`, f.session.form(purpose), from)
	return markup(w.String())
}

// switched tells which switches are on.
func (f *frame) switched(w *writer) {
	if len(f.Switches) == 0 {
		return
	}
	w.put(`<p class="notice">Switches that are on: `)
	for i, setting := range f.Switches {
		w.put("%s<code>%s</code>", when(i > 0, ", "), setting)
	}
	w.put(`. <a href="%s/switches">Change them</a></p>
`, f.Base)
}

// activity lists the latest calls.
func (f *frame) activity(w *writer) {
	if len(f.Calls) == 0 {
		w.put(`<p class="quiet">None yet. What agents call shows up here as it happens.</p>
`)
		return
	}
	w.put(`<ol class="calls">`)
	for _, call := range f.Calls {
		graph, code := call.Graph.Name, string(call.Code)
		if graph != "" {
			graph += " · "
		}
		if code != "" {
			code = " " + code
		}
		w.put(`<li class="%s">
  <span class="what">%s</span>
  <span class="where">%s%s%s%s</span>
  <span class="when"><time>%s</time> · %s</span>
</li>
`, call.class(), cmp.Or(call.Action, "(no action)"), graph, call.Status, code, when(call.Wrote(), " · wrote"), call.At, call.Took)
	}
	w.put("</ol>\n")
}
