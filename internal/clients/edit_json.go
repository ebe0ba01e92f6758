package clients

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"roam-mcp/internal/rawjson"
)

// maxDepth is the number of levels on which objects and lists may stand in each other.
const maxDepth = 200

// jsonDocument is a document of JSON or JSONC. It is edited in the tree, which packs to the
// text that it was parsed from but for the edits; offsets are those of that text.
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
	_, reason, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), ": ")
	switch {
	case strings.Contains(reason, "invalid literal"):
		reason = "a value is expected there"
	case strings.Contains(reason, "unexpected EOF"):
		reason = "the text ends too early"
	}
	return refuseAt(text, offsetOf(text, line, column), "%s", reason)
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

// jsonNatural returns a value as encoding/json decodes it, with whole numbers as int64.
func jsonNatural(v hujson.Value) any {
	switch v := v.Value.(type) {
	case *hujson.Object:
		o := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			o[jsonText(m.Name)] = jsonNatural(m.Value)
		}
		return o
	case *hujson.Array:
		all := make([]any, 0, len(v.Elements))
		for _, each := range v.Elements {
			all = append(all, jsonNatural(each))
		}
		return all
	case hujson.Literal:
		switch v.Kind() {
		case '"':
			return v.String()
		case 't', 'f':
			return v.Bool()
		case '0':
			if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
				return n
			}
			return v.Float()
		}
	}
	return nil
}

func isMember(key string) func(hujson.ObjectMember) bool {
	return func(m hujson.ObjectMember) bool { return jsonText(m.Name) == key }
}

func jsonText(v hujson.Value) string {
	literal, _ := v.Value.(hujson.Literal)
	return literal.String()
}

func listJSON(text string, at entryPlace) (all []foundServer, err error) {
	d, err := parseJSON(text, at)
	if err != nil {
		return nil, err
	}
	v := d.top
	for i, key := range append(slices.Clone(at.Path), "") {
		o, ok := v.Value.(*hujson.Object)
		switch {
		case v.Value.Kind() == 'n':
			return nil, nil
		case !ok:
			return nil, refuse("%s holds no keys", pathName(at.Path[:i]))
		case i < len(at.Path):
			n := slices.IndexFunc(o.Members, isMember(key))
			if n < 0 {
				return nil, nil
			}
			v = o.Members[n].Value
		}
	}
	o := v.Value.(*hujson.Object)
	for _, m := range o.Members {
		values, _ := jsonNatural(m.Value).(map[string]any)
		all = append(all, foundServer{jsonText(m.Name), values, jsonTwice(m.Value)})
	}
	return all, nil
}

// jsonTwice returns the keys that an object has more than once.
func jsonTwice(v hujson.Value) (keys []string) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	seen := make(map[string]int, len(o.Members))
	for _, m := range o.Members {
		key := jsonText(m.Name)
		if seen[key]++; seen[key] == 2 {
			keys = append(keys, key)
		}
	}
	return keys
}

// member returns the index of the member of a key, -1 where there is none.
func (d *jsonDocument) member(o *hujson.Object, key string) (int, error) {
	i := slices.IndexFunc(o.Members, isMember(key))
	if again := slices.IndexFunc(o.Members[i+1:], isMember(key)); i >= 0 && again >= 0 {
		return 0, refuseAt(d.text, o.Members[i+1+again].Name.StartOffset, "the key %q is there twice", key)
	}
	return i, nil
}

// editJSON returns a text of JSON with the entry in it, or without the server where that is nil.
func editJSON(text string, at entryPlace, entry entryFields) (string, error) {
	d, err := parseJSON(text, at)
	if err != nil {
		return "", err
	}
	before := jsonNatural(d.top)
	if entry == nil {
		err = d.remove()
	} else {
		whole := entryFields{{at.Name, entry}}
		for i := len(at.Path) - 1; i >= 0; i-- {
			whole = entryFields{{at.Path[i], whole}}
		}
		err = d.set(d.top, whole, len(at.Path)+1)
	}
	if err != nil {
		return "", err
	}
	text = strings.TrimSuffix(string(d.top.Pack()), "\n")
	after, err := parseJSON(text, at)
	if err != nil || !sameBeside(before, jsonNatural(after.top), at, entry) {
		return "", refuseChange()
	}
	return text, nil
}

// set sets the fields of an object. Down to so many levels the fields are the way to the
// entry, and must be objects or null.
func (d *jsonDocument) set(v hujson.Value, fields entryFields, way int) error {
	o := v.Value.(*hujson.Object)
	var missing entryFields
	for _, f := range fields {
		i, err := d.member(o, f.Key)
		if err != nil {
			return err
		}
		if i < 0 {
			missing = append(missing, f)
			continue
		}
		old := o.Members[i].Value
		sub, isEntry := f.Value.(entryFields)
		switch kind := old.Value.Kind(); {
		case isEntry && kind == '{':
			if err := d.set(old, sub, way-1); err != nil {
				return err
			}
		case way > 0 && kind != 'n':
			return refuseAt(d.text, old.StartOffset, "an object is expected there")
		case way > 0 || !says(jsonNatural(old), f):
			o.Members[i].Value.Value = d.style.value(f.Value, indentAt(d.text, old.StartOffset))
		}
	}
	if len(missing) > 0 {
		d.add(v, missing)
	}
	return nil
}

