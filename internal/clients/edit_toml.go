package clients

import (
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlDocument is a document of TOML: what go-toml decodes, and where the statements stand
// that its parser finds.
type tomlDocument struct {
	text     string
	at       entryPlace
	whole    value
	sections []tomlSection
}

// tomlSection is a header with the pairs below it. The first section has no header.
type tomlSection struct {
	tomlStatement
	pairs []tomlStatement
}

func parseTOML(text string, at entryPlace) (*tomlDocument, error) {
	statements, err := scanTOML(text)
	if err != nil {
		return nil, err
	}
	var decoded map[string]any
	if err := toml.Unmarshal([]byte(text), &decoded); err != nil {
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			line, column := syntax.Position()
			return nil, refuseAt(text, offsetOf(text, line, column), "it is not valid TOML")
		}
		return nil, refuse("it is not valid TOML")
	}
	d := &tomlDocument{text: text, at: at, sections: []tomlSection{{}}}
	for _, s := range statements {
		if s.header {
			d.sections = append(d.sections, tomlSection{tomlStatement: s})
			continue
		}
		last := &d.sections[len(d.sections)-1]
		last.pairs = append(last.pairs, s)
	}
	d.whole = tomlValueOf(decoded)
	d.sortServers()
	return d, nil
}

// offsetOf returns the index of a byte whose line and column count from 1.
func offsetOf(text string, line, column int) int {
	at := 0
	for ; line > 1 && at < len(text); line-- {
		at = lineEnd(text, at)
	}
	return min(at+max(column-1, 0), len(text))
}

// sortServers brings the servers into the order in which they occur first in the text.
func (d *tomlDocument) sortServers() {
	holder := d.whole
	for _, key := range d.at.Path {
		holder = asObject(holder).get(key)
	}
	order := map[string]int{}
	var note func(prefix []string, all []tomlStatement)
	note = func(prefix []string, all []tomlStatement) {
		for _, s := range all {
			path := slices.Concat(prefix, s.key)
			n := len(d.at.Path)
			if !slices.Equal(path[:min(n, len(path))], d.at.Path[:min(n, len(path))]) {
				continue
			}
			if len(path) <= n {
				note(path, s.value.pairs)
			} else if _, known := order[path[n]]; !known {
				order[path[n]] = s.start
			}
		}
	}
	for _, s := range d.sections {
		note(nil, []tomlStatement{s.tomlStatement})
		note(s.key, s.pairs)
	}
	slices.SortStableFunc(asObject(holder), func(a, b member) int { return order[a.key] - order[b.key] })
}

func (d *tomlDocument) root() value { return d.whole }

// entry returns the server, the path of its table, and the sections that define it;
// those of the table itself come first. A missing server is null.
func (d *tomlDocument) entry() (server value, path []string, sections []tomlSection, err error) {
	holder := d.whole
	for i, key := range d.at.Path {
		o, ok := holder.(object)
		if !ok && holder != null {
			return nil, nil, nil, refuse("%s is no table", pathName(d.at.Path[:i]))
		}
		holder = o.get(key)
	}
	if !holds(holder, d.at) {
		return nil, nil, nil, refuse("%s can't hold servers", pathName(d.at.Path))
	}
	if d.at.List {
		return d.listed(holder)
	}
	path = append(slices.Clone(d.at.Path), d.at.Name)
	for _, s := range d.sections[1:] {
		if len(s.key) >= len(path) && slices.Equal(s.key[:len(path)], path) {
			sections = append(sections, s)
		}
	}
	return asObject(holder).get(d.at.Name), path, sections, nil
}

