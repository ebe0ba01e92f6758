package graphdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"roam-mcp/internal/graph/edn"
)

// dumpTag is the beginning of every dump.
const dumpTag = "#datascript/DB"

// ImportOptions limit ImportEDN.
type ImportOptions struct {
	MaxBytes  int64 // 0: 1 GiB
	MaxDatoms int   // of the graph; 0: MaxImport
}

const (
	defaultDumpBytes = 1 << 30
	maxDatomDepth    = 100     // of the values of one datom
	maxDatom         = 4 << 20 // bytes of one datom
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

// ImportEDN writes the datoms of Roam's EDN export to the transaction, a print of the whole
// DataScript database: #datascript/DB {:schema {…} :datoms [[e a v tx] …]}. Every datom is
// kept, also those of blocks outside every page, of users, versions and window state.
// References, ancestors and orders are taken from the dump. Entity ids change, their order
// does not. A value that the schema does not allow, or a title or uid that the graph has, is an error. Attributes unknown to
// Roam's schema are kept: references as numbers, several values of one entity as a
// set in EDN.
func ImportEDN(ctx context.Context, tx *Tx, r io.Reader, options ImportOptions) (Imported, error) {
	if options.MaxBytes <= 0 {
		options.MaxBytes = defaultDumpBytes
	}
	if options.MaxDatoms <= 0 {
		options.MaxDatoms = MaxImport
	}
	im := &ednImporter{
		tx: tx, base: tx.LastEntity(), in: edn.NewDecoder(r, edn.Limits{Bytes: options.MaxBytes, ValueBytes: maxDatom, Depth: maxDatomDepth}),
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

type ednImporter struct {
	tx   *Tx
	base EID // what is added to the dump's entity ids
	in   *edn.Decoder
	done Imported

	many  map[Attr]bool        // attributes that the dump says hold several values, and that we do not know
	sets  map[datomKey]edn.Set // their values
	order []datomKey           // the keys of sets, as they came

	maxDatoms int
}

type datomKey struct {
	e EID
	a Attr
}

func (im *ednImporter) read(ctx context.Context) error {
	tag, err := im.in.Enter()
	if err != nil || tag != dumpTag {
		return because("this is no EDN export of Roam: it must start with "+dumpTag, err)
	}
	if open, err := im.in.Enter(); err != nil || open != "{" {
		return because("a map must follow "+dumpTag, err)
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
func (im *ednImporter) schema(afterDatoms bool) error {
	v, err := im.in.Read()
	if err != nil {
		return err
	}
	defs, ok := v.(*edn.Map)
	if !ok {
		return errors.New("the dump's :schema is no map")
	}
	im.many = map[Attr]bool{}
	for i, k := range defs.Keys {
		name, _ := k.(edn.Keyword)
		def, _ := defs.Values[i].(*edn.Map)
		if def == nil || im.tx.Schema().Def(Attr(name)).Many {
			continue
		}
		if cardinality, _ := def.Get(edn.Keyword(":db/cardinality")); cardinality == edn.Keyword(":db.cardinality/many") {
			im.many[Attr(name)] = true
		}
	}
	if afterDatoms && len(im.many) > 0 {
		return errors.New("the dump's :schema must come before its :datoms")
	}
	return nil
}

func (im *ednImporter) datoms(ctx context.Context) error {
	if open, err := im.in.Enter(); err != nil || open != "[" && open != "(" {
		return because("the dump's :datoms are no list", err)
	}
	for im.in.More() {
		if im.done.Datoms++; im.done.Datoms%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if im.done.Datoms > im.maxDatoms {
			return TooLarge(im.maxDatoms)
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
func (im *ednImporter) datom(x any) error {
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
	a := Attr(name)
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
func (im *ednImporter) entity(x any) (EID, error) {
	n, ok := x.(int64)
	if !ok || n <= 0 || n > int64(MaxEID-im.base) {
		return 0, fmt.Errorf("%.80s is no entity id", edn.Print(x))
	}
	return im.base + EID(n), nil
}

func (im *ednImporter) storeSets() error {
	for _, key := range im.order {
		values := OpaqueValue(Opaque(edn.Print(im.sets[key])))
		if err := im.tx.Set(key.e, key.a, values); err != nil {
			return err
		}
	}
	return nil
}

// value converts a value to the kind that the schema requires. Collections and numbers
// that are too large become EDN text.
func (im *ednImporter) value(def AttrDef, x any) (Value, error) {
	if def.Kind == KindRef {
		to, err := im.entity(x)
		return RefValue(to), err
	}
	if f, ok := x.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		x = int64(f) // JavaScript has one kind of number; times are printed either way
	}
	var v Value
	switch x := x.(type) {
	case nil:
		return v, errors.New("nil is no value")
	case string:
		v = StringValue(x)
	case int64:
		v = IntValue(x)
	case float64:
		v = FloatValue(x)
	case bool:
		v = BoolValue(x)
	case edn.Keyword:
		v = KeywordValue(x)
	default:
		v = OpaqueValue(Opaque(edn.Print(x)))
	}
	if def.Kind != KindNone && v.Kind() != def.Kind {
		return v, fmt.Errorf("%.80s is no %s", edn.Print(x), def.Kind)
	}
	return v, nil
}

// count counts the imported entities. It finds the blocks on pages by their parents,
// since attributes such as :block/page may be stale.
func (im *ednImporter) count() {
	onPage := map[EID]bool{}
	for e := range im.tx.Entities(NodeTitle) {
		if e > im.base {
			im.done.Pages++
			im.mark(e, onPage)
		}
	}
	for e := range im.tx.Entities(BlockString) {
		switch {
		case e <= im.base:
		case onPage[e]:
			im.done.Blocks++
		default:
			im.done.Orphans++
		}
	}
	for e := range im.tx.Entities(UserUID) {
		if e > im.base {
			im.done.Users++
		}
	}
	last := EID(0)
	for e := range im.tx.Entities(VCBlocks) {
		if e > im.base && e != last {
			im.done.Versions++
			last = e
		}
	}
}

func (im *ednImporter) mark(page EID, onPage map[EID]bool) {
	below := []EID{page}
	for len(below) > 0 {
		e := below[len(below)-1]
		below = below[:len(below)-1]
		for _, k := range im.tx.Refs(e, BlockChildren) {
			if !onPage[k] {
				onPage[k] = true
				below = append(below, k)
			}
		}
	}
}
