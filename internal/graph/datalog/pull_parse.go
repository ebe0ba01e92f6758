package datalog

import (
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

// defaultLimit is the default limit for the values of a cardinality-many attribute, and
// for the entities of its reverse. As in DataScript, others have no limit, not even their
// reverse.
const defaultLimit = 1000

const dbID graphdb.Attr = ":db/id"

// pullPattern is a parsed pull pattern.
type pullPattern struct {
	wildcard bool
	attrs    []*pullAttr
	keys     []any // of attrs; shared by all the maps that have them all
}

func (p *pullPattern) add(a *pullAttr) {
	p.attrs, p.keys = append(p.attrs, a), append(p.keys, a.key)
}

// pullAttr is one attribute of a pattern.
type pullAttr struct {
	attr     *attribute
	key      any // in the result
	isID     bool
	reverse  bool
	limit    int // -1: none
	fallback any // the default value; nil: none
	xform    func(*run, []val) (val, error)
	pattern  *pullPattern
	// recursive applies the enclosing pattern again, at most depth times; 0: without
	// limit.
	recursive bool
	depth     int
}

func (a *pullAttr) isRef() bool { return a.attr.Def().Kind == graphdb.KindRef }

// idOnly returns the pattern for references without a pattern of their own.
func idOnly() *pullPattern {
	p := &pullPattern{}
	p.add(&pullAttr{isID: true, key: graphdb.Keyword(dbID)})
	return p
}

// parsePattern reads a pull pattern, given as data or as text.
func (r pullParser) parsePattern(x any) (*pullPattern, error) {
	if text, ok := x.(string); ok {
		form, err := readEDN(text, "The pull pattern")
		if err != nil {
			return nil, err
		}
		x = form
	}
	specs, ok := list(x)
	if !ok {
		return nil, errorf(CodeParse, "Cannot parse pull pattern, expected: [attr-spec+], got %s", edn.Print(x))
	}
	p := &pullPattern{}
	for _, spec := range specs {
		if err := r.parseSpec(p, spec); err != nil {
			return nil, err
		}
	}
	return p.lastOfEachKey(), nil
}

// lastOfEachKey leaves out the attributes whose key a later one has: they give nothing,
// even to an entity that lacks the later one.
func (p *pullPattern) lastOfEachKey() *pullPattern {
	type key struct {
		text    string
		reverse bool
	}
	last := map[key]*pullAttr{}
	of := func(a *pullAttr) key { return key{edn.Print(a.key), a.reverse} }
	for _, a := range p.attrs {
		last[of(a)] = a
	}
	if len(last) == len(p.attrs) {
		return p
	}
	left := &pullPattern{wildcard: p.wildcard}
	for _, a := range p.attrs {
		if last[of(a)] == a {
			left.add(a)
		}
	}
	return left
}

func (r pullParser) parseSpec(p *pullPattern, spec any) error {
	if isWildcard(spec) {
		p.wildcard = true
		return nil
	}
	switch m := spec.(type) {
	case *edn.Map:
		for i, k := range m.Keys {
			if err := r.parseMapEntry(p, k, m.Values[i]); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if err := r.parseMapEntry(p, k, m[k]); err != nil {
				return err
			}
		}
		return nil
	}
	a, err := r.parseAttr(spec)
	if err == nil {
		p.add(a)
	}
	return err
}

func isWildcard(spec any) bool {
	return isSymbol(spec, "*") || spec == graphdb.Keyword(":*") || spec == "*"
}

func (r pullParser) parseMapEntry(p *pullPattern, key, value any) error {
	a, err := r.parseAttr(key)
	if err != nil {
		return err
	}
	if a.isID || !a.isRef() {
		return errorf(CodeParse, "Expected attribute having :db.type/ref, got: %s", edn.Print(key))
	}
	v, _ := scalar(value)
	switch {
	case isSymbol(value, "...") || value == "...":
		a.recursive = true
	case v.isNumber():
		if v.kind != kindInt || v.n <= 0 {
			return errorf(CodeParse, "Expected (pattern | recursion-limit), got %s; a limit is a number above 0 or ...", edn.Print(value))
		}
		a.recursive, a.depth = true, int(min(v.n, maxPullDepth))
	default:
		if a.pattern, err = r.parsePattern(value); err != nil {
			return err
		}
	}
	p.add(a)
	return nil
}

// parseAttr reads an attribute: its name, [name :as x :limit n :default v], or
// the older (limit name n) and (default name v).
func (r pullParser) parseAttr(spec any) (*pullAttr, error) {
	items, ok := list(spec)
	if !ok {
		return r.parseAttrName(spec)
	}
	bad := errorf(CodeParse, "Cannot parse attr-spec, expected: (attr-name | wildcard | map-spec | attr-expr), got %s", edn.Print(spec))
	if len(items) == 3 {
		for _, option := range []string{"limit", "default"} {
			if isSymbol(items[0], option) || items[0] == option {
				a, err := r.parseAttr(items[1])
				if err != nil {
					return nil, err
				}
				return a, a.option(":"+option, items[2])
			}
		}
	}
	if len(items) == 0 || len(items)%2 == 0 {
		return nil, bad
	}
	a, err := r.parseAttr(items[0])
	for i := 1; i < len(items) && err == nil; i += 2 {
		name, ok := items[i].(graphdb.Keyword)
		if s, isText := items[i].(string); isText {
			name, ok = graphdb.Keyword(s), true
		}
		if !ok {
			return nil, bad
		}
		err = a.option(string(name), items[i+1])
	}
	return a, err
}

func (r pullParser) parseAttrName(spec any) (*pullAttr, error) {
	var name string
	switch spec := spec.(type) {
	case graphdb.Keyword:
		name = string(spec)
	case string:
		name = spec
	}
	if len(name) < 2 || name[0] != ':' {
		return nil, errorf(CodeParse, "Cannot parse attr-spec, expected: (attr-name | wildcard | map-spec | attr-expr), got %s", edn.Print(spec))
	}
	a := &pullAttr{key: graphdb.Keyword(name), limit: -1, isID: name == string(dbID)}
	if ns, local := splitName(name); strings.HasPrefix(local, "_") {
		a.reverse = true
		name = ":" + local[1:]
		if ns != "" {
			name = ":" + ns + "/" + local[1:]
		}
	}
	if a.attr = r.attribute(graphdb.Attr(name)); a.attr.Def().Many {
		a.limit = defaultLimit
	}
	if a.reverse && !a.isRef() {
		return nil, errorf(CodeParse, "Expected reverse attribute having :db.type/ref, got: %s", edn.Print(spec))
	}
	if !a.isID && a.isRef() {
		a.pattern = idOnly()
		if a.attr.Def().Component && !a.reverse {
			a.pattern = &pullPattern{wildcard: true}
		}
	}
	return a, nil
}

func (a *pullAttr) option(name string, value any) error {
	switch name {
	case ":as":
		a.key = plain(value)
	case ":default":
		a.fallback = plain(value)
	case ":xform":
		function, ok := value.(edn.Symbol)
		f, known := functions[string(function)]
		if !ok || !known || f.least > 1 || f.most == 0 {
			return errorf(CodeUnknownFunction, "Can't resolve symbol %s: :xform takes a function of one argument", edn.Print(value))
		}
		a.xform = f.call
	case ":limit":
		v, _ := scalar(value)
		switch {
		case !a.attr.Def().Many:
			return errorf(CodeParse, "Expected limit attribute having :db.cardinality/many, got: %s", a.attrName())
		case value == nil:
			a.limit = -1
		case v.kind == kindInt && v.n > 0:
			a.limit = int(min(v.n, 1<<31))
		default:
			return errorf(CodeParse, "Expected a number above 0 or nil after :limit, got %s", edn.Print(value))
		}
	default:
		return errorf(CodeParse, "The option %s of a pull pattern is not supported; there are :as, :limit, :default and :xform", name)
	}
	return nil
}
