package note

import (
	"strings"
	"unicode"

	"roam-mcp/internal/graph/roamtext"
)

// DeclaresTags reports whether the text of a direct child of a page is a line that
// declares its tags: "Tags::" and behind it, in one line, nothing but tags, links and
// words that could be tags, with commas between the words. Any other text that begins so
// is content, such as "Tags:: see [[the list]]".
func DeclaresTags(text string) bool { _, ok := declared(text); return ok }

// declared returns the tags of a line that declares them, each once.
func declared(text string) ([]string, bool) {
	if !strings.Contains(text, "::") || strings.ContainsAny(text, "\r\n\x00") {
		return nil, false
	}
	refs := roamtext.References(text)
	if len(refs) == 0 || refs[0].Kind != roamtext.Attribute || !isTags(refs[0].Content(text)) {
		return nil, false
	}
	titles, between := listed(text, refs)
	for item := range strings.SplitSeq(between, ",") {
		words := strings.Fields(item)
		if strings.Trim(item, " \t"+placeOfTag) != "" && (len(words) != 1 || !couldBeTag(words[0])) {
			return nil, false
		}
	}
	for _, ref := range refs[1:] {
		if ref.Kind == roamtext.BlockRef || isMark(ref.Content(text)) {
			return nil, false
		}
	}
	return titles, len(titles) > 0
}

// couldBeTag reports whether a word is one that stands for a tag without a #.
func couldBeTag(word string) bool {
	return roamtext.Bare(word) && !strings.ContainsAny(word, "*:") && strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// ListedTags returns the tags in a list that another program has written, each once: its
// references, but for those to blocks, and the text between them, split at commas. The list
// may also be one of YAML, in brackets.
func ListedTags(list string) []string {
	if inner, opened := strings.CutPrefix(list, "["); opened {
		if properties, ok := ParseProperties("tags: " + list); ok && len(properties) == 1 && properties[0].Children == nil {
			list = properties[0].Value
		} else if inner, closed := strings.CutSuffix(inner, "]"); closed && !strings.HasPrefix(inner, "[") {
			list = inner
		}
	}
	text := TagsName + ":: " + list
	refs := roamtext.References(text)
	if len(refs) == 0 || refs[0].Kind != roamtext.Attribute {
		return nil
	}
	titles, _ := listed(text, refs)
	return titles
}

// placeOfTag stands for a tag in what listed returns.
const placeOfTag = "\x00"

// listed returns the tags in a text, each once: its references behind the first, which is
// the name of the line, and what stands between them, split at commas. between is the text
// behind the name with placeOfTag in the place of each reference.
func listed(text string, refs []roamtext.Span) (titles []string, between string) {
	seen := map[string]bool{}
	add := func(title string) {
		if title = strings.TrimSpace(title); title == "" || isMark(title) {
			return
		}
		if key := Key(title); key != "" && !seen[key] {
			seen[key] = true
			titles = append(titles, title)
		}
	}
	var rest strings.Builder
	words := func(text string) {
		rest.WriteString(text)
		for word := range strings.SplitSeq(text, ",") {
			add(word)
		}
	}
	end := refs[0].End
	for _, ref := range refs[1:] {
		if ref.Start < end {
			continue // a link within a title
		}
		words(text[end:ref.Start])
		rest.WriteString(placeOfTag)
		if end = ref.End; ref.Kind != roamtext.BlockRef {
			add(ref.Content(text))
		}
	}
	words(text[end:])
	return titles, rest.String()
}
