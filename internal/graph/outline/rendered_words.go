package outline

import (
	"strings"

	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/textsafe"
)

// Words returns a text as a person would paste it: links, and references that a read shows
// with their texts, as their words, tasks as [ ] and [x], and no signs of emphasis. Code,
// formulas, and references and embeds without a text stay as they are.
func Words(text string) string {
	text = replacePreviews(text, func(p textsafe.Preview) (string, bool) { return p.Text, true })
	if !strings.ContainsAny(text, "[]()#:{*_^~") {
		return text
	}
	var out strings.Builder
	writeWords(&out, text, roamtext.Tree(text))
	return out.String()
}

func writeWords(out *strings.Builder, text string, nodes []roamtext.Node) {
	for _, n := range nodes {
		switch content := n.Content(text); n.Kind {
		case roamtext.PageLink:
			out.WriteString(bareTitle(content))
		case roamtext.TagLink:
			out.WriteString("#" + bareTitle(content))
		case roamtext.Attribute:
			out.WriteString(bareTitle(content) + ":")
		case roamtext.Alias, roamtext.Image:
			if len(n.Inside) == 0 && content == "" {
				out.WriteString(n.Target(text))
			} else {
				out.WriteString(Words(content))
			}
		case roamtext.Component:
			out.WriteString(componentWords(n.Span, text))
		case roamtext.Bold, roamtext.Italic, roamtext.Highlight, roamtext.Strike:
			writeWords(out, text, n.Inside)
		default:
			out.WriteString(text[n.Start:n.End])
		}
	}
}

// bareTitle returns a title without the brackets of links in it.
func bareTitle(text string) string { return strings.NewReplacer("[[", "", "]]", "").Replace(text) }

func componentWords(span roamtext.Span, text string) string {
	name, argument, _ := span.Component(text)
	switch name = bareTitle(name); {
	case name == "TODO":
		return "[ ]"
	case name == "DONE":
		return "[x]"
	case argument == "":
		return name
	case strings.HasPrefix(strings.ToLower(name), "embed"):
		if refs := roamtext.References(argument); len(refs) > 0 && refs[0].Kind == roamtext.BlockRef && strings.TrimSpace(argument[:refs[0].Start]+argument[refs[0].End:]) == "" {
			return text[span.Start:span.End]
		}
		return Words(argument)
	}
	return name + ": " + Words(argument)
}

// PlainLine returns a block as a bullet of plain text, with its line end.
func (b RenderedBlock) PlainLine() string {
	indent := strings.Repeat("  ", b.Depth)
	return indent + "- " + strings.ReplaceAll(b.plainText(), "\n", "\n"+indent+"  ") + "\n"
}

// plainText returns the block's text as Words has it. The lines that a read indents stand at
// the left edge.
func (b RenderedBlock) plainText() string {
	start, end := b.body()
	text := strings.ReplaceAll(b.Source[start:end], "\n"+strings.Repeat("  ", b.Depth+1), "\n")
	return Words(strings.TrimSpace(text))
}
