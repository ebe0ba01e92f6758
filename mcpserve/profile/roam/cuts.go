package roam

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// cutOne cuts the markdown of a page or a block, which the tool of that task reads
// on.
func cutOne(reads problem.Task) []surface.Cut {
	parts := surface.CutMarkdown{Field: "markdown", Parts: true}
	return []surface.Cut{
		// A preview of backlinks is the first thing to go: it has its own tool.
		surface.DropField{Field: "linkedReferences", Part: "results",
			Note: say("Left out, since the reply is large: %s lists them.", problem.ReadBacklinks).Or("Left out, since the reply is large.")},
		parts,
		surface.CutList{Field: fieldPages, Markdown: &parts, Rest: surface.Always(say("%s with the uid of this page, and after set to its next, reads on.", reads))},
	}
}

// cutResults cuts a list of results that hold markdown.
func cutResults(rest surface.Rest) []surface.Cut {
	return []surface.Cut{surface.CutList{Field: "results", Rest: rest, Markdown: cutResult("")}}
}

// cutResult cuts the markdown of the first result.
func cutResult(more string) *surface.CutMarkdown {
	return &surface.CutMarkdown{Field: "markdown", Rest: say("%s with each of uids reads the rest%s.", problem.ReadBlock, more)}
}

// nextPage says to call a tool again with the offset of what is missing.
func nextPage(does problem.Task, again string) surface.Rest {
	return func(args surface.Arguments, kept int) problem.Hint {
		return say("%s again%s offset %d.", does, again, args.Number("offset", 0)+kept)
	}
}

// byUID says to read what is missing block by block.
func byUID() surface.Rest {
	return surface.Always(say("%s with each of uids reads the rest.", problem.ReadBlock))
}

// cutWritten cuts the reply of a write, of which all was done.
func cutWritten() []surface.Cut {
	done := surface.Always(say("All was done; reading the place with %s or %s shows the rest.", problem.ReadPage, problem.ReadBlock).Or("All was done."))
	return []surface.Cut{surface.CutList{Field: "results", Rest: done}, surface.CutList{Field: "uids", Rest: done}}
}

// restOfFile says what to do about a file that is too large for a reply.
func restOfFile() problem.Hint {
	return say("The file is too large for a reply; the user can open it in Roam.")
}

// cutRun cuts the reply of an extension's tool, whatever its field is called.
func cutRun() []surface.Cut {
	rest := surface.Always(say("The tool has run; do not run it again for what is missing, unless it only reads and can be asked for less."))
	var cuts []surface.Cut
	for _, field := range []string{"results", "comments", "uids", "suggestions", "graphs", "result"} {
		cuts = append(cuts, surface.CutList{Field: field, Rest: rest, Markdown: cutResult("")})
	}
	return append(cuts, *cutResult(""))
}
