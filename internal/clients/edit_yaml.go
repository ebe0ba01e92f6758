package clients

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// yamlDocument is a document of YAML. Only what is written in blocks is edited, and an
// empty pair of brackets: a server in braces that needs a change is refused. The parser
// gives a node's first line and column alone; where it ends, yamlText finds in the text, by
// indentation (entryEnd, indentedEnd, dashColumn).
type yamlDocument struct {
	yamlText
	at  entryPlace // the server that is edited
	top *yaml.Node // nil in a document without a value
}

func parseYAML(text string, at entryPlace) (*yamlDocument, error) {
	// For YAML more characters end a line than for people and editors.
	other := func(r rune) bool { return r == '\u0085' || r == '\u2028' || r == '\u2029' }
	if i := strings.IndexFunc(text, other); i >= 0 {
		return nil, refuseAt(text, i, "a line ends with an unusual character")
	}
	if i := strings.IndexByte(strings.ReplaceAll(text, "\r\n", "\n\n"), '\r'); i >= 0 {
		return nil, refuseAt(text, i, "a line ends with an unusual character")
	}
	d := &yamlDocument{yamlText: newYAMLText(text), at: at}
	if d.bare() {
		return d, nil
	}
	var whole yaml.Node
	if err := yaml.Load([]byte(text), &whole); err != nil {
		line, column := yamlErrorPosition(err)
		if line == 0 {
			return nil, refuse("it is not one YAML document")
		}
		return nil, refuseAt(text, offsetOf(text, line, column), "it is not valid YAML")
	}
	if len(whole.Content) == 1 {
		d.top = whole.Content[0]
	}
	if d.top != nil && d.top.Kind != yaml.MappingNode && d.top.ShortTag() != "!!null" {
		return nil, refuse("it is no mapping of keys to values")
	}
	return d, nil
}

// yamlErrorPosition returns the line and column that an error names; 0 where it has none.
func yamlErrorPosition(err error) (line, column int) {
	text := err.Error()
	for at := strings.LastIndexByte(text, 'L'); at >= 0; at = strings.LastIndexByte(text[:at], 'L') {
		if n, _ := fmt.Sscanf(text[at:], "L%d.C%d", &line, &column); n == 2 {
			return line, column
		}
	}
	return 0, 0
}

func (d *yamlDocument) root() value {
	if d.top == nil {
		return null
	}
	return yamlValue(d.top)
}

func yamlValue(n *yaml.Node) value {
	switch n.Kind {
	case yaml.MappingNode:
		o := make(object, 0, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			o = append(o, member{yamlKeyOf(n.Content[i]), yamlValue(n.Content[i+1])})
		}
		return o
	case yaml.SequenceNode:
		all := make(list, 0, len(n.Content))
		for _, each := range n.Content {
			all = append(all, yamlValue(each))
		}
		return all
	case yaml.AliasNode:
		return scalar{"alias", n.Value}
	case yaml.ScalarNode, yaml.DocumentNode, yaml.StreamNode: // top is no document
	}
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return null
	case "!!str":
		return text(n.Value)
	case "!!bool":
		return scalar{"bool", strings.ToLower(n.Value)}
	default:
		return scalar{strings.TrimPrefix(tag, "!!"), n.Value}
	}
}

// yamlKeyOf returns the text of a key; of one that is no scalar, a text that no scalar
// has.
func yamlKeyOf(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return fmt.Sprint("\x00", yamlValue(n))
}

// keyIndex returns the index of a key in the content of a mapping, -1 where there is none.
func (d *yamlDocument) keyIndex(m *yaml.Node, key string) (int, error) {
	found := -1
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Kind != yaml.ScalarNode || m.Content[i].Value != key {
			continue
		}
		if found >= 0 {
			return 0, refuseAt(d.text, d.offset(m.Content[i]), "the key %q is there twice", key)
		}
		found = i
	}
	return found, nil
}

// itemIndex returns the index of the item of a sequence that has a name, -1 where there is
// none.
func (d *yamlDocument) itemIndex(s *yaml.Node, name string) (int, error) {
	found := -1
	for i, each := range s.Content {
		if asObject(yamlValue(each)).get("name") != text(name) {
			continue
		}
		if found >= 0 {
			return 0, refuseAt(d.text, d.offset(each), "a server of the name %q is there twice", name)
		}
		found = i
	}
	return found, nil
}

