package edit

import "strings"

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

// tomlScanner finds out where the statements of a TOML text stand. It checks no more
// than it needs for that, but always ends.
type tomlScanner struct {
	text  string
	at    int
	fault error
}

func scanTOML(text string) ([]tomlStatement, error) {
	s := &tomlScanner{text: text}
	var all []tomlStatement
	for s.skip(true); s.fault == nil && s.at < len(text); s.skip(true) {
		if len(all) == maxStatements {
			s.fail("there are more than %d keys and tables", maxStatements)
		}
		statement := s.statement(0)
		statement.end = s.at
		all = append(all, statement)
		s.skip(false)
		if s.fault == nil && s.at < len(text) && text[s.at] != '\n' {
			s.fail("the line should end there")
		}
	}
	return all, s.fault
}

func (s *tomlScanner) fail(reason string, args ...any) {
	if s.fault == nil {
		s.fault = refuseAt(s.text, s.at, reason, args...)
	}
}

// skip skips white space and comments, and line ends if it is told so.
func (s *tomlScanner) skip(lines bool) {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == ' ', c == '\t', c == '\r', c == '\n' && lines:
			s.at++
		case c == '#':
			s.at += len(strings.TrimSuffix(s.text[s.at:lineEnd(s.text, s.at)], "\n"))
		default:
			return
		}
	}
}

// take skips a text if it comes next.
func (s *tomlScanner) take(text string) bool {
	if s.fault != nil || !strings.HasPrefix(s.text[s.at:], text) {
		return false
	}
	s.at += len(text)
	return true
}

func (s *tomlScanner) expect(text string) {
	if !s.take(text) {
		s.fail("%q is expected there", text)
	}
}

func (s *tomlScanner) statement(depth int) tomlStatement {
	statement := tomlStatement{start: s.at}
	switch {
	case depth == 0 && s.take("[["):
		statement.header, statement.array = true, true
		statement.key = s.key()
		s.expect("]]")
	case depth == 0 && s.take("["):
		statement.header = true
		statement.key = s.key()
		s.expect("]")
	default:
		statement.key = s.key()
		s.expect("=")
		s.skip(false)
		statement.value = s.value(depth + 1)
	}
	return statement
}

func (s *tomlScanner) key() []string {
	var parts []string
	for s.fault == nil {
		s.blanks()
		start := s.at
		switch {
		case s.at < len(s.text) && (s.text[s.at] == '"' || s.text[s.at] == '\''):
			s.quoted(s.text[s.at : s.at+1])
			parts = append(parts, tomlUnquote(s.text[start:s.at]))
		default:
			for s.at < len(s.text) && isBareTOML(s.text[s.at]) {
				s.at++
			}
			if s.at == start {
				s.fail("a key is expected there")
			}
			parts = append(parts, s.text[start:s.at])
		}
		s.blanks()
		if len(parts) > maxDepth {
			s.fail("tables are more than %d levels deep", maxDepth)
		}
		if !s.take(".") {
			break
		}
	}
	return parts
}

func (s *tomlScanner) blanks() {
	s.at += len(s.text[s.at:]) - len(strings.TrimLeft(s.text[s.at:], " \t"))
}

func (s *tomlScanner) value(depth int) tomlValue {
	v := tomlValue{start: s.at}
	if depth > maxDepth {
		s.fail("tables and lists are more than %d levels deep", maxDepth)
		return v
	}
	rest := s.text[s.at:]
	switch {
	case s.fault != nil || rest == "":
		s.fail("a value is expected there")
	case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, `'''`):
		s.quoted(rest[:3])
	case rest[0] == '"', rest[0] == '\'':
		s.quoted(rest[:1])
	case s.take("["):
		for s.skip(true); s.fault == nil && !s.take("]"); s.skip(true) {
			s.value(depth + 1)
			if s.skip(true); !s.take(",") && !strings.HasPrefix(s.text[s.at:], "]") {
				s.fail("a comma is expected there")
			}
		}
	case s.take("{"):
		v.inline = true
		for s.skip(true); s.fault == nil && !s.take("}"); s.skip(true) {
			pair := s.statement(depth)
			pair.end = s.at
			v.pairs = append(v.pairs, pair)
			if s.skip(true); !s.take(",") && !strings.HasPrefix(s.text[s.at:], "}") {
				s.fail("a comma is expected there")
			}
		}
	default:
		n := strings.IndexAny(rest, ",]}#\r\n")
		if n < 0 {
			n = len(rest)
		}
		if n = len(strings.TrimRight(rest[:n], " \t")); n == 0 {
			s.fail("a value is expected there")
		}
		s.at += n
	}
	v.end = s.at
	return v
}

// quoted skips a string between quotes of one kind.
func (s *tomlScanner) quoted(quote string) {
	for s.at += len(quote); s.at < len(s.text); s.at++ {
		switch rest := s.text[s.at:]; {
		case strings.HasPrefix(rest, quote):
			s.at += len(quote)
			// Up to two quotes may stand before the three that end a string.
			for more := 0; len(quote) == 3 && more < 2 && s.take(quote[:1]); more++ {
			}
			return
		case rest[0] == '\\' && quote[0] == '"':
			s.at++
		case rest[0] == '\n' && len(quote) == 1:
			s.fail("the string has no end")
			return
		}
	}
	s.at = len(s.text)
	s.fail("the string has no end")
}

func isBareTOML(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
