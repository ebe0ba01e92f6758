package clients

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"roam-mcp/internal/rawjson"
)

// jsonDocument is a document of JSON or JSONC.
type jsonDocument struct {
	text  string
	at    entryPlace
	top   hujson.Value
	style jsonStyle
}

func parseJSON(text string, at entryPlace) (*jsonDocument, error) {
	if i, deep := jsonDeeperThan(text, maxDepth); deep {
		return nil, refuseAt(text, i, "objects and lists are more than %d levels deep", maxDepth)
	}
	// A comment on a last line without an end is one for editors, but not for hujson.
	top, err := hujson.Parse([]byte(text + "\n"))
	if err != nil {
		return nil, jsonError(text, err)
	}
	if top.Value.Kind() != '{' {
		return nil, refuseAt(text, top.StartOffset, "an object is expected there")
	}
	return &jsonDocument{text, at, top, jsonStyleOf(text, top)}, nil
}

// jsonError returns the error of a text that hujson refuses. Its own error is left out
// where it quotes a value, which may be secret.
func jsonError(text string, err error) error {
	var line, column int
	if n, _ := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); n != 2 {
		return refuse("it is not valid JSON")
	}
	at := column - 1
	for rest := line; rest > 1; rest-- {
		at += strings.IndexByte(text[at-column+1:], '\n') + 1
	}
	_, reason, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), ": ")
	switch {
	case strings.Contains(reason, "invalid literal"):
		reason = "a value is expected there"
	case strings.Contains(reason, "unexpected EOF"):
		reason = "the text ends too early"
	}
	return refuseAt(text, at, "%s", reason)
}

// jsonDeeperThan reports whether objects and lists stand in each other on more than max
// levels, and the index of the bracket that opens the first level too many.
func jsonDeeperThan(text string, max int) (at int, deeper bool) {
	depth := 0
	for at < len(text) {
		skip := 1
		switch rest := text[at:]; {
		case rest[0] == '"':
			for skip < len(rest) && rest[skip] != '"' {
				if rest[skip] == '\\' {
					skip++
				}
				skip++
			}
			skip++
		case strings.HasPrefix(rest, "//"):
			skip = lineEnd(rest, 0)
		case strings.HasPrefix(rest, "/*"):
			if skip = strings.Index(rest[2:], "*/") + 4; skip < 4 {
				skip = len(rest)
			}
		case rest[0] == '{', rest[0] == '[':
			if depth++; depth > max {
				return at, true
			}
		case rest[0] == '}', rest[0] == ']':
			depth--
		}
		at += skip
	}
	return at, false
}

func (d *jsonDocument) root() value { return jsonValue(d.top) }

func jsonValue(v hujson.Value) value {
	switch v := v.Value.(type) {
	case *hujson.Object:
		o := make(object, 0, len(v.Members))
		for _, m := range v.Members {
			o = append(o, member{jsonText(m.Name), jsonValue(m.Value)})
		}
		return o
	case *hujson.Array:
		all := make(list, 0, len(v.Elements))
		for _, each := range v.Elements {
			all = append(all, jsonValue(each))
		}
		return all
	case hujson.Literal:
		switch v.Kind() {
		case '"':
			return text(v.String())
		case 'n':
			return null
		case 't', 'f':
			return scalar{"bool", string(v)}
		}
		if bytes.ContainsAny(v, ".eE") {
			return scalar{"float", string(v)}
		}
		return scalar{"int", string(v)}
	}
	return nil
}

func jsonText(v hujson.Value) string {
	literal, _ := v.Value.(hujson.Literal)
	return literal.String()
}

// member returns the index of the member of a key, -1 where there is none.
func (d *jsonDocument) member(o *hujson.Object, key string) (int, error) {
	found := -1
	for i, m := range o.Members {
		if jsonText(m.Name) != key {
			continue
		}
		if found >= 0 {
			return 0, refuseAt(d.text, m.Name.StartOffset, "the key %q is there twice", key)
		}
		found = i
	}
	return found, nil
}

