package ops

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/internal/rawjson"
)

// OrderBy is one column that rows are sorted by.
type OrderBy struct {
	Column     int    // from 1; 0: Key
	Key        string // of rows that are maps
	Descending bool
}

// Columns are what a query finds: the elements of :find, such as "?title" and
// "(count ?b)", and the names in :keys, if it has them. Collection reports that
// each row is one value, as with [?x ...].
type Columns struct {
	Elements, Keys []string
	Collection     bool
}

// ColumnsOf reads the columns of a query without checking the query: of one that is
// not well formed it returns something, or nothing.
func ColumnsOf(query string) Columns {
	inMap := strings.HasPrefix(strings.TrimSpace(query), "{")
	section := func(name string) []string {
		for at := range query {
			if rest, ok := strings.CutPrefix(query[at:], name); ok && rest != "" && strings.ContainsRune(" \t\r\n,[(", rune(rest[0])) {
				found := forms(rest)
				if inMap && len(found) > 0 {
					found = forms(within(found[0]))
				}
				return found
			}
		}
		return nil
	}
	columns := Columns{Elements: section(":find"), Keys: section(":keys")}
	if len(columns.Keys) == 0 {
		columns.Keys = section(":strs")
	}
	if len(columns.Elements) == 1 && strings.HasPrefix(columns.Elements[0], "[") {
		columns.Collection = true
		columns.Elements = forms(within(columns.Elements[0]))[:1:1]
	}
	return columns
}

// within returns what stands in the brackets of a form.
func within(form string) string {
	if len(form) < 2 {
		return " "
	}
	return form[1 : len(form)-1]
}

// forms returns the forms at the start of EDN text, up to a keyword or a bracket
// that closes; at least one, which may be empty.
func forms(text string) []string {
	var found []string
	for {
		text = strings.TrimLeft(text, " \t\r\n,")
		if text == "" || strings.ContainsRune(":])}", rune(text[0])) {
			break
		}
		n := formLength(text)
		found = append(found, text[:n])
		text = text[n:]
	}
	if found == nil {
		return []string{""}
	}
	return found
}

// formLength returns how many bytes the form has that a text begins with.
func formLength(text string) int {
	depth := 0
	for at := 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case strings.ContainsRune("[({", rune(c)):
			depth++
		case strings.ContainsRune("])}", rune(c)):
			if depth--; depth == 0 {
				return at + 1
			}
			if depth < 0 {
				return at
			}
		case depth == 0 && strings.ContainsRune(" \t\r\n,", rune(c)):
			return at
		}
	}
	return len(text)
}

// ParseOrder reads a list such as "2 desc, ?title": columns by their number from 1,
// their element of :find, or their name in :keys, each with asc or desc. Where a
// query pulls, a key of the pulled map is a name, too. Its error says what is wanted.
func (c Columns) ParseOrder(text string) ([]OrderBy, error) {
	var order []OrderBy
	for each := range strings.SplitSeq(text, ",") {
		name := strings.TrimSpace(each)
		var by OrderBy
		if fields := strings.Fields(name); len(fields) > 1 {
			switch strings.ToLower(fields[len(fields)-1]) {
			case "desc":
				by.Descending = true
				fallthrough
			case "asc":
				name = strings.Join(fields[:len(fields)-1], " ")
			}
		}
		var ok bool
		if by.Column, ok = c.find(name); !ok {
			by.Key = name
			if !slices.ContainsFunc(c.Elements, func(e string) bool { return strings.HasPrefix(e, "(pull") }) || name == "" {
				return nil, fmt.Errorf("a column of :find by number or name (%s), with asc or desc: 2 desc, 1", strings.Join(append(slices.Clone(c.Elements), c.Keys...), ", "))
			}
		}
		order = append(order, by)
	}
	return order, nil
}

// find returns the number of a column, from 1.
func (c Columns) find(name string) (int, bool) {
	if n, err := strconv.Atoi(name); err == nil {
		return n, n > 0 && n <= len(c.Elements)
	}
	same := func(known string) bool {
		return strings.Join(strings.Fields(known), " ") == name || known == "?"+name || known == strings.TrimPrefix(name, ":")
	}
	if i := slices.IndexFunc(c.Keys, same); i >= 0 {
		return i + 1, i < len(c.Elements)
	}
	i := slices.IndexFunc(c.Elements, same)
	return i + 1, i >= 0
}

// cell returns the value of a row that it is sorted by; null where it has none.
func (c Columns) cell(row json.RawMessage, by OrderBy) json.RawMessage {
	key := by.Key
	if by.Column > 0 && len(c.Keys) >= by.Column {
		key = c.Keys[by.Column-1]
	}
	switch {
	case key != "" && rawjson.IsObject(row):
		return rawjson.Parse(row).Get(strings.TrimPrefix(key, ":"))
	case c.Collection:
		return row
	}
	cells := rawjson.Elements(row)
	if key != "" { // a key of the map that the row begins with
		for _, cell := range cells {
			if rawjson.IsObject(cell) {
				return rawjson.Parse(cell).Get(key)
			}
		}
		return nil
	}
	if by.Column > len(cells) {
		return nil
	}
	return cells[by.Column-1]
}

// Sorted returns the rows in an order that is the same each time: by those columns,
// and where they are equal by the text of the row.
func (f Found) Sorted(order []OrderBy) []json.RawMessage {
	type sortable struct {
		row   json.RawMessage
		cells []cell
	}
	rows := make([]sortable, len(f.Rows))
	for i, row := range f.Rows {
		rows[i].row = row
		for _, by := range order {
			rows[i].cells = append(rows[i].cells, newCell(f.Columns.cell(row, by)))
		}
	}
	slices.SortFunc(rows, func(a, b sortable) int {
		for i, by := range order {
			if n := a.cells[i].compare(b.cells[i]); n != 0 && by.Descending {
				return -n
			} else if n != 0 {
				return n
			}
		}
		return bytes.Compare(a.row, b.row)
	})
	sorted := make([]json.RawMessage, len(rows))
	for i, each := range rows {
		sorted[i] = each.row
	}
	return sorted
}

// cell is a JSON value that can be compared: nothing, numbers, texts without
// regard to case, and all other by its JSON.
type cell struct {
	kind   int
	number float64
	folded string
	text   string
}

func newCell(value json.RawMessage) cell {
	var number float64
	var text string
	switch {
	case len(value) == 0 || string(value) == "null":
		return cell{}
	case json.Unmarshal(value, &number) == nil:
		return cell{kind: 1, number: number}
	case json.Unmarshal(value, &text) == nil:
		return cell{kind: 2, folded: strings.ToLower(text), text: text}
	}
	return cell{kind: 3, text: string(value)}
}

func (a cell) compare(b cell) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number), cmp.Compare(a.folded, b.folded), cmp.Compare(a.text, b.text))
}
