// Package dump reads Roam's EDN export, a print of the whole DataScript
// database: #datascript/DB {:schema {…} :datoms [[e a v tx] …]}.
//
// It promises that every datom is kept, also those of blocks outside every page, of
// users, versions and window state. Entity ids change, their order does not. It
// knows nothing of outlines: references, ancestors and orders are taken from the
// dump.
package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/edn"
)

// Tag is the beginning of every dump.
const Tag = "#datascript/DB"

// Options limit an import.
type Options struct {
	MaxBytes  int64 // 0: 1 GiB
	MaxDatoms int   // of the graph; 0: graphdb.MaxImport
}

const (
	defaultBytes = 1 << 30
	maxDepth     = 100     // of the values of one datom
	maxValue     = 4 << 20 // bytes of one datom
)

// Imported counts what was imported.
type Imported struct {
	Datoms   int
	Pages    int
	Blocks   int // with a page above them
	Orphans  int // blocks with text outside every page: deleted ones and versions
	Users    int
	Versions int // groups of earlier states of a block (:vc/blocks)
}

// Import writes a dump's datoms to the transaction. A value that the schema does not
// allow, or a title or uid that the graph has, is an error. Attributes unknown to
// Roam's schema are kept: references as numbers, several values of one entity as a
// set in EDN.
func Import(ctx context.Context, tx *graphdb.Tx, r io.Reader, options Options) (Imported, error) {
	if options.MaxBytes <= 0 {
		options.MaxBytes = defaultBytes
	}
	if options.MaxDatoms <= 0 {
		options.MaxDatoms = graphdb.MaxImport
	}
	im := &importer{
		tx: tx, base: tx.LastEntity(), in: edn.NewDecoder(r, edn.Limits{Bytes: options.MaxBytes, ValueBytes: maxValue, Depth: maxDepth}),
		sets: map[datomKey]edn.Set{}, maxDatoms: options.MaxDatoms,
	}
	if err := im.read(ctx); err != nil {
		var syntax *edn.Error
		if errors.As(err, &syntax) {
			err = fmt.Errorf("the dump can't be read at %w", err)
		}
		return Imported{}, err
	}
	if err := im.storeSets(); err != nil {
		return Imported{}, err
	}
	im.count()
	return im.done, nil
}

type importer struct {
	tx   *graphdb.Tx
	base graphdb.EID // what is added to the dump's entity ids
	in   *edn.Decoder
	done Imported

	many  map[graphdb.Attr]bool // attributes that the dump says hold several values, and that we do not know
	sets  map[datomKey]edn.Set  // their values
	order []datomKey            // the keys of sets, as they came

	maxDatoms int
}

type datomKey struct {
	e graphdb.EID
	a graphdb.Attr
}

func (im *importer) read(ctx context.Context) error {
	tag, err := im.in.Enter()
	if err != nil || tag != Tag {
		return because("this is no EDN export of Roam: it must start with "+Tag, err)
	}
	if open, err := im.in.Enter(); err != nil || open != "{" {
		return because("a map must follow "+Tag, err)
	}
	seen := false
	for im.in.More() {
		key, err := im.in.Read()
		if err != nil {
			return unlessEnd(err)
		}
		switch key {
		case edn.Keyword(":schema"):
			err = im.schema(seen)
		case edn.Keyword(":datoms"):
			seen = true
			err = im.datoms(ctx)
		default:
			_, err = im.in.Read() // later versions may say more
		}
		if err != nil {
			return unlessEnd(err)
		}
	}
	if err := im.in.Leave(); err != nil {
		return err
	}
	if !seen {
		return errors.New("the dump has no :datoms")
	}
	if _, err := im.in.Read(); !errors.Is(err, io.EOF) {
		return because("something follows the dump", err)
	}
	return nil
}

func because(what string, err error) error {
	if err == nil {
		return errors.New(what)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// unlessEnd replaces io.EOF by an error that says where the text ends.
func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the dump ends early")
	}
	return err
}

// schema reads which attributes hold several values. For attributes of Roam's schema,
// that takes precedence over the dump.
func (im *importer) schema(afterDatoms bool) error {
	v, err := im.in.Read()
	if err != nil {
		return err
	}
	defs, ok := v.(*edn.Map)
	if !ok {
		return errors.New("the dump's :schema is no map")
	}
	im.many = map[graphdb.Attr]bool{}
	for i, k := range defs.Keys {
		name, _ := k.(edn.Keyword)
		def, _ := defs.Values[i].(*edn.Map)
		if def == nil || im.tx.Schema().Def(graphdb.Attr(name)).Many {
			continue
		}
		if cardinality, _ := def.Get(edn.Keyword(":db/cardinality")); cardinality == edn.Keyword(":db.cardinality/many") {
			im.many[graphdb.Attr(name)] = true
		}
	}
	if afterDatoms && len(im.many) > 0 {
		return errors.New("the dump's :schema must come before its :datoms")
	}
	return nil
}

