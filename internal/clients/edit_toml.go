package clients

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// maxStatements is the number of statements that a TOML document may have: go-toml takes
// a time that grows with the square of the number of tables.
const maxStatements = 10000

// tomlStatement is a header of a table, or a key with its value, by the bytes of its text.
type tomlStatement struct {
	header     bool
	section    []string // keys of the header above it; of a header nothing
	key        []string // its own keys
	start, end int      // of the statement, without a comment behind it
	value      int      // where the value starts
	inline     bool     // its value is a table in braces
}

// path returns the keys from the root to what the statement defines.
func (s tomlStatement) path() []string { return slices.Concat(s.section, s.key) }

// isOf reports whether a statement defines a part of the table at a path.
func (s tomlStatement) isOf(path []string) bool {
	own := s.path()
	return len(own) >= len(path) && slices.Equal(own[:len(path)], path)
}

// scanTOML returns the statements of a TOML text, which is valid.
func scanTOML(text string) (all []tomlStatement, err error) {
	var parser unstable.Parser
	parser.Reset(slices.Clip([]byte(text)))
	var section []string
	for parser.NextExpression() {
		node := parser.Expression()
		s := tomlStatement{header: node.Kind != unstable.KeyValue}
		at := 0
		for keys := node.Key(); keys.Next(); {
			raw := keys.Node().Raw
			s.key, at = append(s.key, string(keys.Node().Data)), int(raw.Offset+raw.Length)
		}
		if s.header { // of which the parser tells no range
			s.start = lineStart(text, at)
			s.end = at + strings.IndexByte(text[at:], ']') + 1
			section = s.key
		} else {
			s.section = section
			s.start, s.end = int(node.Raw.Offset), int(node.Raw.Offset+node.Raw.Length)
			s.value = at + strings.IndexByte(text[at:], '=') + 1
			s.value += len(text[s.value:]) - len(strings.TrimLeft(text[s.value:], " \t"))
			s.inline = node.Value().Kind == unstable.InlineTable
		}
		if len(all) == maxStatements {
			return nil, refuseAt(text, s.start, "there are more than %d keys and tables", maxStatements)
		}
		all = append(all, s)
	}
	return all, nil
}

// decodeTOML returns what a text says. The error of go-toml is left out, since it may quote a
// value.
func decodeTOML(text string) (map[string]any, error) {
	if _, err := scanTOML(text); err != nil {
		return nil, err
	}
	var root map[string]any
	err := toml.Unmarshal([]byte(text), &root)
	var fault *toml.DecodeError
	if errors.As(err, &fault) {
		line, column := fault.Position()
		return nil, refuseAt(text, offsetOf(text, line, column), "it is not valid TOML")
	}
	if err != nil {
		return nil, refuse("it is not valid TOML")
	}
	return root, nil
}

// editTOML returns a text of TOML with the entry in it, or without the server where that is nil. A
// server that is missing gets a table of its own at the end. Of one that has such a table the lines
// of the fields are set; one that stands otherwise is made anew if it has nothing else, and refused
// if it has.
func editTOML(text string, at entryPlace, entry entryFields) (string, error) {
	before, err := decodeTOML(text)
	if err != nil {
		return "", err
	}
	all, err := listed(before, at)
	if err != nil {
		return "", err
	}
	var has map[string]any
	if i := slices.IndexFunc(all, func(f foundServer) bool { return f.Name == at.Name }); i >= 0 {
		has = all[i].Values
	}
	isMore := func(key string) bool {
		return !slices.ContainsFunc(entry, func(f entryField) bool { return f.Key == key })
	}
	edited, set := setTOML(text, at, entry, has)
	switch {
	case entry == nil:
		edited = cutTOML(text, at)
	case isComplete(has, entry):
		return text, nil
	case set:
	case slices.ContainsFunc(slices.Collect(maps.Keys(has)), isMore):
		return "", refuse("%q has no table of its own", at.Name)
	default:
		edited = appendTOML(cutTOML(text, at), newlineOf(text), tomlTable(at, entry))
	}
	after, err := decodeTOML(edited)
	if err != nil {
		return "", refuse("there is no place for the entry that leaves all else as it is")
	}
	if !sameBeside(before, after, at, nil) {
		return "", refuseChange()
	}
	return edited, nil
}

// appendTOML adds a table to a text, behind a blank line.
func appendTOML(text, newline, table string) string {
	table = strings.ReplaceAll(table, "\n", newline)
	end := len(strings.TrimRight(text, " \t\r\n"))
	if end == 0 {
		return table
	}
	end = lineContentEnd(text, end)
	return text[:end] + newline + newline + strings.TrimSuffix(table, newline) + text[end:]
}

