package clients

import (
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxStatements is the number of statements that a TOML document may have: go-toml takes
// a time that grows with the square of the number of tables.
const maxStatements = 10000

// tomlStatement is a header of a table, or a key with its value. The pairs of inline
// tables are statements too.
type tomlStatement struct {
	header     bool
	array      bool // of a header: whether it is one of an array of tables
	key        []string
	start, end int // of the statement, without a comment behind it
	value      tomlValue
}

// tomlValue is where the value of a pair stands.
type tomlValue struct {
	start, end int
	inline     bool            // whether it is an inline table
	pairs      []tomlStatement // of an inline table
}

// scanTOML returns where the statements of a TOML text stand, up to one that is not valid.
func scanTOML(text string) ([]tomlStatement, error) {
	var parser unstable.Parser
	parser.Reset(slices.Clip([]byte(text)))
	var all []tomlStatement
	for parser.NextExpression() {
		node := parser.Expression()
		if tomlDeeperThan(node, maxDepth) {
			return nil, refuseAt(text, tomlKeyEnd(node), "tables and lists are more than %d levels deep", maxDepth)
		}
		statement := tomlStatementOf(text, node)
		if len(all) == maxStatements {
			return nil, refuseAt(text, statement.start, "there are more than %d keys and tables", maxStatements)
		}
		all = append(all, statement)
	}
	return all, nil
}

// tomlDeeperThan reports whether a node has keys of more parts, or values on more levels.
func tomlDeeperThan(node *unstable.Node, most int) bool {
	parts := 0
	for child := node.Child(); child != nil; child = child.Next() {
		left := most - 1
		switch child.Kind {
		case unstable.Key:
			parts++
			continue
		case unstable.KeyValue: // its value is on the next level
			left = most
		}
		if left < 0 || tomlDeeperThan(child, left) {
			return true
		}
	}
	return parts > maxDepth
}

// tomlKeyEnd returns where the key of a statement ends.
func tomlKeyEnd(node *unstable.Node) int {
	end := 0
	for keys := node.Key(); keys.Next(); {
		raw := keys.Node().Raw
		end = int(raw.Offset + raw.Length)
	}
	return end
}

func tomlStatementOf(text string, node *unstable.Node) tomlStatement {
	s := tomlStatement{header: node.Kind != unstable.KeyValue, array: node.Kind == unstable.ArrayTable}
	for keys := node.Key(); keys.Next(); {
		s.key = append(s.key, string(keys.Node().Data))
	}
	at := tomlKeyEnd(node)
	if s.header { // of which the parser tells no range
		s.start = lineStart(text, at)
		s.start += blanks(text[s.start:])
		s.end = at + strings.IndexByte(text[at:], ']') + 1
		if s.array {
			s.end++
		}
		return s
	}
	s.start, s.end = int(node.Raw.Offset), int(node.Raw.Offset+node.Raw.Length)
	at += strings.IndexByte(text[at:], '=') + 1
	s.value = tomlValue{start: at + blanks(text[at:]), end: s.end, inline: node.Value().Kind == unstable.InlineTable}
	if s.value.inline {
		for pairs := node.Value().Children(); pairs.Next(); {
			s.value.pairs = append(s.value.pairs, tomlStatementOf(text, pairs.Node()))
		}
	}
	return s
}

// blanks returns how many blanks a text begins with.
func blanks(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }
