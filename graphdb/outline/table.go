package outline

import (
	"strings"

	"roam-mcp/graphdb/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// TableMarker is the text of the block that shows its children as a table: one
// chain of nested blocks per row, one block per cell.
const TableMarker = "{{[[table]]}}"

var tableRule = lazyregexp.New(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*(?:<roam[^<>]*/>)?[ \t]*$`)

// startsTable tells whether the text and the line after it are the head of a
// pipe table.
func (p *parser) startsTable(text string) bool {
	return strings.Contains(text, "|") && p.at < len(p.lines) && strings.Contains(p.lines[p.at], "|") &&
		tableRule.MatchString(p.lines[p.at]) && len(cells(text)) == len(cells(p.lines[p.at]))
}

// table reads the rows after the head, the rule left out.
func (p *parser) table() []string {
	p.at++
	var rows []string
	for p.at < len(p.lines) && strings.Contains(p.lines[p.at], "|") && !bulletLine.MatchString(p.lines[p.at]) {
		rows = append(rows, strings.TrimSpace(p.lines[p.at]))
		p.at++
	}
	return rows
}

// cells parts a row at its pipes; "\|" is a pipe in a cell, and pipes in code
// part nothing.
func cells(row string) []string {
	row = strings.TrimSpace(roamTag.ReplaceAllString(row, ""))
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

func tableBlock(rows []string) Block {
	table := Block{String: TableMarker}
	for _, row := range rows {
		parts := cells(row)
		if len(parts) > maxCells {
			parts = append(parts[:maxCells-1], strings.Join(parts[maxCells-1:], " | "))
		}
		var chain []Block
		for i := len(parts) - 1; i >= 0; i-- {
			chain = []Block{{String: roamtext.FromMarkdown(DecodeAnnotations(parts[i])), Children: chain}}
		}
		table.Children = append(table.Children, chain...)
	}
	return table
}