// setTOML sets fields of a server in the lines of its own table; false where it has none, or a
// field does not stand there as a line.
func setTOML(text string, at entryPlace, entry entryFields, has map[string]any) (string, bool) {
	table := append(slices.Clone(at.Path), at.Name)
	statements, err := scanTOML(text)
	header := slices.IndexFunc(statements, func(s tomlStatement) bool { return s.header && slices.Equal(s.key, table) })
	if err != nil || header < 0 {
		return "", false
	}
	ends := header // the last statement of the table itself
	for ends+1 < len(statements) && !statements[ends+1].header {
		ends++
	}
	behind := lineContentEnd(text, statements[ends].end)
	added, newline := "", newlineOf(text)+indentAt(text, statements[ends].start)
	edits := map[int]string{} // by the index of the statement
	for _, f := range entry {
		i := slices.IndexFunc(statements, func(s tomlStatement) bool {
			return !s.header && slices.Equal(s.path(), append(slices.Clone(table), f.Key))
		})
		switch {
		case has[f.Key] == nil:
			added += newline + tomlKey(f.Key) + " = " + tomlText(f.Value)
		case says(has[f.Key], f):
		case i < 0:
			return "", false
		default:
			edits[i] = tomlText(f.Value)
		}
	}
	text = text[:behind] + added + text[behind:]
	for i := ends; i > header; i-- {
		if value, ok := edits[i]; ok {
			text = text[:statements[i].value] + value + text[statements[i].end:]
		}
	}
	return text, true
}

// cutTOML returns a text without the lines of a server: its table with those below it, each with
// a blank line before it, or the pairs that define it.
func cutTOML(text string, at entryPlace) string {
	table := append(slices.Clone(at.Path), at.Name)
	statements, _ := scanTOML(text)
	var kept strings.Builder
	from := 0
	cut := func(start, end int) {
		if start > from {
			kept.WriteString(text[from:start])
		}
		from = max(from, end)
	}
	for i, s := range statements {
		switch {
		case !s.isOf(table) || !s.header && len(s.section) >= len(table):
		case !s.header:
			cut(lineStart(text, s.start), lineEnd(text, s.end))
		default:
			for i+1 < len(statements) && !statements[i+1].header {
				i++
			}
			start, end := s.start, lineContentEnd(text, statements[i].end)
			for range 2 { // the line end before it, and the one of a blank line
				if before, ok := strings.CutSuffix(text[:start], "\n"); ok {
					start = len(strings.TrimSuffix(before, "\r"))
				}
			}
			cut(start, end)
		}
	}
	if rest := text[from:]; kept.Len() == 0 && from > 0 {
		return strings.TrimLeft(rest, "\r\n")
	}
	return kept.String() + text[from:]
}

// lineContentEnd returns the end of the line that holds a byte, without its line end.
func lineContentEnd(text string, at int) int {
	return at + len(strings.TrimRight(text[at:lineEnd(text, at)], "\r\n"))
}

// tomlTable returns the table of a server.
func tomlTable(at entryPlace, entry entryFields) string {
	var keys []string
	for _, key := range at.Path {
		keys = append(keys, tomlKey(key))
	}
	head := "[" + strings.Join(append(keys, tomlKey(at.Name)), ".") + "]\n"
	if at.List {
		head = "[[" + strings.Join(keys, ".") + "]]\nname = " + tomlText(at.Name) + "\n"
	}
	return head + strings.Join(tomlPairs(entry), "\n") + "\n"
}

func tomlPairs(fields entryFields) []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = tomlKey(f.Key) + " = " + tomlText(f.Value)
	}
	return all
}

func tomlKey(key string) string {
	isBare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	if key != "" && strings.IndexFunc(key, func(r rune) bool { return !isBare(r) }) < 0 {
		return key
	}
	return tomlString(key)
}

// tomlText returns the text of a value, in one line.
func tomlText(v any) string {
	switch v := v.(type) {
	case entryFields:
		if len(v) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(tomlPairs(v), ", ") + " }"
	case []string:
		all := make([]string, len(v))
		for i, each := range v {
			all[i] = tomlString(each)
		}
		return "[" + strings.Join(all, ", ") + "]"
	case string:
		return tomlString(v)
	}
	return fmt.Sprint(v)
}

// tomlString returns a string, which YAML reads alike.
func tomlString(s string) string {
	return strings.NewReplacer("\x7F", `\u007F`, "\u0085", `\u0085`).Replace(quoted(s))
}
