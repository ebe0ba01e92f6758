package kit

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// columnGap is the space between two columns, in cells.
const columnGap = 2

// Column is a column of a Table.
type Column struct {
	Head string
	// Min and Max bound the width, 0: by the widest cell alone. With Min the column is there
	// also without any text.
	Min, Max int
	// Narrow is what the column is narrowed to where there is little room; 0: it keeps its
	// width.
	Narrow int
	// Drops says in which order columns are left out where even that is too wide: the highest
	// first. 0: never.
	Drops  int
	Grows  bool // takes the room that is left
	Right  bool // has its cells on the right
	TheEnd bool // of cells that are too wide the end is shown
}

// Table lays out texts in columns that are as wide as their widest cells, as far as there is
// room. A column without any text is left out.
type Table struct {
	columns []Column
	widest  []int // of the cells
}

// NewTable returns a table without rows.
func NewTable(columns ...Column) Table { return Table{columns, make([]int, len(columns))} }

// Measure makes room for the cells of a row. They may be styled.
func (t *Table) Measure(cells ...string) {
	for i, cell := range cells {
		t.widest[i] = max(t.widest[i], ansi.StringWidth(cell))
	}
}

// MeasureJoined makes room for a cell that spans the first two columns.
func (t *Table) MeasureJoined(cell string) {
	first := max(t.widest[0], ansi.StringWidth(t.columns[0].Head))
	t.widest[1] = max(t.widest[1], ansi.StringWidth(cell)-columnGap-first)
}

// Copy returns a copy of the table.
func (t Table) Copy() Table { return Table{slices.Clone(t.columns), slices.Clone(t.widest)} }

// Drop leaves a column out, for which there are cells all the same.
func (t *Table) Drop(column int) { t.columns[column], t.widest[column] = Column{}, 0 }

// Layout is the columns of a table in a width.
type Layout struct {
	glyphs  Glyphs
	columns []Column
	widths  []int // 0: left out
}

// In returns the layout for a width. The first column to drop goes if the others need not be
// narrowed then; else columns are left out until the others fit once they are narrowed, the
// widest ones first.
func (t Table) In(g Glyphs, width int) Layout {
	l := Layout{g, t.columns, make([]int, len(t.columns))}
	least := make([]int, len(t.columns))
	for i, c := range t.columns {
		if t.widest[i] == 0 && c.Min == 0 {
			continue
		}
		l.widths[i] = min(max(t.widest[i], ansi.StringWidth(c.Head), c.Min), width)
		if c.Max > 0 {
			l.widths[i] = min(l.widths[i], c.Max)
		}
		if least[i] = l.widths[i]; c.Narrow > 0 {
			least[i] = min(least[i], c.Narrow)
		}
	}
	if out := t.firstToDrop(least); out >= 0 && !t.columns[out].Grows {
		if over := total(l.widths) - width; over > 0 && over <= l.widths[out]+columnGap {
			l.widths[out], least[out] = 0, 0
		}
	}
	for total(least) > width {
		out := t.firstToDrop(least)
		if out < 0 {
			break
		}
		l.widths[out], least[out] = 0, 0
	}
	for total(l.widths) > width {
		widest := -1
		for i, w := range l.widths {
			if w > least[i] && (widest < 0 || w > l.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		l.widths[widest]--
	}
	for i, c := range t.columns {
		if c.Grows && l.widths[i] > 0 {
			l.widths[i] += max(width-total(l.widths), 0)
		}
	}
	return l
}

// firstToDrop returns the column that is left out first of those that are there, or -1.
func (t Table) firstToDrop(widths []int) int {
	out := -1
	for i, c := range t.columns {
		if widths[i] > 0 && c.Drops > 0 && (out < 0 || c.Drops > t.columns[out].Drops) {
			out = i
		}
	}
	return out
}

// total returns the width of columns with the gaps between them.
func total(widths []int) int {
	sum := -columnGap
	for _, w := range widths {
		if w > 0 {
			sum += w + columnGap
		}
	}
	return max(sum, 0)
}

// Width returns the width of a column, 0 where it is left out.
func (l Layout) Width(column int) int { return l.widths[column] }

// Join returns the layout with the first two columns as one.
func (l Layout) Join() Layout {
	widths := slices.Clone(l.widths[1:])
	widths[0] += l.widths[0] + columnGap
	return Layout{l.glyphs, l.columns[1:], widths}
}

// Line returns the cells of a row in their columns. They may be styled.
func (l Layout) Line(cells ...string) string {
	var out strings.Builder
	for i, cell := range cells {
		width := l.widths[i]
		if width == 0 {
			continue
		}
		if out.Len() > 0 {
			out.WriteString(strings.Repeat(" ", columnGap))
		}
		if l.columns[i].TheEnd {
			cell = l.glyphs.CutStart(cell, width)
		}
		if l.columns[i].Right {
			cell = strings.Repeat(" ", max(width-ansi.StringWidth(cell), 0)) + cell
		}
		out.WriteString(l.glyphs.Fit(cell, width))
	}
	return out.String()
}

// Rows returns the lines of the rows of a list, of a line each, with these cells.
func (l Look) Rows(layout Layout, width int, cells func(i int) []string) func(i int, selected bool) []string {
	return func(i int, selected bool) []string {
		return []string{l.Row(layout.Line(cells(i)...), width, selected)}
	}
}

// Heads returns the line with the heads of the columns.
func (l Layout) Heads() string {
	heads := make([]string, len(l.columns))
	for i, c := range l.columns {
		heads[i] = c.Head
	}
	return l.Line(heads...)
}

// Lines returns rows as lines, however wide these are.
func (t Table) Lines(g Glyphs, rows [][]string) []string {
	for _, row := range rows {
		t.Measure(row...)
	}
	const anyWidth = 1 << 20
	layout, lines := t.In(g, anyWidth), make([]string, len(rows))
	for i, row := range rows {
		lines[i] = strings.TrimRight(layout.Line(row...), " ")
	}
	return lines
}
