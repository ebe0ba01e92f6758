package ops

import (
	"context"
	"html"
	"slices"
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/problem"
)

// The codes of writes that touch what is the user's (TOOLS.md, "Errors of our own").
const (
	CodeGuidelinesProtected problem.Code = "GUIDELINES_PROTECTED" // their rules for agents
	CodeCodeProtected       problem.Code = "CODE_PROTECTED"       // what Roam runs as code
)

// Protection says what writes may not change. The zero Protection permits all of them.
type Protection struct {
	// Guidelines protects the page with the user's rules for agents: the page, its blocks, and
	// blocks that are embedded on it, with what is below these.
	Guidelines bool
	// Code protects what Roam runs: the pages roam/js, roam/css and roam/render, blocks that
	// run code, what is below these, and blocks that they refer to.
	Code bool
}

// Footprint is what a write is known to change before it is sent. What Roam changes besides,
// such as pages that a text mentions and that it makes, is not in it.
type Footprint struct {
	// Titles are the titles of pages that it writes to by title, makes, or gives
	// that title to.
	Titles []string
	// Places are the uids of pages and blocks that it changes, or changes something
	// directly below.
	Places []string
	// Texts are those of Places whose text or title it changes.
	Texts []string
	// Removed are those of Places that it removes with all below them. References
	// to them are rewritten.
	Removed []string
	// Moved are those of Places that it moves with all below them.
	Moved []string
	// Retitled are those of Places that are pages which it renames, merges or removes.
	Retitled []string
	// Restructures says that it may put pages or blocks in other places besides.
	Restructures bool
	// NestUnder is the text of a block, a child of Places or of Titles, that it writes below
	// without naming it; empty: there is none.
	NestUnder string
	// Stored are the texts of blocks that it writes, and Markdown those that Roam makes blocks of.
	Stored, Markdown []string
	// Mentions are texts that may name pages and blocks which it changes, where
	// nothing else is known of it.
	Mentions []string
}

// restructures reports whether a write may take pages or blocks away, or to other places, which
// the times of edits do not show.
func (f Footprint) restructures() bool {
	return f.Restructures || len(f.Removed) > 0 || len(f.Moved) > 0
}

// joined returns the footprint of several writes, none of which has a NestUnder or Mentions.
func joined(parts []Footprint) Footprint {
	var all Footprint
	for _, part := range parts {
		all.Titles = append(all.Titles, part.Titles...)
		all.Places = append(all.Places, part.Places...)
		all.Texts = append(all.Texts, part.Texts...)
		all.Removed = append(all.Removed, part.Removed...)
		all.Moved = append(all.Moved, part.Moved...)
		all.Retitled = append(all.Retitled, part.Retitled...)
		all.Stored = append(all.Stored, part.Stored...)
		all.Markdown = append(all.Markdown, part.Markdown...)
	}
	return all
}

// allow refuses a write, or several together, that touches something protected. The error is
// what the caller gets.
func (g sender) allow(ctx context.Context, reach Footprint) error {
	if err := g.allowNamed(reach); err != nil || g.allowed || g.operations.options.Protect == (Protection{}) {
		return err
	}
	return g.checkPlaces(ctx, reach)
}

// Permit returns the error that one of several writes would be refused with, so that a call
// begins none of them.
func (g sender) Permit(ctx context.Context, writes ...Footprint) error {
	return g.allow(ctx, joined(writes))
}

// allowNamed is allow for what writes say by themselves, before the first of several.
func (g sender) allowNamed(reach Footprint) error {
	if g.allowed {
		return nil
	}
	return g.operations.options.Protect.checkNamed(reach)
}

func blockTexts(blocks []outline.Block) (texts []string) {
	for _, b := range blocks {
		texts = append(append(texts, b.String), blockTexts(b.Children)...)
	}
	return texts
}

// forParts returns the operations for the parts of a write that was allowed as a whole: they are
// not checked again.
func (g sender) forParts() *Graph {
	parts := *g.core
	parts.allowed = true
	return parts.asGraph()
}

// checkNamed checks what a write says by itself.
func (p Protection) checkNamed(reach Footprint) error {
	for _, title := range reach.Titles {
		if err := p.ofTitle(title); err != nil {
			return err
		}
	}
	for _, text := range append(slices.Clone(reach.Stored), reach.NestUnder) {
		if err := p.ofText(text); err != nil {
			return err
		}
	}
	for _, text := range reach.Markdown {
		if err := p.ofMarkdown(text); err != nil {
			return err
		}
	}
	for _, text := range reach.Mentions {
		if err := p.ofMention(text); err != nil {
			return err
		}
	}
	return nil
}

// guidelinesTitles are the titles of the page that Roam takes the guidelines
// from, the present one first, then that of builds of early 2026 (LOCAL_API.md 2.1).
func guidelinesTitles() []string { return []string{"roam/agent guidelines", "agent guidelines"} }

// codeTitles are the titles of the pages whose blocks Roam runs.
func codeTitles() []string { return []string{"roam/js", "roam/css", "roam/render"} }

// linkMarks are taken out of a title: Roam takes them out of the titles that link a page which is
// deleted.
var linkMarks = strings.NewReplacer("[[", "", "]]", "", "#", "")

// ofTitle returns the error of a write to a page with a title; nil if it may be made. Titles
// count as equal in any case, and with links in them.
func (p Protection) ofTitle(title string) error {
	title = strings.ToLower(strings.TrimSpace(linkMarks.Replace(title)))
	switch {
	case p.Guidelines && isGuidelines(title):
		return guidelinesProtected()
	case p.Code && slices.Contains(codeTitles(), title):
		return codeProtected()
	}
	return nil
}

func isGuidelines(title string) bool {
	return slices.Contains(guidelinesTitles(), strings.ToLower(title))
}

// ofMention returns the error of a write of which nothing is known but a text that it has.
func (p Protection) ofMention(text string) error {
	if err := p.ofTitle(text); err != nil {
		return err
	}
	text = strings.ToLower(text)
	switch {
	case p.Guidelines && strings.Contains(text, guidelinesTitles()[0]):
		return guidelinesProtected()
	case p.Code && slices.ContainsFunc(codeTitles(), func(title string) bool { return strings.Contains(text, title) }):
		return codeProtected()
	}
	return nil
}

// ofText returns the error of a block with a text.
func (p Protection) ofText(text string) error {
	if p.Code && runsCode(text) {
		return codeProtected()
	}
	return nil
}

// ofMarkdown returns the error of a text that Roam makes blocks of. Its parser may take escapes
// out, and end code elsewhere than is known here, so both readings have to be harmless.
func (p Protection) ofMarkdown(text string) error {
	if err := p.ofText(html.UnescapeString(strings.ReplaceAll(text, `\`, ""))); err != nil {
		return err
	}
	for _, each := range blockTexts(markdown.Importer(text)) {
		if err := p.ofText(each); err != nil {
			return err
		}
	}
	return nil
}

var (
	codeComponent = lazyregexp.New(`(?i)\{\{(?:\s|#|\[\[)*roam/(?:js|css|render)`)
	backticks     = lazyregexp.New("\\\\?`+")
)

// runsCode reports whether Roam runs code because of a text: it has a component for that.
func runsCode(text string) bool {
	found := codeComponent.FindAllStringIndex(text, -1)
	if len(found) == 0 {
		return false
	}
	code := certainCode(text)
	return slices.ContainsFunc(found, func(at []int) bool { return !code.Contain(at[0]) })
}

// certainCode returns what every reading of a text takes for code: the backticks in it are all
// single ones, or all fences of three. Of others, who opens and who closes depends on the parser.
func certainCode(text string) roamtext.Ranges {
	marks := backticks.FindAllString(text, -1)
	if len(marks) == 0 || marks[0] != "`" && marks[0] != "```" || slices.ContainsFunc(marks, func(mark string) bool { return mark != marks[0] }) {
		return nil
	}
	return slices.DeleteFunc(roamtext.CodeRanges(text), func(code roamtext.Range) bool {
		return marks[0] == "`" && strings.Contains(text[code.Start:code.End], "\n")
	})
}

func guidelinesProtected() error {
	return protected(CodeGuidelinesProtected, "This touches [[roam/agent guidelines]], the user's rules for agents, so nothing was written.", "--edit-guidelines")
}

func codeProtected() error {
	return protected(CodeCodeProtected, "This touches what Roam runs as code ([[roam/js]], [[roam/css]], [[roam/render]] and blocks with these as a component), so nothing was written.", "--edit-code")
}

func protected(code problem.Code, message, flag string) *problem.Error {
	hint := problem.Say("Tell the user what you would change. They can write it in Roam, or let agents do it by starting the server with serve %s.", flag).
		Append(problem.Say("Do not try another way."))
	return notRetryable(problem.Error{Code: code, Message: message, Hint: hint})
}
