package page

import (
	"fmt"
	"html"
	"strings"
)

// markup is HTML that is written as it is.
type markup string

// format is a piece of a page with a %s for each value. Only a constant of the program
// becomes one without being converted; no text of a graph does.
type format string

// writer writes HTML.
type writer struct{ strings.Builder }

// put writes a piece of a page. Its values are escaped for text and for attributes in
// double quotes, all but markup.
func (w *writer) put(piece format, values ...any) {
	escaped := make([]any, len(values))
	for i, value := range values {
		if _, ok := value.(markup); !ok {
			value = html.EscapeString(fmt.Sprint(value))
		}
		escaped[i] = value
	}
	fmt.Fprintf(w, string(piece), escaped...)
}

// when returns piece if the condition holds, and nothing otherwise.
func when(holds bool, piece markup) markup {
	if holds {
		return piece
	}
	return ""
}
