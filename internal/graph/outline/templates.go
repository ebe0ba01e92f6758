package outline

import (
	"strings"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/roamtext"
)

// TemplatesPage is the page that a template's block mentions.
const TemplatesPage = "roam/templates"

// Templates are the blocks that mention TemplatesPage, hidden ones included,
// in ascending order (LOCAL_API.md 2.1, 7.4).
func Templates(r graphdb.Reader) []graphdb.EID {
	page := PageByTitle(r, TemplatesPage)
	if page == 0 {
		return nil
	}
	var list []graphdb.EID
	for _, e := range r.Reverse(graphdb.BlockRefs, page) {
		if IsBlock(r, e) {
			list = append(list, e)
		}
	}
	return list
}

// TemplateName is the text of a template's block without the mentions of
// TemplatesPage. One that is part of another link or the target of an alias
// stays.
func TemplateName(text string) string {
	var name strings.Builder
	end, inside := 0, 0
	for _, ref := range roamtext.References(text) {
		switch {
		case ref.Start < inside:
		case ref.Kind == roamtext.BlockRef || ref.Content(text) != TemplatesPage || strings.HasSuffix(text[:ref.Start], "]("):
			inside = ref.End
		default:
			name.WriteString(text[end:ref.Start])
			end, inside = ref.End, ref.End
		}
	}
	name.WriteString(text[end:])
	return strings.Join(strings.Fields(name.String()), " ")
}