// add adds fields to an object, behind its members and the comments there.
func (d *jsonDocument) add(v hujson.Value, fields entryFields) {
	o := v.Value.(*hujson.Object)
	comments := strings.TrimRight(string(o.AfterExtra), " \t\r\n")
	after, base, style := string(o.AfterExtra[len(comments):]), indentAt(d.text, v.StartOffset), d.style
	indent, trailingComma, ends := base+style.unit, false, true // whether a line end follows them
	if n := len(o.Members); n > 0 {
		last := o.Members[n-1]
		indent, trailingComma = indentAt(d.text, last.Name.StartOffset), last.Value.AfterExtra != nil
		style.lines = style.lines && (comments != "" || bytes.Contains(last.Name.BeforeExtra, []byte("\n")))
		ends = comments != "" && !trailingComma
	} else if line := comments[strings.LastIndexByte(comments, '\n')+1:]; line != comments {
		indent = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	} else if comments == "" {
		after = ""
	}
	gap := style.gap()
	if style.lines {
		gap = style.newline + indent
	} else if len(o.Members) == 0 && comments == "" {
		gap = ""
	}
	for _, f := range fields {
		o.Members = append(o.Members, hujson.ObjectMember{
			Name:  hujson.Value{BeforeExtra: hujson.Extra(comments + gap), Value: hujson.Literal(quoted(f.Key))},
			Value: hujson.Value{BeforeExtra: hujson.Extra(style.gap()), Value: style.value(f.Value, indent)},
		})
		comments = ""
		if !style.lines {
			gap = style.gap()
		}
	}
	if style.lines && ends && !strings.Contains(after, "\n") {
		after += style.newline + base
	}
	if trailingComma {
		o.Members[len(o.Members)-1].Value.AfterExtra = hujson.Extra{}
	}
	o.AfterExtra = hujson.Extra(after)
}

// remove takes the server out of the tree.
func (d *jsonDocument) remove() error {
	var from *hujson.Object
	var at int
	v := d.top
	for i, key := range append(slices.Clone(d.at.Path), d.at.Name) {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			if v.Value.Kind() == 'n' {
				return nil
			}
			return refuseAt(d.text, v.StartOffset, "an object is expected there")
		}
		n, err := d.member(o, key)
		if err != nil || n < 0 {
			return err
		}
		// An object that has nothing but what is taken out goes with it.
		if i == 0 || len(o.Members) > 1 || hasComment(o) {
			from, at = o, n
		}
		v = o.Members[n].Value
	}
	cut(from, at)
	return nil
}

// hasComment reports whether an object of one member has a comment outside of it.
func hasComment(o *hujson.Object) bool {
	m := o.Members[0]
	return slices.ContainsFunc([]hujson.Extra{o.AfterExtra, m.Name.BeforeExtra, m.Value.AfterExtra}, func(e hujson.Extra) bool { return !e.IsStandard() })
}

// cut takes a member out of an object. The comments before it stay.
func cut(o *hujson.Object, i int) {
	if len(o.Members) == 1 && !hasComment(o) {
		o.Members, o.AfterExtra = nil, nil
		return
	}
	m := o.Members[i]
	last, trailingComma := i == len(o.Members)-1, m.Value.AfterExtra != nil
	next := &o.AfterExtra
	if !last {
		next = &o.Members[i+1].Name.BeforeExtra
	}
	rest := strings.TrimLeft(string(*next), " \t")
	before := strings.TrimRight(string(m.Name.BeforeExtra), " \t\r\n")
	lastLine := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.Contains(lastLine, "//") && !strings.HasPrefix(rest, "\n") && !strings.HasPrefix(rest, "\r\n") {
		before = string(m.Name.BeforeExtra) // what follows must not become part of a comment
	}
	if i == 0 && len(m.Name.BeforeExtra) == 0 {
		*next = hujson.Extra(rest)
	}
	if last && i > 0 {
		previous := &o.Members[i-1].Value
		switch {
		case trailingComma && previous.AfterExtra == nil:
			previous.AfterExtra = hujson.Extra{}
		case !trailingComma: // nor is there a comma behind the one before
			before, previous.AfterExtra = string(previous.AfterExtra)+before, nil
		}
	}
	*next = append(hujson.Extra(before), *next...)
	o.Members = slices.Delete(o.Members, i, i+1)
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

// text returns the text of a value that begins on a line with an indentation.
func (s jsonStyle) text(v any, indent string) string {
	var parts []string
	between := "," + s.gap()
	switch v := v.(type) {
	case string:
		return quoted(v)
	case []string:
		for _, each := range v {
			parts = append(parts, quoted(each))
		}
		return "[" + strings.Join(parts, between) + "]"
	case entryFields:
		begin, end := "", ""
		if s.lines && len(v) > 0 {
			begin, end = s.newline+indent+s.unit, s.newline+indent
			between = "," + begin
		}
		for _, f := range v {
			parts = append(parts, quoted(f.Key)+":"+s.gap()+s.text(f.Value, indent+s.unit))
		}
		return "{" + begin + strings.Join(parts, between) + end + "}"
	}
	return fmt.Sprint(v)
}

// value returns the tree of a value that begins on a line with an indentation.
func (s jsonStyle) value(v any, indent string) hujson.ValueTrimmed {
	parsed, _ := hujson.Parse([]byte(s.text(v, indent))) // it is JSON
	return parsed.Value
}

// quoted returns a string of JSON.
func quoted(s string) string { return string(rawjson.Encode(s)) }