func (d *jsonDocument) put(entry entryFields) ([]splice, error) {
	whole := entryFields{{d.at.Name, entry}}
	for i := len(d.at.Path) - 1; i >= 0; i-- {
		whole = entryFields{{d.at.Path[i], whole}}
	}
	return d.set(d.top, whole, len(d.at.Path)+1)
}

// set sets the fields of an object. Down to so many levels the fields are the way to the
// entry, and must be objects or null.
func (d *jsonDocument) set(v hujson.Value, fields entryFields, way int) ([]splice, error) {
	o := v.Value.(*hujson.Object)
	var missing entryFields
	var edits []splice
	for _, f := range fields {
		i, err := d.member(o, f.Key)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			missing = append(missing, f)
			continue
		}
		old := o.Members[i].Value
		sub, isEntry := f.Value.(entryFields)
		switch kind := old.Value.Kind(); {
		case isEntry && kind == '{':
			more, err := d.set(old, sub, way-1)
			if err != nil {
				return nil, err
			}
			edits = append(edits, more...)
		case way > 0 && kind != 'n':
			return nil, refuseAt(d.text, old.StartOffset, "an object is expected there")
		case way > 0 || !settled(jsonValue(old), f):
			edits = append(edits, splice{old.StartOffset, old.EndOffset, d.style.render(f.Value, indentAt(d.text, old.StartOffset))})
		}
	}
	if len(missing) > 0 {
		edits = append(edits, d.add(v, missing)...)
	}
	return edits, nil
}

// add adds fields to an object, behind its members and the comments there.
func (d *jsonDocument) add(v hujson.Value, fields entryFields) []splice {
	o := v.Value.(*hujson.Object)
	inner := v.EndOffset - 1 - len(o.AfterExtra)
	comments := strings.TrimRight(string(o.AfterExtra), " \t\r\n")
	at, base := inner+len(comments), indentAt(d.text, v.StartOffset)
	if len(o.Members) == 0 {
		indent := base + d.style.unit
		if comments == "" {
			return []splice{{inner, v.EndOffset - 1, d.style.members(fields, base)}}
		}
		if i := strings.LastIndexByte(comments, '\n'); i >= 0 {
			indent = indentAt(d.text, inner+i+1+len(comments[i+1:])-len(strings.TrimLeft(comments[i+1:], " \t")))
		}
		return []splice{{at, at, d.style.newline + indent + d.style.join(fields, indent) + d.lineEndBefore(at, v.EndOffset-1, base)}}
	}
	last := o.Members[len(o.Members)-1]
	indent := indentAt(d.text, last.Name.StartOffset)
	gap, style := d.style.newline+indent, d.style
	if !style.lines || comments == "" && !bytes.Contains(last.Name.BeforeExtra, []byte("\n")) {
		style.lines = false
		gap = style.gap()
	}
	added := gap + style.join(fields, indent)
	if last.Value.AfterExtra != nil { // a trailing comma
		return []splice{{at, at, added + ","}}
	}
	if comments != "" && style.lines {
		added += d.lineEndBefore(at, v.EndOffset-1, base)
	}
	return []splice{{last.Value.EndOffset, last.Value.EndOffset, ","}, {at, at, added}}
}

// lineEndBefore returns a line end with an indentation, or nothing where the text between
// two bytes has one.
func (d *jsonDocument) lineEndBefore(from, to int, indent string) string {
	if strings.Contains(d.text[from:to], "\n") {
		return ""
	}
	return d.style.newline + indent
}

func (d *jsonDocument) remove() ([]splice, error) {
	var edits []splice
	v := d.top
	for i, key := range append(append([]string(nil), d.at.Path...), d.at.Name) {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			if v.Value.Kind() == 'n' {
				return nil, nil
			}
			return nil, refuseAt(d.text, v.StartOffset, "an object is expected there")
		}
		n, err := d.member(o, key)
		if err != nil || n < 0 {
			return nil, err
		}
		// An object that has nothing but what is taken out goes with it.
		if i == 0 || len(o.Members) > 1 || d.hasComment(v) {
			edits = d.cut(v, n)
		}
		v = o.Members[n].Value
	}
	return edits, nil
}