// listed is entry for an array of tables.
func (d *tomlDocument) listed(holder value) (server value, path []string, sections []tomlSection, err error) {
	all, _ := holder.(list)
	n := -1
	for i, v := range all {
		if asObject(v).get("name") != text(d.at.Name) {
			continue
		}
		if n >= 0 {
			return nil, nil, nil, refuse("there are two servers of the name %q", d.at.Name)
		}
		n = i
	}
	count := -1
	for _, s := range d.sections[1:] {
		if s.array && slices.Equal(s.key, d.at.Path) {
			count++
		}
		if n >= 0 && count == n && len(s.key) >= len(d.at.Path) && slices.Equal(s.key[:len(d.at.Path)], d.at.Path) {
			sections = append(sections, s)
		}
	}
	if count+1 != len(all) {
		return nil, nil, nil, refuse("%s is a list in brackets", pathName(d.at.Path))
	}
	if n < 0 {
		return null, d.at.Path, nil, nil
	}
	return all[n], d.at.Path, sections, nil
}

func (d *tomlDocument) put(entry entryFields) ([]splice, error) {
	server, path, sections, err := d.entry()
	if err != nil {
		return nil, err
	}
	if d.at.List {
		entry = listed(d.at, entry)
	}
	if server != null {
		if _, ok := server.(object); !ok {
			return nil, refuse("%s is no table", pathName(path))
		}
		return d.set(server.(object), path, path, sections, entry)
	}
	return append(d.dropEmptyList(), d.addSection(path, d.at.List, entry)), nil
}

// set sets the fields of a table. home is the path of the server, whose sections are
// given.
func (d *tomlDocument) set(o object, path, home []string, sections []tomlSection, fields entryFields) ([]splice, error) {
	var edits []splice
	var missing entryFields
	for _, f := range fields {
		i := o.index(f.Key)
		if i < 0 {
			missing = append(missing, f)
			continue
		}
		if settled(o[i].value, f) {
			continue
		}
		sub, isEntry := f.Value.(entryFields)
		if old, ok := o[i].value.(object); ok && isEntry {
			more, err := d.set(old, append(slices.Clone(path), f.Key), home, sections, sub)
			if err != nil {
				return nil, err
			}
			edits = append(edits, more...)
			continue
		}
		v := d.find(sections, append(slices.Clone(path), f.Key))
		if v == nil {
			return nil, refuse("%q is a table of its own", f.Key)
		}
		edits = append(edits, splice{v.start, v.end, tomlText(f.Value)})
	}
	if len(missing) == 0 {
		return edits, nil
	}
	added, err := d.add(path, sections, missing)
	return append(edits, added), err
}

// find returns where the value of a key stands: in the sections of the server, or where
// one of the others has it with a dotted key or in an inline table. It is nil where it
// stands nowhere as a whole.
func (d *tomlDocument) find(sections []tomlSection, path []string) *tomlValue {
	if !d.at.List {
		sections = d.sections
	}
	for _, s := range sections {
		if v := findPair(s.key, s.pairs, path); v != nil {
			return v
		}
	}
	return nil
}

func findPair(prefix []string, pairs []tomlStatement, path []string) *tomlValue {
	for _, p := range pairs {
		full := slices.Concat(prefix, p.key)
		if len(full) > len(path) || !slices.Equal(full, path[:len(full)]) {
			continue
		}
		if len(full) == len(path) {
			return &p.value
		}
		if v := findPair(full, p.value.pairs, path); v != nil {
			return v
		}
	}
	return nil
}

// add adds pairs to a table that is there.
func (d *tomlDocument) add(path []string, sections []tomlSection, fields entryFields) (splice, error) {
	for _, s := range sections {
		if !slices.Equal(s.key, path) {
			continue
		}
		end, indent := s.end, indentAt(d.text, s.start)
		if n := len(s.pairs); n > 0 {
			end, indent = s.pairs[n-1].end, indentAt(d.text, s.pairs[n-1].start)
		}
		end = contentEnd(d.text, end)
		newline := newlineOf(d.text) + indent
		return splice{end, end, newline + strings.Join(tomlPairs(fields), newline)}, nil
	}
	if v := d.find(sections, path); v != nil {
		if !v.inline {
			return splice{}, refuse("%s is no table", pathName(path))
		}
		text := strings.Join(tomlPairs(fields), ", ")
		if n := len(v.pairs); n > 0 {
			return splice{v.pairs[n-1].end, v.pairs[n-1].end, ", " + text}, nil
		}
		return splice{v.start, v.end, "{ " + text + " }"}, nil
	}
	return d.addSection(path, false, fields), nil
}

