package surface

import (
	"fmt"
	"strings"

	"roam-mcp/mcpserve/internal/safetext"
)

const (
	// maxNamedGraphs and maxNamedText bound the graphs that a text names, in number
	// and in bytes.
	maxNamedGraphs = 12
	maxNamedText   = 300
)

// NameGraphs lists nicknames for a sentence: as many as are of use.
func NameGraphs(nicknames []string) string {
	var names []string
	size := 0
	for _, nickname := range nicknames {
		name := safetext.Quote(nickname)
		if size += len(name); len(names) == maxNamedGraphs || size > maxNamedText && len(names) > 0 {
			break
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more := len(nicknames) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
