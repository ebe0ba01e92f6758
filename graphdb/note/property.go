package mdfolder

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"roam-mcp/graphdb/roamtext"
)

// Limits of a front matter that is parsed. A larger one stays as text.
const (
	maxFrontMatter      = 64 << 10 // bytes
	maxFrontMatterDepth = 20       // levels
	maxInlineList       = 500      // bytes of a list that stands in one block
)

// attribute is a key of a front matter with its value. In lists of mappings it has no
// key; items of lists that stand in blocks of their own have no key either.
type attribute struct {
	key, value string
	children   []attribute
}

// parseAttributes parses a YAML mapping. It reports false for what is not one, is too
// large, or has a value that blocks can't show: aliases and keys that are not texts.
func parseAttributes(text string) ([]attribute, bool) {
	if strings.TrimSpace(text) == "" {
		return nil, true
	}
	var document yaml.Node
	if len(text) > maxFrontMatter || yaml.Unmarshal([]byte(text), &document) != nil || len(document.Content) != 1 {
		return nil, false
	}
	return attributesOf(document.Content[0], maxFrontMatterDepth)
}

// attributesOf returns the entries of a mapping.
func attributesOf(mapping *yaml.Node, levels int) ([]attribute, bool) {
	if mapping.Kind != yaml.MappingNode || levels == 0 {
		return nil, false
	}
	var out []attribute
	for pair := range slices.Chunk(mapping.Content, 2) {
		key, value := pair[0], pair[1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			return nil, false
		}
		a, ok := valueOf(value, levels)
		if a.key = key.Value; !ok {
			return nil, false
		}
		if isNull(value) {
			a.value = key.LineComment // "tags: #a #b" is a comment for YAML only
		}
		if key.Value == "tags" || key.Value == "tag" {
			if tags, ok := tagsOf(value, a.value); ok {
				a.value, a.children = tags, nil
			}
		}
		out = append(out, a)
	}
	return out, true
}

// valueOf returns an attribute without its key.
func valueOf(value *yaml.Node, levels int) (a attribute, ok bool) {
	switch value.Kind {
	case yaml.ScalarNode:
		if isNull(value) {
			return a, true
		}
		return attribute{value: strings.TrimSpace(value.Value)}, true
	case yaml.MappingNode:
		a.children, ok = attributesOf(value, levels-1)
		return a, ok
	case yaml.SequenceNode:
		if link, ok := unquotedLink(value); ok {
			return attribute{value: link}, true
		}
		if levels == 0 {
			return a, false
		}
		for _, item := range value.Content {
			child, ok := valueOf(item, levels-1)
			if !ok {
				return a, false
			}
			a.children = append(a.children, child)
		}
		a.joinItems()
		return a, true
	case yaml.AliasNode, yaml.DocumentNode, yaml.StreamNode:
	}
	return a, false
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
func (a *attribute) joinItems() {
	var items []string
	length := 0
	for _, item := range a.children {
		if item.value == "" || item.children != nil || strings.ContainsAny(item.value, ",\n") && !isLink(item.value) {
			return
		}
		items = append(items, item.value)
		length += len(item.value)
	}
	if length <= maxInlineList {
		a.value, a.children = strings.Join(items, ", "), nil
	}
}

func isLink(text string) bool {
	spans := roamtext.References(text)
	return len(spans) > 0 && spans[0].Kind == roamtext.PageLink && spans[0].Start == 0 && spans[0].End == len(text)
}

// tagsOf returns the value of the key tags as tags: [a, "b c"], "a, b" and "#a #b" are
// lists of them. It reports false for anything else.
func tagsOf(value *yaml.Node, text string) (string, bool) {
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

// block returns the text of the attribute's block. A key that Roam does not take for an
// attribute's name stands with one colon.
func (a attribute) block() string {
	if a.key == "" {
		return a.value
	}
	text := strings.TrimRight(a.key+":: "+a.value, " ")
	if spans := roamtext.References(text); len(spans) == 0 || spans[0].Kind != roamtext.Attribute || spans[0].Content(text) != a.key {
		text = strings.TrimRight(a.key+": "+a.value, " ")
	}
	return text
}
