package mirror

import (
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// entity is what a pull gives of a page, a block or a user. What the pattern does not ask
// for is zero.
type entity struct {
	e               graphdb.EID
	uid             string
	title           string // of a page; of a user: the name
	text            string
	isBlock         bool // has a text, if only an empty one
	order, heading  int64
	align, view     string
	open, hasOpen   bool
	created, edited int64
	pageEdited      int64
	creator, editor graphdb.EID
	shortcut, day   int64 // -1: none
	page            graphdb.EID
	pageUID         string
	refs            []ref
	children        []entity
	kids            []graphdb.EID // children of which the id alone is asked for
	print           uint64        // of the JSON text, where it is asked for
}

// ref is an entity that a text refers to, and the page that it is on if it is a block.
type ref struct{ e, page graphdb.EID }

// decoder reads the replies to the queries.
type decoder struct {
	scanner
	seed  maphash.Seed
	print bool // entities get their print
}

// entities returns the entities of a relation of one pull each, or of pull_many. Those
// that are not there are left out. A key that no pattern asks for is an error.
func (d *decoder) entities() ([]entity, error) {
	var found []entity
	one := func() {
		if d.null() {
			return
		}
		if x := d.entity(); x.e != 0 {
			found = append(found, x)
		}
	}
	d.array(func() {
		if d.next() == '[' {
			d.array(one)
			return
		}
		one()
	})
	return found, d.end()
}

// changed returns the entities in the reply to changesQuery, and reports whether all of
// them came with the ids of the pages that are watched.
func (d *decoder) changed(watched []*page) (found []entity, same bool, err error) {
	same = true
	d.array(func() {
		var seen []graphdb.EID
		d.array(func() {
			if d.next() != '{' {
				seen = append(seen, d.scanner.entity())
				return
			}
			if x := d.entity(); x.e != 0 {
				found = append(found, x)
			}
		})
		same = same && slices.EqualFunc(seen, watched, func(e graphdb.EID, p *page) bool { return e == p.e })
	})
	return found, same, d.end()
}

func (d *decoder) entity() entity {
	x := entity{shortcut: -1, day: -1}
	d.next()
	start := d.at
	d.object(func(key []byte) {
		if d.null() {
			return
		}
		d.member(&x, key)
	})
	if d.print && d.err == nil {
		x.print = maphash.Bytes(d.seed, d.text[start:d.at])
	}
	if x.e == 0 && (x.uid != "" || x.title != "" || x.isBlock) {
		d.fail("entity id")
	}
	return x
}

// member reads the value of one key. Pulls through pull_many have the id with its colon
// and namespace.
func (d *decoder) member(x *entity, key []byte) {
	switch string(key) {
	case "id", ":db/id":
		x.e = d.scanner.entity()
	case "u":
		x.uid = d.string()
	case "s":
		x.text, x.isBlock = d.string(), true
	case "e":
		x.edited = d.int()
	case "r":
		d.refs(x)
	case "k":
		d.array(func() {
			switch k := d.entity(); {
			case k.e == 0:
			case k.uid == "":
				x.kids = append(x.kids, k.e)
			default:
				x.children = append(x.children, k)
			}
		})
	case "p":
		on := d.entity()
		x.page, x.pageUID = on.e, on.uid
	case "t":
		x.title = d.string()
	case "n":
		if d.next() == '"' {
			x.title = d.string()
			return
		}
		x.pageEdited = d.int()
	default:
		d.rare(x, key)
	}
}

func (d *decoder) rare(x *entity, key []byte) {
	switch string(key) {
	case "o":
		x.order = d.int()
	case "h":
		x.heading = d.int()
	case "x":
		x.open, x.hasOpen = d.bool(), true
	case "a":
		x.align = d.string()
	case "v":
		x.view = strings.TrimPrefix(d.string(), ":")
	case "c":
		x.created = d.int()
	case "cu":
		x.creator = d.entity().e
	case "eu":
		x.editor = d.entity().e
	case "b":
		x.shortcut = d.int()
	case "l":
		x.day = d.int()
	case ":id", "db/id": // other builds' forms of the one key that :as does not name
		x.e = d.scanner.entity()
	default: // :as was not heeded: what is known by another name would be missing
		d.fail("key that was asked for")
	}
}

func (d *decoder) refs(x *entity) {
	d.array(func() {
		if to := d.entity(); to.e != 0 {
			x.refs = append(x.refs, ref{to.e, to.page})
		}
	})
	slices.SortFunc(x.refs, func(a, b ref) int { return int(a.e - b.e) })
}

// count returns the number of entities in a tree.
func (x *entity) count() int {
	n := 1
	for i := range x.children {
		n += x.children[i].count()
	}
	return n
}

// below lists the blocks below an entity in order of the reply.
func (x *entity) below() iter.Seq[*entity] {
	return func(yield func(*entity) bool) { x.walk(yield) }
}

func (x *entity) walk(yield func(*entity) bool) bool {
	for i := range x.children {
		if k := &x.children[i]; !yield(k) || !k.walk(yield) {
			return false
		}
	}
	return true
}

// row reads one row of a relation, column by column. It must have as many.
func (d *decoder) row(columns ...func()) {
	n := 0
	d.array(func() {
		if n == len(columns) {
			d.fail("end of a row")
			return
		}
		columns[n]()
		n++
	})
	if d.err == nil && n != len(columns) {
		d.fail("column")
	}
}

// referring returns the rows of referringQuery.
func (d *decoder) referring(each func(block, page graphdb.EID, text string)) error {
	d.array(func() {
		var block, page graphdb.EID
		var text string
		d.row(func() { block = d.scanner.entity() }, func() { page = d.scanner.entity() }, func() { text = d.string() })
		if d.err == nil {
			each(block, page, text)
		}
	})
	return d.end()
}

// referred returns the rows of referredQuery.
func (d *decoder) referred(each func(from, to, page graphdb.EID, edited int64)) error {
	d.array(func() {
		var from, to, page graphdb.EID
		var edited int64
		d.row(
			func() { from = d.scanner.entity() }, func() { to = d.scanner.entity() }, func() { page = d.scanner.entity() },
			func() {
				if !d.null() {
					edited = d.entity().edited
				}
			},
		)
		if d.err == nil {
			each(from, to, page, edited)
		}
	})
	return d.end()
}

// ids returns a list of entity ids.
func (d *decoder) ids() ([]graphdb.EID, error) {
	var found []graphdb.EID
	d.array(func() { found = append(found, d.scanner.entity()) })
	return found, d.end()
}

// structure returns the rows of structureQuery.
func (d *decoder) structure(each func(parent, block graphdb.EID, order int64)) error {
	d.array(func() {
		var parent, block graphdb.EID
		var order int64
		d.row(func() { parent = d.scanner.entity() }, func() { block = d.scanner.entity() }, func() { order = d.int() })
		if d.err == nil {
			each(parent, block, order)
		}
	})
	return d.end()
}

// times returns the rows of timesQuery.
func (d *decoder) times(each func(e graphdb.EID, edited int64)) error {
	d.array(func() {
		var e graphdb.EID
		var edited int64
		d.row(func() { e = d.scanner.entity() }, func() { edited = d.int() })
		if d.err == nil {
			each(e, edited)
		}
	})
	return d.end()
}

// places returns the rows of shortcutsQuery.
func (d *decoder) places() (map[graphdb.EID]int64, error) {
	found := map[graphdb.EID]int64{}
	d.array(func() {
		var e graphdb.EID
		var place int64
		d.row(func() { e = d.scanner.entity() }, func() { place = d.int() })
		if d.err == nil {
			found[e] = place
		}
	})
	return found, d.end()
}

// titles returns the rows of titlesQuery.
func (d *decoder) titles() (map[graphdb.EID]string, error) {
	found := map[graphdb.EID]string{}
	d.array(func() {
		var e graphdb.EID
		var title string
		d.row(func() { e = d.scanner.entity() }, func() { title = d.string() })
		if d.err == nil {
			found[e] = title
		}
	})
	return found, d.end()
}
