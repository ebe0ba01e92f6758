package clients

import (
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// yamlText is a text of YAML in lines, and how it is laid out.
type yamlText struct {
	text    string
	starts  []int // of the lines
	newline string
	unit    int // spaces of an indentation
	dashes  int // spaces before the dash of a list below a key, more than before the key
}

func newYAMLText(text string) yamlText {
	t := yamlText{text: text, newline: newlineOf(text), unit: 2, dashes: 2}
	for at := 0; at < len(text); at = lineEnd(text, at) {
		t.starts = append(t.starts, at)
	}
	measured, above := false, -1
	for i := range t.starts {
		indent, line := t.line(i)
		if line == "" || line[0] == '#' {
			continue
		}
		isItem := strings.HasPrefix(line, "- ")
		switch {
		case above < 0:
		case isItem:
			t.dashes = min(max(indent-above, 0), 8)
		case indent > above && !measured:
			t.unit, measured = min(indent-above, 8), true
		}
		if above = -1; strings.HasSuffix(line, ":") && !isItem {
			above = indent
		}
	}
	return t
}

// line returns the indentation of a line and what follows it, without white space at the
// end.
func (t yamlText) line(i int) (indent int, rest string) {
	line := t.text[t.starts[i]:lineEnd(t.text, t.starts[i])]
	rest = strings.TrimLeft(line, " ")
	return len(line) - len(rest), strings.TrimRight(rest, " \t\r\n")
}

// bare reports whether the text has nothing but comments.
func (t yamlText) bare() bool {
	for i := range t.starts {
		if _, line := t.line(i); strings.TrimLeft(line, "\t") != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// offset returns the index of the first byte of a node.
func (t yamlText) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(t.starts) {
		return len(t.text)
	}
	at := t.starts[n.Line-1]
	for range n.Column - 1 {
		for at++; at < len(t.text) && t.text[at]&0xC0 == 0x80; at++ {
		}
	}
	return min(at, len(t.text))
}

// beginsLine reports whether nothing but spaces and dashes precedes a node in its line.
func (t yamlText) beginsLine(n *yaml.Node) bool {
	at := t.offset(n)
	return n.Line <= len(t.starts) && strings.Trim(t.text[t.starts[n.Line-1]:at], " -") == ""
}

// entryEnd returns the end of the last line of a key and its value, without its line end.
func (t yamlText) entryEnd(key, value *yaml.Node) int {
	isBlockList := value.Kind == yaml.SequenceNode && value.Style&yaml.FlowStyle == 0 && len(value.Content) > 0
	return t.indentedEnd(key.Line-1, key.Column-1, isBlockList)
}

// indentedEnd returns the end of the last of the lines behind one that are indented deeper;
// if dashes is set, lines that begin with a dash in the same column count as well.
func (t yamlText) indentedEnd(line, indent int, dashes bool) int {
	last := line
	for i := line + 1; i < len(t.starts); i++ {
		n, rest := t.line(i)
		switch {
		case rest == "":
		case n > indent, dashes && n == indent && (rest == "-" || strings.HasPrefix(rest, "- ")):
			last = i
		case rest[0] != '#':
			return contentEnd(t.text, t.starts[last])
		}
	}
	return contentEnd(t.text, t.starts[last])
}

// dashColumn returns the column of the dash of an item whose first key stands in the same line.
func (t yamlText) dashColumn(item *yaml.Node) (indent int, ok bool) {
	if item.Line < 1 || item.Line > len(t.starts) {
		return 0, false
	}
	indent, rest := t.line(item.Line - 1)
	before := t.text[t.starts[item.Line-1]+indent : t.offset(item)]
	return indent, strings.HasPrefix(rest, "-") && strings.TrimRight(before, " ") == "-"
}

// valueRange returns where the value of a key stands, or that of the root.
func (t yamlText) valueRange(step yamlStep) (start, end int, ok bool) {
	v := step.value
	start = t.offset(v)
	switch {
	case v.Anchor != "" || v.Style&yaml.TaggedStyle != 0 || step.key != nil && !t.beginsLine(step.key):
		return 0, 0, false
	case v.Kind == yaml.ScalarNode && v.Value == "" && v.ShortTag() == "!!null": // nothing at all
		return start, start, true
	case v.Style&yaml.FlowStyle != 0:
		end = t.bracketsEnd(start)
	case v.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		end = t.quotedEnd(start)
	case step.key == nil:
		return 0, 0, false
	case v.Kind != yaml.ScalarNode, v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0, t.entryEnd(step.key, v) > contentEnd(t.text, t.starts[step.key.Line-1]):
		// A block: all behind the colon.
		colon := t.colon(step.key)
		return colon, t.entryEnd(step.key, v), colon > 0
	default:
		line := t.text[start:contentEnd(t.text, t.starts[v.Line-1])]
		if i := strings.Index(line, " #"); i >= 0 {
			line = line[:i]
		}
		end = start + len(strings.TrimRight(line, " \t"))
	}
	return start, end, end > start
}

// colon returns the index behind the colon of a key, 0 where it is not found.
func (t yamlText) colon(key *yaml.Node) int {
	at := t.offset(key)
	if key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		at = t.quotedEnd(at)
	} else {
		at += len(key.Value)
	}
	rest := strings.TrimLeft(t.text[min(at, len(t.text)):], " ")
	if !strings.HasPrefix(rest, ":") {
		return 0
	}
	return len(t.text) - len(rest) + 1
}

// quotedEnd returns the index behind a string in quotes.
func (t yamlText) quotedEnd(start int) int {
	quote := t.text[start]
	for at := start + 1; at < len(t.text); at++ {
		switch {
		case t.text[at] == '\\' && quote == '"':
			at++
		case t.text[at] == quote && quote == '\'' && strings.HasPrefix(t.text[at+1:], "'"):
			at++
		case t.text[at] == quote:
			return at + 1
		}
	}
	return start
}

// bracketsEnd returns the index behind a pair of brackets, and start where it has a
// comment in it.
func (t yamlText) bracketsEnd(start int) int {
	depth := 0
	for at := start; at < len(t.text); at++ {
		switch t.text[at] {
		case '"', '\'':
			if strings.IndexByte(" ,[{:\n", t.text[at-1]) >= 0 {
				at = max(at, t.quotedEnd(at)-1)
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return at + 1
			}
		case '#':
			return start
		}
	}
	return start
}

// block returns the lines of fields, or of an item, at an indentation.
func (t yamlText) block(what any, indent int) []string {
	margin := strings.Repeat(" ", indent)
	if item, ok := what.(yamlItem); ok {
		lines := t.block(entryFields(item), indent+2)
		lines[0] = margin + "- " + strings.TrimLeft(lines[0], " ")
		return lines
	}
	var lines []string
	for _, f := range what.(entryFields) {
		key := margin + yamlString(f.Key) + ":"
		switch v := f.Value.(type) {
		case yamlItem:
			lines = append(append(lines, key), t.block(v, indent+t.dashes)...)
		case entryFields:
			if len(v) > 0 {
				lines = append(append(lines, key), t.block(v, indent+t.unit)...)
				continue
			}
			lines = append(lines, key+" {}")
		default:
			lines = append(lines, key+" "+yamlInline(v))
		}
	}
	return lines
}

// yamlInline returns the text of a value that is no entry.
func yamlInline(v any) string {
	switch v := v.(type) {
	case []string:
		all := make([]string, len(v))
		for i, each := range v {
			all[i] = yamlString(each)
		}
		return "[" + strings.Join(all, ", ") + "]"
	case string:
		return yamlString(v)
	}
	return fmt.Sprint(v)
}

// yamlString returns a string, without quotes where every reader takes it for one.
func yamlString(s string) string {
	isPlain := s != "" && (unicode.IsLetter(rune(s[0])) || s[0] == '/') && strings.IndexFunc(s, func(r rune) bool {
		return r > 127 || !isBareTOML(byte(r)) && !strings.ContainsRune("/.+@", r)
	}) < 0
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		isPlain = false
	}
	if isPlain {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	return b.String() + `"`
}