// hasComment reports whether an object of one member has a comment outside of it.
func (d *jsonDocument) hasComment(v hujson.Value) bool {
	o := v.Value.(*hujson.Object)
	m := o.Members[0]
	for _, extra := range []hujson.Extra{o.AfterExtra, m.Name.BeforeExtra, m.Value.AfterExtra} {
		if !extra.IsStandard() {
			return true
		}
	}
	return false
}

// cut returns the edits that take a member out of an object.
func (d *jsonDocument) cut(v hujson.Value, i int) []splice {
	o := v.Value.(*hujson.Object)
	if len(o.Members) == 1 && !d.hasComment(v) {
		return []splice{{v.StartOffset + 1, v.EndOffset - 1, ""}}
	}
	m := o.Members[i]
	before := strings.TrimRight(string(m.Name.BeforeExtra), " \t\r\n")
	start, end := m.Name.StartOffset-len(m.Name.BeforeExtra)+len(before), m.Value.EndOffset
	isLast, trailingComma := i == len(o.Members)-1, m.Value.AfterExtra != nil
	var edits []splice
	switch {
	case !isLast || trailingComma:
		end += len(m.Value.AfterExtra) + 1
	case i > 0:
		previous := o.Members[i-1].Value
		comma := previous.EndOffset + len(previous.AfterExtra)
		edits = append(edits, splice{comma, comma + 1, ""})
	}
	rest := strings.TrimLeft(d.text[end:], " \t")
	lastLine := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.Contains(lastLine, "//") && !strings.HasPrefix(rest, "\n") && !strings.HasPrefix(rest, "\r\n") {
		start = m.Name.StartOffset // what follows must not become part of a comment
	}
	if i == 0 && len(m.Name.BeforeExtra) == 0 {
		end = len(d.text) - len(rest)
	}
	return append(edits, splice{start, end, ""})
}

// jsonStyle is how a document is laid out.
type jsonStyle struct {
	lines         bool   // whether members stand on lines of their own
	spaced        bool   // whether a space follows colons and commas
	unit, newline string // an indentation, and a line end
}

func jsonStyleOf(text string, top hujson.Value) jsonStyle {
	o := top.Value.(*hujson.Object)
	inner := text[top.StartOffset:top.EndOffset]
	s := jsonStyle{lines: strings.Contains(inner, "\n") || len(o.Members) == 0, spaced: true, unit: "  ", newline: newlineOf(text)}
	for line := range strings.Lines(inner) {
		if rest := strings.TrimLeft(line, " \t"); rest != line && rest != "" && !strings.ContainsRune("*\r\n", rune(rest[0])) {
			s.unit = line[:len(line)-len(rest)]
			break
		}
	}
	if len(o.Members) == 0 {
		return s
	}
	first := o.Members[0]
	s.spaced = s.lines || len(first.Value.BeforeExtra) > 0
	return s
}

func (s jsonStyle) gap() string {
	if s.spaced {
		return " "
	}
	return ""
}

// render returns the text of a value that begins on a line with an indentation.
func (s jsonStyle) render(v any, indent string) string {
	switch v := v.(type) {
	case entryFields:
		return "{" + s.members(v, indent) + "}"
	case []string:
		all := make([]string, len(v))
		for i, each := range v {
			all[i] = quoted(each)
		}
		return "[" + strings.Join(all, ","+s.gap()) + "]"
	case string:
		return quoted(v)
	}
	return fmt.Sprint(v)
}

// members returns what stands between the braces of an object.
func (s jsonStyle) members(fields entryFields, indent string) string {
	if len(fields) == 0 {
		return ""
	}
	if !s.lines {
		return s.join(fields, indent)
	}
	inner := indent + s.unit
	return s.newline + inner + s.join(fields, inner) + s.newline + indent
}

// join returns members with what stands between them.
func (s jsonStyle) join(fields entryFields, indent string) string {
	between := "," + s.gap()
	if s.lines {
		between = "," + s.newline + indent
	}
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = quoted(f.Key) + ":" + s.gap() + s.render(f.Value, indent)
	}
	return strings.Join(all, between)
}

// quoted returns a string of JSON.
func quoted(s string) string { return string(rawjson.Encode(s)) }
