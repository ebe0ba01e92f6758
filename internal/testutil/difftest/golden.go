package difftest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// Golden is what DataScript answers to a case.
type Golden struct {
	Case   string // Case.Hash, so that a stale file is noticed
	Failed bool   // DataScript gave an error
	Answer string // hash of the canonical answer
	Rows   int
}

// GoldenOf makes a golden from DataScript's answer; an empty one is an error.
func GoldenOf(c Case, answer []byte) (Golden, error) {
	g := Golden{Case: c.Hash(), Failed: len(answer) == 0}
	if g.Failed {
		return g, nil
	}
	text, err := Canonical(answer)
	if err != nil {
		return g, err
	}
	g.Answer = hash(text)
	if text != "" {
		g.Rows = strings.Count(text, "\n") + 1
	}
	return g, nil
}

// WriteGoldens writes a file of goldens.
func WriteGoldens(w io.Writer, goldens []Golden) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, g := range goldens {
		if g.Failed {
			g.Answer = "error"
		}
		if _, err := fmt.Fprintln(z, g.Case, g.Answer, g.Rows); err != nil {
			return err
		}
	}
	return z.Close()
}

// ReadGoldens reads a file of goldens.
func ReadGoldens(r io.Reader) ([]Golden, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	var out []Golden
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		var g Golden
		if _, err := fmt.Sscan(lines.Text(), &g.Case, &g.Answer, &g.Rows); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(out)+1, err)
		}
		g.Failed = g.Answer == "error"
		out = append(out, g)
	}
	return out, lines.Err()
}

// WriteOracleInput writes a graph and cases as oracle.mjs reads them.
func WriteOracleInput(w io.Writer, in *graphdb.Schema, datoms []graphdb.Datom, cases []Case) error {
	schema, indexed := oracleSchema(in)
	graph := struct {
		Schema  string         `json:"schema"`
		Indexed []graphdb.Attr `json:"indexed"`
		Datoms  [][]any        `json:"datoms"`
	}{Schema: schema, Indexed: indexed}
	for _, d := range datoms {
		graph.Datoms = append(graph.Datoms, []any{d.E, d.A, oracleValue(d.V)})
	}
	out := json.NewEncoder(w)
	if err := out.Encode(graph); err != nil {
		return err
	}
	for _, c := range cases {
		if err := out.Encode(c); err != nil {
			return err
		}
	}
	return nil
}

func oracleSchema(in *graphdb.Schema) (schema string, indexed []graphdb.Attr) {
	var b strings.Builder
	b.WriteString("{")
	for a, def := range in.All() {
		if def.Kind != graphdb.KindRef && def.Unique == graphdb.NotUnique {
			continue
		}
		indexed = append(indexed, a)
		fmt.Fprintf(&b, "%s {", a)
		if def.Kind == graphdb.KindRef {
			b.WriteString(":db/valueType :db.type/ref ")
		}
		if def.Many {
			b.WriteString(":db/cardinality :db.cardinality/many ")
		}
		if def.Component {
			b.WriteString(":db/isComponent true ")
		}
		switch def.Unique {
		case graphdb.Identity:
			b.WriteString(":db/unique :db.unique/identity")
		case graphdb.UniqueValue:
			b.WriteString(":db/unique :db.unique/value")
		}
		b.WriteString("} ")
	}
	b.WriteString("}")
	return b.String(), indexed
}

func oracleValue(v graphdb.Value) any {
	switch v.Kind() {
	case graphdb.KindKeyword:
		return map[string]string{"kw": v.Text()}
	case graphdb.KindOpaque:
		return map[string]string{"edn": v.Text()}
	}
	return v.Any()
}
