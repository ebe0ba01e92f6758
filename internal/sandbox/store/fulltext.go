package store

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/graphdb"
)

// fullTextTables index titles and strings by entity: stems finds words in their
// other forms, trigrams finds any part of a text. The text in trigrams is lowered
// before it is stored, since SQLite and Go differ on lower case.
const fullTextTables = `
CREATE VIRTUAL TABLE stems USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='porter unicode61');
CREATE VIRTUAL TABLE trigrams USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
`

const (
	trigram   = 3
	mostTerms = 48 // of a full-text query; more would not narrow it down
	nulByte   = "\x00"
)

// searchableText returns a page's title or a block's string. An imported entity may
// have both.
func searchableText(r graphdb.Reader, e graphdb.EID) string {
	return joinTexts(r.String(e, graphdb.NodeTitle), r.String(e, graphdb.BlockString))
}

func joinTexts(title, text string) string {
	if title == "" || text == "" {
		return title + text
	}
	return title + "\n" + text
}

// writeText updates the index for an entity's text.
func (j *journal) writeText(e graphdb.EID, before, after string) error {
	if before == after {
		return nil
	}
	// SQLite's tokenizers stop at a NUL.
	after = strings.ReplaceAll(after, nulByte, " ")
	for _, table := range [...]struct{ remove, insert, text string }{
		{"DELETE FROM stems WHERE rowid = ?1", "INSERT INTO stems (rowid, text) VALUES (?1, ?2)", after},
		{"DELETE FROM trigrams WHERE rowid = ?1", "INSERT INTO trigrams (rowid, text) VALUES (?1, ?2)", strings.ToLower(after)},
	} {
		if before != "" {
			if err := j.run(table.remove, func(s *sqlite.Stmt) { s.BindInt64(1, int64(e)) }); err != nil {
				return err
			}
		}
		if after == "" {
			continue
		}
		if err := j.run(table.insert, func(s *sqlite.Stmt) {
			s.BindInt64(1, int64(e))
			s.BindText(2, table.text)
		}); err != nil {
			return err
		}
	}
	return nil
}

// Containing returns the newest snapshot and its candidates for pages and blocks
// that contain all the words, which are in lower case: all that do, and maybe
// others. It returns false if reading all texts is the better way: during a write,
// for words that are too short, or if there are more than most candidates.
func (g *Graph) Containing(ctx context.Context, words []string, most int) (*graphdb.DB, []graphdb.EID, bool) {
	var terms []string
	for _, word := range words {
		if strings.Contains(word, nulByte) || !utf8.ValidString(word) {
			return nil, nil, false
		}
		letters := []rune(word)
		for i := 0; i+trigram <= len(letters); i++ {
			terms = append(terms, string(letters[i:i+trigram]))
		}
	}
	return g.match(ctx, "SELECT rowid FROM trigrams WHERE trigrams MATCH ?1 LIMIT ?2", terms, most)
}

// WithStems returns the newest snapshot and its pages and blocks that have all the
// words in any form: "bakes" finds "baking". It returns false as Containing does, and
// if the text has no words.
func (g *Graph) WithStems(ctx context.Context, text string, most int) (*graphdb.DB, []graphdb.EID, bool) {
	terms := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	return g.match(ctx, "SELECT rowid FROM stems WHERE stems MATCH ?1 LIMIT ?2", terms, most)
}

func (g *Graph) match(ctx context.Context, query string, terms []string, most int) (*graphdb.DB, []graphdb.EID, bool) {
	if len(terms) == 0 || !g.mu.TryLock() {
		return nil, nil, false // readers never wait for a writer
	}
	defer g.mu.Unlock()
	db := g.conn.DB()
	if g.log == nil || g.log.newest != db.BasisTx() {
		return nil, nil, false // a transaction is on disk and not published yet
	}
	found, err := g.log.match(ctx, query, matchAll(terms), most+1)
	return db, found, err == nil && len(found) <= most
}

// matchAll returns a full-text query for all the terms.
func matchAll(terms []string) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, term := range terms {
		if seen[term] || len(seen) == mostTerms {
			continue
		}
		if seen[term] = true; len(seen) > 1 {
			b.WriteString(" AND ")
		}
		b.WriteString(`"` + strings.ReplaceAll(term, `"`, `""`) + `"`)
	}
	return b.String()
}

func (j *journal) match(ctx context.Context, query, terms string, limit int) ([]graphdb.EID, error) {
	j.database.SetInterrupt(ctx.Done())
	defer j.database.SetInterrupt(nil)
	rows, err := j.database.Prepare(query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Reset() }()
	rows.BindText(1, terms)
	rows.BindInt64(2, int64(limit))
	var found []graphdb.EID
	for {
		more, err := rows.Step()
		if err != nil || !more {
			return found, err
		}
		found = append(found, j.ids.fromFile(graphdb.EID(rows.ColumnInt64(0))))
	}
}