// addSection adds a table, behind the last one of the servers or else at the end.
func (d *tomlDocument) addSection(path []string, array bool, fields entryFields) splice {
	newline := newlineOf(d.text)
	header := tomlHeader(path, array)
	lines := strings.Join(append([]string{header}, tomlPairs(fields)...), newline)
	at := len(strings.TrimRight(d.text, " \t\r\n"))
	if at == 0 {
		return splice{0, 0, lines + newline}
	}
	at = contentEnd(d.text, at)
	for i, s := range d.sections {
		if i == 0 || i == len(d.sections)-1 || len(s.key) <= len(d.at.Path)-1 || !slices.Equal(s.key[:len(d.at.Path)], d.at.Path) || len(d.at.Path) == 0 {
			continue
		}
		at = d.sectionEnd(s)
		if comments := d.commentsBehind(at); comments > at {
			at = comments
		}
	}
	return splice{at, at, newline + newline + lines}
}

// dropEmptyList returns the edits that take out the list of servers where it is written as
// an empty one, which can't be a list of tables as well.
func (d *tomlDocument) dropEmptyList() []splice {
	v := d.find(d.sections, d.at.Path)
	if !d.at.List || v == nil {
		return nil
	}
	start, end := lineStart(d.text, v.start), lineEnd(d.text, v.end)
	if strings.TrimSpace(d.text[v.end:end]) != "" {
		end = v.end
	}
	return []splice{{start, end, ""}}
}

// sectionEnd returns the end of the last line of a section, without its line end.
func (d *tomlDocument) sectionEnd(s tomlSection) int {
	if n := len(s.pairs); n > 0 {
		return contentEnd(d.text, s.pairs[n-1].end)
	}
	return contentEnd(d.text, s.end)
}

// commentsBehind returns the end of the lines of comments that follow the end of a line,
// if a blank line follows them.
func (d *tomlDocument) commentsBehind(at int) int {
	for next := lineEnd(d.text, at); next < len(d.text); next = lineEnd(d.text, next) {
		line := strings.TrimSpace(d.text[next:lineEnd(d.text, next)])
		if line == "" {
			return at
		}
		if line[0] != '#' {
			break
		}
		at = contentEnd(d.text, next)
	}
	return -1
}

func (d *tomlDocument) remove() ([]splice, error) {
	server, path, sections, err := d.entry()
	if err != nil || server == null {
		return nil, err
	}
	var edits []splice
	for _, s := range sections {
		start, end := lineStart(d.text, s.start), d.sectionEnd(s)
		if start == 0 {
			end = lineEnd(d.text, end)
			edits = append(edits, splice{0, len(d.text) - len(strings.TrimLeft(d.text[end:], "\r\n")), ""})
			continue
		}
		for range 2 { // the line end before it, and the one of a blank line
			if before, ok := strings.CutSuffix(d.text[:start], "\n"); ok {
				start = len(strings.TrimSuffix(before, "\r"))
			}
		}
		edits = append(edits, splice{start, end, ""})
	}
	if !d.at.List {
		edits = append(edits, d.removePairs(path)...)
	}
	return edits, nil
}

// removePairs returns the edits that take out the lines that define a server with
// dotted keys or as an inline table.
func (d *tomlDocument) removePairs(path []string) []splice {
	var edits []splice
	for _, s := range d.sections {
		if len(s.key) >= len(path) {
			continue
		}
		for _, p := range s.pairs {
			full := slices.Concat(s.key, p.key)
			if len(full) >= len(path) && slices.Equal(full[:len(path)], path) {
				edits = append(edits, splice{lineStart(d.text, p.start), lineEnd(d.text, p.end), ""})
			}
		}
	}
	return edits
}