// yamlStep is a value on the way from the root to a server.
type yamlStep struct {
	key   *yaml.Node // nil for the root and for an item of a list
	value *yaml.Node // nil for a root that is not there
	index int        // in the content of the value before
}

// walk follows the path to the server, as far as it is there. The whole of it has one step
// more than the path has keys, for the root, and one for the server.
func (d *yamlDocument) walk() ([]yamlStep, error) {
	steps := []yamlStep{{value: d.top}}
	keys := append(slices.Clone(d.at.Path), d.at.Name)
	for i, key := range keys {
		v := steps[i].value
		if v == nil || v.ShortTag() == "!!null" {
			return steps, nil
		}
		if d.at.List && i == len(d.at.Path) {
			if v.Kind != yaml.SequenceNode {
				return nil, refuseAt(d.text, d.offset(v), "a list is expected there")
			}
			n, err := d.itemIndex(v, key)
			if err != nil || n < 0 {
				return steps, err
			}
			return append(steps, yamlStep{value: v.Content[n], index: n}), nil
		}
		if v.Kind != yaml.MappingNode {
			return nil, refuseAt(d.text, d.offset(v), "keys and values are expected there")
		}
		n, err := d.keyIndex(v, key)
		if err != nil || n < 0 {
			return steps, err
		}
		steps = append(steps, yamlStep{v.Content[n], v.Content[n+1], n})
	}
	return steps, nil
}

func (d *yamlDocument) put(entry entryFields) ([]splice, error) {
	steps, err := d.walk()
	if err != nil {
		return nil, err
	}
	rest := append(slices.Clone(d.at.Path), d.at.Name)[len(steps)-1:]
	if d.at.List {
		entry = listed(d.at, entry)
	}
	last := steps[len(steps)-1]
	if len(rest) == 0 {
		return d.set(last, entry)
	}
	// The innermost of what is missing is the server, in a list or under its name.
	var whole any = entryFields{{d.at.Name, entry}}
	if d.at.List {
		whole = yamlItem(entry)
	}
	for i := len(rest) - 2; i >= 0; i-- {
		whole = entryFields{{rest[i], whole}}
	}
	return d.add(last, whole)
}

// set sets the fields of a mapping.
func (d *yamlDocument) set(step yamlStep, fields entryFields) ([]splice, error) {
	m := step.value
	if m.Kind != yaml.MappingNode && m.ShortTag() != "!!null" {
		return nil, refuseAt(d.text, d.offset(m), "keys and values are expected there")
	}
	var edits []splice
	var missing entryFields
	for _, f := range fields {
		i, err := d.keyIndex(m, f.Key)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			missing = append(missing, f)
			continue
		}
		if settled(yamlValue(m.Content[i+1]), f) {
			continue
		}
		more, err := d.setValue(yamlStep{m.Content[i], m.Content[i+1], i}, f)
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	if len(missing) == 0 {
		return edits, nil
	}
	added, err := d.add(step, missing)
	return append(edits, added...), err
}

// setValue replaces the value of a key.
func (d *yamlDocument) setValue(step yamlStep, f entryField) ([]splice, error) {
	sub, isEntry := f.Value.(entryFields)
	if isEntry {
		if step.value.Kind == yaml.MappingNode {
			return d.set(step, sub)
		}
		return nil, refuseAt(d.text, d.offset(step.value), "keys and values are expected there")
	}
	start, end, ok := d.valueRange(step)
	if !ok {
		return nil, refuseAt(d.text, d.offset(step.value), "the value can't be replaced")
	}
	text := yamlInline(f.Value)
	if start > 0 && d.text[start-1] == ':' {
		text = " " + text
	}
	return []splice{{start, end, text}}, nil
}

// yamlItem is an entry that is to be an item of a list.
type yamlItem entryFields

// add adds fields to a mapping, or an item to a list, behind what is there. Null and an
// empty pair of brackets become the first of them.
func (d *yamlDocument) add(step yamlStep, what any) ([]splice, error) {
	if step.value == nil { // nothing but comments
		end := len(strings.TrimRight(d.text, " \t\r\n"))
		block := strings.Join(d.block(what, 0), d.newline)
		if end == 0 {
			return []splice{{0, 0, block + d.newline}}, nil
		}
		end = contentEnd(d.text, end)
		return []splice{{end, end, d.newline + block}}, nil
	}
	if len(step.value.Content) == 0 {
		return d.addFirst(step, what)
	}
	if step.value.Style&yaml.FlowStyle != 0 {
		return nil, refuseAt(d.text, d.offset(step.value), "it is written in brackets")
	}
	n := len(step.value.Content)
	var indent, end int
	if step.value.Kind == yaml.MappingNode {
		key := step.value.Content[n-2]
		indent, end = key.Column-1, d.entryEnd(key, step.value.Content[n-1])
	} else {
		var ok bool
		if indent, ok = d.dashColumn(step.value.Content[n-1]); !ok {
			return nil, refuseAt(d.text, d.offset(step.value), "the list is written in an unusual way")
		}
		end = d.indentedEnd(step.value.Content[n-1].Line-1, indent, false)
	}
	if step.value == d.top { // behind the comments at the end, too
		if rest := newYAMLText(d.text[end:]); rest.bare() {
			end = contentEnd(d.text, end+len(strings.TrimRight(rest.text, " \t\r\n")))
		}
	}
	return []splice{{end, end, d.newline + strings.Join(d.block(what, indent), d.newline)}}, nil
}

// addFirst is add for a value that is null or an empty pair of brackets.
func (d *yamlDocument) addFirst(step yamlStep, what any) ([]splice, error) {
	start, end, ok := d.valueRange(step)
	if !ok {
		return nil, refuseAt(d.text, d.offset(step.value), "the value can't be replaced")
	}
	if step.key == nil { // the root
		return []splice{{start, end, strings.Join(d.block(what, 0), d.newline)}}, nil
	}
	indent := step.key.Column - 1 + d.unit
	if _, isItem := what.(yamlItem); isItem {
		indent = step.key.Column - 1 + d.dashes
	}
	lines := d.newline + strings.Join(d.block(what, indent), d.newline)
	behind := d.entryEnd(step.key, step.value)
	if start == end {
		return []splice{{behind, behind, lines}}, nil
	}
	start -= len(d.text[:start]) - len(strings.TrimRight(d.text[:start], " "))
	return []splice{{start, end, ""}, {behind, behind, lines}}, nil
}

func (d *yamlDocument) remove() ([]splice, error) {
	steps, err := d.walk()
	if err != nil || len(steps) < len(d.at.Path)+2 {
		return nil, err
	}
	// What has nothing but the server goes with it, unless it holds a comment.
	i := len(steps) - 1
	for i > 1 && d.isAlone(steps[i-1], steps[i]) {
		i--
	}
	holder, step := steps[i-1].value, steps[i]
	if holder.Style&yaml.FlowStyle != 0 {
		return nil, refuseAt(d.text, d.offset(holder), "it is written in brackets")
	}
	start, end, ok := d.lines(step)
	if !ok {
		return nil, refuseAt(d.text, d.offset(step.value), "it is written in an unusual way")
	}
	if start == 0 {
		return []splice{{0, lineEnd(d.text, end), ""}}, nil
	}
	start = len(strings.TrimSuffix(d.text[:start-1], "\r"))
	return []splice{{start, end, ""}}, nil
}

// isAlone reports whether a holder has nothing but one value and no comment besides.
func (d *yamlDocument) isAlone(holder, step yamlStep) bool {
	count := len(holder.value.Content)
	if holder.value.Kind == yaml.MappingNode {
		count /= 2
	}
	if count != 1 {
		return false
	}
	start, end, ok := d.lines(holder)
	from, to, inside := d.lines(step)
	if !ok || !inside || from < start || to > end {
		return false
	}
	return !strings.Contains(d.text[start:from], "#") && !strings.Contains(d.text[to:end], "#")
}

// lines returns the range of the lines of a key with its value, or of an item of a list,
// without the last line end.
func (d *yamlDocument) lines(step yamlStep) (start, end int, ok bool) {
	if step.key != nil {
		line := step.key.Line - 1
		if !d.beginsLine(step.key) {
			return 0, 0, false
		}
		return d.starts[line], d.entryEnd(step.key, step.value), true
	}
	indent, ok := d.dashColumn(step.value)
	if !ok {
		return 0, 0, false
	}
	return d.starts[step.value.Line-1], d.indentedEnd(step.value.Line-1, indent, false), true
}
