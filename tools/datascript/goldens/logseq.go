package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/logseqview"
	"roam-mcp/internal/sandbox/mdfolder"
	"roam-mcp/internal/testutil/difftest"
)

// compareViews compares two graphs in Logseq's schema: the folder of the tests of package
// logseqview, and the sample graph, whose datoms in Roam's schema are demo.
func (o options) compareViews(ctx context.Context, demo []graphdb.Datom) error {
	var export bytes.Buffer
	if err := mdfolder.Read(ctx, os.DirFS(filepath.Join(o.views, "logseq")), &export, mdfolder.Options{}); err != nil {
		return err
	}
	name := ""
	if o.out = filepath.Join(o.views, "datascript"); o.show == 0 {
		if err := os.MkdirAll(o.out, 0o755); err != nil {
			return err
		}
		name = filepath.Join(o.out, "folder.edn.gz")
	}
	folder, err := writeDump(ctx, name, export.Bytes())
	if err != nil {
		return err
	}
	for name, datoms := range map[string][]graphdb.Datom{"folder": folder, "sample": demo} {
		roam, err := difftest.Load(ctx, graphdb.RoamSchema(), datoms)
		if err != nil {
			return err
		}
		view, err := logseqview.Build(ctx, roam)
		if err != nil {
			return err
		}
		datoms := slices.Collect(view.All())
		cases, err := difftest.OfLogseq(datoms, view.Schema())
		if err != nil {
			return err
		}
		if err := o.compare(ctx, name, view.Schema(), datoms, cases); err != nil {
			return err
		}
	}
	return nil
}