func (im *importer) datoms(ctx context.Context) error {
	if open, err := im.in.Enter(); err != nil || open != "[" && open != "(" {
		return because("the dump's :datoms are no list", err)
	}
	for im.in.More() {
		if im.done.Datoms++; im.done.Datoms%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if im.done.Datoms > im.maxDatoms {
			return graphdb.TooLarge(im.maxDatoms)
		}
		v, err := im.in.Read()
		if err != nil {
			return unlessEnd(err)
		}
		if err := im.datom(v); err != nil {
			return fmt.Errorf("datom %d of the dump: %w", im.done.Datoms, err)
		}
	}
	return im.in.Leave()
}

// datom writes [e a v tx] or [e a v tx added].
func (im *importer) datom(x any) error {
	d, ok := x.(edn.Vector)
	if !ok || len(d) < 3 || len(d) > 5 {
		return fmt.Errorf("%.80s is no datom: it must be [entity attribute value transaction]", edn.Print(x))
	}
	e, err := im.entity(d[0])
	if err != nil {
		return err
	}
	name, ok := d[1].(edn.Keyword)
	if !ok {
		return fmt.Errorf("the attribute %.80s is no keyword", edn.Print(d[1]))
	}
	if len(d) == 5 && d[4] != true {
		return errors.New("it is a retraction, and a database holds none")
	}
	a := graphdb.Attr(name)
	if im.many[a] {
		key := datomKey{e, a}
		if _, ok := im.sets[key]; !ok {
			im.order = append(im.order, key)
		}
		im.sets[key] = append(im.sets[key], d[2])
		return nil
	}
	v, err := im.value(im.tx.Schema().Def(a), d[2])
	if err != nil {
		return fmt.Errorf("%s of entity %s: %w", a, edn.Print(d[0]), err)
	}
	return im.tx.Set(e, a, v)
}

// entity maps an entity id of the dump to one above those of the graph.
func (im *importer) entity(x any) (graphdb.EID, error) {
	n, ok := x.(int64)
	if !ok || n <= 0 || n > int64(graphdb.MaxEID-im.base) {
		return 0, fmt.Errorf("%.80s is no entity id", edn.Print(x))
	}
	return im.base + graphdb.EID(n), nil
}

func (im *importer) storeSets() error {
	for _, key := range im.order {
		values := graphdb.OpaqueValue(graphdb.Opaque(edn.Print(im.sets[key])))
		if err := im.tx.Set(key.e, key.a, values); err != nil {
			return err
		}
	}
	return nil
}

// value converts a value to the kind that the schema requires. Collections and numbers
// that are too large become EDN text.
func (im *importer) value(def graphdb.AttrDef, x any) (graphdb.Value, error) {
	if def.Kind == graphdb.KindRef {
		to, err := im.entity(x)
		return graphdb.RefValue(to), err
	}
	if f, ok := x.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		x = int64(f) // JavaScript has one kind of number; times are printed either way
	}
	var v graphdb.Value
	switch x := x.(type) {
	case nil:
		return v, errors.New("nil is no value")
	case string:
		v = graphdb.StringValue(x)
	case int64:
		v = graphdb.IntValue(x)
	case float64:
		v = graphdb.FloatValue(x)
	case bool:
		v = graphdb.BoolValue(x)
	case edn.Keyword:
		v = graphdb.KeywordValue(x)
	default:
		v = graphdb.OpaqueValue(graphdb.Opaque(edn.Print(x)))
	}
	if def.Kind != graphdb.KindNone && v.Kind() != def.Kind {
		return v, fmt.Errorf("%.80s is no %s", edn.Print(x), def.Kind)
	}
	return v, nil
}

// count counts the imported entities. It finds the blocks on pages by their parents,
// since attributes such as :block/page may be stale.
func (im *importer) count() {
	onPage := map[graphdb.EID]bool{}
	for e := range im.tx.Entities(graphdb.NodeTitle) {
		if e > im.base {
			im.done.Pages++
			im.mark(e, onPage)
		}
	}
	for e := range im.tx.Entities(graphdb.BlockString) {
		switch {
		case e <= im.base:
		case onPage[e]:
			im.done.Blocks++
		default:
			im.done.Orphans++
		}
	}
	for e := range im.tx.Entities(graphdb.UserUID) {
		if e > im.base {
			im.done.Users++
		}
	}
	last := graphdb.EID(0)
	for e := range im.tx.Entities(graphdb.VCBlocks) {
		if e > im.base && e != last {
			im.done.Versions++
			last = e
		}
	}
}

func (im *importer) mark(page graphdb.EID, onPage map[graphdb.EID]bool) {
	below := []graphdb.EID{page}
	for len(below) > 0 {
		e := below[len(below)-1]
		below = below[:len(below)-1]
		for _, k := range im.tx.Refs(e, graphdb.BlockChildren) {
			if !onPage[k] {
				onPage[k] = true
				below = append(below, k)
			}
		}
	}
}
