package clients

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// pasted returns a text for a person to paste into a document, in the form that is valid there,
// and where it goes in it, to follow the name of the file: `, below "extensions"`. Without a
// document, and for one that can't be read, it is a document of the entry alone.
func pasted(document []byte, at entryPlace, entry entryFields) (paste, where string) {
	text, _, err := textOf(document, at)
	all, bad := listServers(document, at)
	isNew := blank(document) || err != nil || bad != nil
	if !isNew && slices.ContainsFunc(all, func(f foundServer) bool { return f.Name == at.Name }) {
		where = ", in place of the entry " + at.Name
	}
	switch at.Format {
	case formatTOML:
		if isNew {
			return tomlTable(at, entry), ""
		}
		return pastedTOML(text, at, entry, where)
	case formatYAML:
		if isNew {
			return at.New + yamlDocument(at, entry), ""
		}
		return pastedYAML(text, at, entry, where)
	case formatJSON, formatJSONC:
	}
	at.New = ""
	whole, err := putEntry(nil, at, entry)
	if err != nil {
		return "", ""
	}
	return string(whole), ""
}

// pastedTOML is pasted for a text of TOML that can be read: a table, or where the servers, or
// this one, stand in braces or as dotted keys, a pair for that place.
func pastedTOML(text string, at entryPlace, entry entryFields, where string) (string, string) {
	statements, _ := scanTOML(text)
	table := append(slices.Clone(at.Path), at.Name)
	for _, s := range statements {
		path := s.path()
		switch {
		case s.header || at.List:
		case s.inline && slices.Equal(path, at.Path):
			pair, rest := tomlKey(at.Name)+" = "+tomlText(entry), strings.TrimLeft(text[s.value+1:], " \t")
			if where == "" && rest[0] != '}' {
				pair += ","
			}
			if where == "" {
				where = fmt.Sprintf(", behind the { of %s", strings.Join(at.Path, "."))
			}
			return pair + "\n", where
		case s.isOf(table) && len(s.section) < len(table):
			keys := slices.Clone(table[len(s.section):])
			for i, key := range keys {
				keys[i] = tomlKey(key)
			}
			return strings.Join(keys, ".") + " = " + tomlText(entry) + "\n", where
		}
	}
	if where == "" {
		where = ", at its end"
	}
	return tomlTable(at, entry), where
}

// pastedYAML is pasted for a text of YAML that can be read.
func pastedYAML(text string, at entryPlace, entry entryFields, where string) (string, string) {
	var whole yaml.Node
	_ = yaml.Unmarshal([]byte(text), &whole) // it was read before
	root, key, i := &yaml.Node{}, at.Path[0], 0
	if len(whole.Content) > 0 {
		root = whole.Content[0]
	}
	for i < len(root.Content) && root.Content[i].Value != key {
		i += 2
	}
	if i >= len(root.Content) {
		return yamlDocument(at, entry), ", at its end"
	}
	holder := root.Content[i+1]
	if holder.Kind != yaml.MappingNode && holder.Kind != yaml.SequenceNode {
		return yamlDocument(at, entry), fmt.Sprintf(", in place of %q", key)
	}
	if holder.Style&yaml.FlowStyle != 0 {
		paste := quoted(at.Name) + ": " + entryJSON(entry)
		if at.List {
			paste = entryJSON(append(entryFields{{"name", at.Name}}, entry...))
		}
		if where == "" && len(holder.Content) > 0 {
			paste += ","
		}
		if where == "" {
			where = fmt.Sprintf(", behind the %s of %q", choose(at.List, "[", "{"), key)
		}
		return paste + "\n", where
	}
	if where == "" {
		where = fmt.Sprintf(", below %q", key)
	}
	return yamlEntry(at, entry, strings.Repeat(" ", holder.Column-1)), where
}

// yamlDocument returns a document that holds an entry alone.
func yamlDocument(at entryPlace, entry entryFields) string {
	return at.Path[0] + ":\n" + yamlEntry(at, entry, "  ")
}

// yamlEntry returns the lines of an entry, with an indentation.
func yamlEntry(at entryPlace, entry entryFields, indent string) string {
	text := indent + tomlKey(at.Name) + ":\n"
	if at.List {
		text = indent + "- name: " + tomlText(at.Name) + "\n"
	}
	for _, f := range entry {
		text += indent + "  " + f.Key + ": " + tomlText(f.Value) + "\n" // also YAML, of values in one line
	}
	return text
}
