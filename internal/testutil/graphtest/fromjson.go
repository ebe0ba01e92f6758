package graphtest

import (
	"strings"
	"testing"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
)

// FromJSON returns the graph of one of Roam's JSON exports.
func FromJSON(t testing.TB, export string) *graphdb.DB {
	t.Helper()
	conn := graphdb.NewConn(graphdb.RoamSchema())
	_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
		w := outline.NewWriter(tx, outline.Author{Now: time.UnixMilli(1)}, UIDs(1))
		_, err := w.ImportJSON(t.Context(), strings.NewReader(export), outline.ImportOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return conn.DB()
}
