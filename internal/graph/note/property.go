package note

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"roam-mcp/internal/graph/roamtext"
)

// frontMatterLine stands before and behind YAML front matter.
const frontMatterLine = "---"

// Limits of a front matter that is parsed. A larger one stays as text.
const (
	maxFrontMatter      = 64 << 10 // bytes
	maxFrontMatterDepth = 20       // levels
	maxInlineList       = 500      // bytes of a list that stands in one block
)

// Property is a key of YAML front matter with its value. The items of a list have no key.
type Property struct {
	Key, Value string
	Children   []Property
}

// CutFrontMatter splits a text into its front matter and what follows. It reports false
// for a text that does not begin with a line "---" or has no second one; the front
// matter may end with "..." too.
func CutFrontMatter(text string) (front, rest string, ok bool) {
	first, after, ok := strings.Cut(strings.TrimPrefix(text, "\ufeff"), "\n")
	if !ok || strings.TrimRight(first, " \t\r") != frontMatterLine {
		return "", text, false
	}
	for at := 0; ; {
		line, _, more := strings.Cut(after[at:], "\n")
		end := strings.TrimRight(line, " \t\r")
		if end == frontMatterLine || end == "..." {
			return after[:at], after[min(at+len(line)+1, len(after)):], true
		}
		if !more { // a thematic break, not front matter
			return "", text, false
		}
		at += len(line) + 1
	}
}

// ParseProperties parses a YAML mapping. It reports false for what is not one, is too
// large, or has a value that blocks can't show: aliases and keys that are not texts.
func ParseProperties(text string) ([]Property, bool) {
	if strings.TrimSpace(text) == "" {
		return nil, true
	}
	var document yaml.Node
	if len(text) > maxFrontMatter || yaml.Unmarshal([]byte(text), &document) != nil || len(document.Content) != 1 {
		return nil, false
	}
	return propertiesOf(document.Content[0], maxFrontMatterDepth)
}

// propertiesOf returns the entries of a mapping.
func propertiesOf(mapping *yaml.Node, levels int) ([]Property, bool) {
	if mapping.Kind != yaml.MappingNode || levels == 0 {
		return nil, false
	}
	var out []Property
	for pair := range slices.Chunk(mapping.Content, 2) {
		key, value := pair[0], pair[1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			return nil, false
		}
		p, ok := valueOf(value, levels)
		if p.Key = key.Value; !ok {
			return nil, false
		}
		if isNull(value) {
			p.Value = key.LineComment // "tags: #a #b" is a comment for YAML only
		}
		if key.Value == "tags" || key.Value == "tag" {
			if tags, ok := tagList(value, p.Value); ok {
				p.Value, p.Children = tags, nil
			}
		}
		out = append(out, p)
	}
	return out, true
}

// valueOf returns a property without its key.
func valueOf(value *yaml.Node, levels int) (p Property, ok bool) {
	switch value.Kind {
	case yaml.ScalarNode:
		if isNull(value) {
			return p, true
		}
		return Property{Value: strings.TrimSpace(value.Value)}, true
	case yaml.MappingNode:
		p.Children, ok = propertiesOf(value, levels-1)
		return p, ok
	case yaml.SequenceNode:
		if link, ok := unquotedLink(value); ok {
			return Property{Value: link}, true
		}
		if levels == 0 {
			return p, false
		}
		for _, item := range value.Content {
			child, ok := valueOf(item, levels-1)
			if !ok {
				return p, false
			}
			p.Children = append(p.Children, child)
		}
		p.joinItems()
		return p, true
	case yaml.AliasNode, yaml.DocumentNode, yaml.StreamNode:
	}
	return p, false
}

func isNull(value *yaml.Node) bool { return value.Kind == yaml.ScalarNode && value.Tag == "!!null" }

// unquotedLink returns the text of "key: [[Page]]", which is a list of lists for YAML.
func unquotedLink(value *yaml.Node) (string, bool) {
	if value.Style&yaml.FlowStyle == 0 || len(value.Content) != 1 {
		return "", false
	}
	inner := value.Content[0]
	if inner.Kind != yaml.SequenceNode || inner.Style&yaml.FlowStyle == 0 || len(inner.Content) == 0 {
		return "", false
	}
	var words []string
	for _, word := range inner.Content {
		if word.Kind != yaml.ScalarNode {
			return "", false
		}
		words = append(words, word.Value)
	}
	return "[[" + strings.Join(words, ", ") + "]]", true
}

// joinItems puts the items of a short list into one text: "a, b".
func (p *Property) joinItems() {
	var items []string
	length := 0
	for _, item := range p.Children {
		if item.Value == "" || item.Children != nil || strings.ContainsAny(item.Value, ",\n") && !isLink(item.Value) {
			return
		}
		items = append(items, item.Value)
		length += len(item.Value)
	}
	if length <= maxInlineList {
		p.Value, p.Children = strings.Join(items, ", "), nil
	}
}

func isLink(text string) bool {
	spans := roamtext.References(text)
	return len(spans) > 0 && spans[0].Kind == roamtext.PageLink && spans[0].Start == 0 && spans[0].End == len(text)
}

// tagList returns the value of the key tags as tags: [a, "b c"], "a, b" and "#a #b" are
// lists of them. It reports false for anything else.
func tagList(value *yaml.Node, text string) (string, bool) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if value.Kind == yaml.SequenceNode {
		words = nil
		for _, item := range value.Content {
			if item.Kind != yaml.ScalarNode {
				return "", false
			}
			words = append(words, item.Value)
		}
	}
	for i, word := range words {
		word = strings.TrimPrefix(strings.TrimSpace(word), "#")
		if word == "" || strings.ContainsAny(word, "[]\n") {
			return "", false
		}
		words[i] = "#[[" + word + "]]"
	}
	return strings.Join(words, " "), true
}

// Text returns the text of the property's block. A key that Roam does not take for an
// attribute's name stands with one colon.
func (p Property) Text() string {
	if p.Key == "" {
		return p.Value
	}
	text := strings.TrimRight(p.Key+":: "+p.Value, " ")
	if spans := roamtext.References(text); len(spans) == 0 || spans[0].Kind != roamtext.Attribute || spans[0].Content(text) != p.Key {
		text = strings.TrimRight(p.Key+": "+p.Value, " ")
	}
	return text
}
