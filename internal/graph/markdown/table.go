package markdown

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// TableMarker is the text of the block that shows its children as a table: one
// chain of nested blocks per row, one block per cell.
const TableMarker = "{{[[table]]}}"

var tableRule = lazyregexp.New(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*(?:<roam[^<>]*/>)?[ \t]*$`)

// startsTable tells whether the text and the line after it are the head of a
// pipe table.
func (r *reader) startsTable(text string) bool {
	if !strings.Contains(text, "|") || r.at == len(r.lines) {
		return false
	}
	rule := r.lines[r.at]
	return strings.Contains(rule, "|") && tableRule.MatchString(rule) && !bulletLine.MatchString(rule) && len(cells(text)) == len(cells(rule))
}

// table reads the rows after the head, the rule left out.
func (r *reader) table() []line {
	r.at++
	var rows []line
	for r.at < len(r.lines) && strings.Contains(r.lines[r.at], "|") && !bulletLine.MatchString(r.lines[r.at]) {
		rows = append(rows, line{text: strings.TrimSpace(r.lines[r.at])})
		r.at++
	}
	return rows
}

// cells parts a row at its pipes; "\|" is a pipe in a cell, and pipes in code
// part nothing.
func cells(row string) []string {
	row = strings.TrimSpace(withoutTag(row))
	row = strings.TrimPrefix(row, "|")
	code := roamtext.CodeRanges(row)
	var out []string
	start := 0
	for i := range len(row) {
		if row[i] == '|' && (i == 0 || row[i-1] != '\\') && !code.Contain(i) {
			out = append(out, cell(row[start:i]))
			start = i + 1
		}
	}
	if rest := cell(row[start:]); rest != "" || len(out) == 0 {
		out = append(out, rest)
	}
	return out
}

func cell(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), `\|`, "|") }

// maxCells bounds the chain of a row: cells beyond it are left together in the
// last one.
const maxCells = 100

func (r *reader) tableBlock(rows []line) outline.Block {
	table := outline.Block{String: TableMarker}
	for _, row := range rows {
		parts := cells(row.text)
		if withoutTag(row.text) != row.text {
			r.strip(row.text)
		}
		if len(parts) > maxCells {
			parts = append(parts[:maxCells-1], strings.Join(parts[maxCells-1:], " | "))
		}
		var chain []outline.Block
		for _, part := range slices.Backward(parts) {
			chain = []outline.Block{{String: r.readInline(part), Children: chain}}
		}
		table.Children = append(table.Children, chain...)
	}
	return table
}
