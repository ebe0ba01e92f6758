package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"roam-mcp/assets"
	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/difftest"
)

// writeDemo writes a dump of the sample graph, as an import makes it today, for the tests:
// the cases that grow around it must not change when the import does. It returns the
// datoms as the tests read them. Without write it only returns them.
func writeDemo(ctx context.Context, folder string, write bool) ([]graphdb.Datom, error) {
	to := ""
	if write {
		to = filepath.Join(folder, "demo.edn.gz")
	}
	return writeDump(ctx, to, assets.DemoGraph())
}

// writeDump writes a dump of an export to a file, and returns its datoms as the tests read
// them. Without a name it only returns them.
func writeDump(ctx context.Context, name string, export []byte) ([]graphdb.Datom, error) {
	conn := graphdb.NewConn(graphdb.RoamSchema())
	_, err := conn.Transact(ctx, func(tx *graphdb.Tx) error {
		w := outline.NewWriter(tx, outline.Author{Now: time.UnixMilli(1_800_000_000_000)}, rand.NewChaCha8([32]byte{difftest.Seed}))
		_, err := w.ImportJSON(ctx, bytes.NewReader(export), outline.ImportOptions{})
		return err
	})
	if err != nil {
		return nil, err
	}
	var datoms []graphdb.Datom
	db := conn.DB()
	for name := range db.Attrs() {
		for e, v := range db.Attribute(name).All() {
			datoms = append(datoms, graphdb.Datom{E: e, A: name, V: v})
		}
	}
	slices.SortStableFunc(datoms, func(a, b graphdb.Datom) int { return cmp.Or(cmp.Compare(a.E, b.E), cmp.Compare(a.A, b.A)) })
	var text, packed bytes.Buffer
	text.WriteString("#datascript/DB {:datoms [\n")
	for _, d := range datoms {
		value := edn.Print(d.V.Any())
		switch d.V.Kind() {
		case graphdb.KindRef:
			value = fmt.Sprint(int64(d.V.Ref()))
		case graphdb.KindOpaque:
			value = d.V.Text()
		}
		fmt.Fprintf(&text, "[%d %s %s]\n", d.E, d.A, value)
	}
	text.WriteString("]}\n")
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text.Bytes()); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	if name != "" {
		if err := os.WriteFile(name, packed.Bytes(), 0o644); err != nil {
			return nil, err
		}
	}
	return difftest.ReadDump(&text)
}
