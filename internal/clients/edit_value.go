package clients

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// value is what a document says, apart from how it is written: a scalar, a list or an
// object.
type value any

type (
	// scalar is a value without parts. kind is one of "string", "int", "float", "bool",
	// "null" and names of the format's own.
	scalar struct{ kind, text string }
	list   []value
	object []member
	member struct {
		key   string
		value value
	}
)

var null = scalar{kind: "null"}

func text(s string) scalar { return scalar{"string", s} }

// valueOf returns the value of a field.
func valueOf(v any) value {
	switch v := v.(type) {
	case string:
		return text(v)
	case bool:
		return scalar{"bool", strconv.FormatBool(v)}
	case int:
		return scalar{"int", strconv.Itoa(v)}
	case []string:
		all := list{}
		for _, s := range v {
			all = append(all, text(s))
		}
		return all
	case entryFields:
		o := object{}
		for _, f := range v {
			o = append(o, member{f.Key, valueOf(f.Value)})
		}
		return o
	}
	return nil
}

// isEmpty reports whether a value of an entry is a list or an entry without elements.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case []string:
		return len(v) == 0
	case entryFields:
		return len(v) == 0
	}
	return false
}

// natural returns a value as Found has it.
func natural(v value) any {
	switch v := v.(type) {
	case list:
		all := []any{}
		for _, each := range v {
			all = append(all, natural(each))
		}
		return all
	case object:
		o := map[string]any{}
		for _, m := range v {
			o[m.key] = natural(m.value)
		}
		return o
	case scalar:
		switch v.kind {
		case "null":
			return nil
		case "bool":
			return v.text == "true"
		case "int":
			if n, err := strconv.ParseInt(v.text, 0, 64); err == nil {
				return n
			}
		case "float":
			if n, err := strconv.ParseFloat(v.text, 64); err == nil {
				return n
			}
		}
		return v.text
	}
	return nil
}

func (o object) index(key string) int {
	return slices.IndexFunc(o, func(m member) bool { return m.key == key })
}

// with returns o with a member set.
func (o object) with(key string, v value) object {
	o = slices.Clone(o)
	if i := o.index(key); i >= 0 {
		o[i].value = v
		return o
	}
	return append(o, member{key, v})
}

func (o object) without(key string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return m.key == key })
}

// get returns the member of a key, null where there is none.
func (o object) get(key string) value {
	if i := o.index(key); i >= 0 {
		return o[i].value
	}
	return null
}

// asObject returns an object for an object and for null, which stands for an empty one.
func asObject(v value) object {
	o, _ := v.(object)
	return o
}

// change returns root with the value that holds the servers changed.
func change(root value, path []string, f func(value) value) value {
	if len(path) == 0 {
		return f(root)
	}
	o := asObject(root)
	return o.with(path[0], change(o.get(path[0]), path[1:], f))
}

// merged returns root with the entry in it, as putEntry promises.
func merged(root value, at entryPlace, entry entryFields) value {
	return change(root, at.Path, func(holder value) value {
		if !at.List {
			o := asObject(holder)
			return o.with(at.Name, mergedEntry(o.get(at.Name), entry))
		}
		all, _ := holder.(list)
		all = slices.Clone(all)
		i := slices.IndexFunc(all, func(v value) bool { return asObject(v).get("name") == text(at.Name) })
		if i < 0 {
			i, all = len(all), append(all, object{})
		}
		all[i] = mergedEntry(all[i], listed(at, entry))
		return all
	})
}

// listed returns an entry as it stands in a list: with its name.
func listed(at entryPlace, entry entryFields) entryFields {
	rest := slices.DeleteFunc(slices.Clone(entry), func(f entryField) bool { return f.Key == "name" })
	return append(entryFields{{"name", at.Name}}, rest...)
}

func mergedEntry(old value, entry entryFields) value {
	o := asObject(old)
	for _, f := range entry {
		i := o.index(f.Key)
		switch sub, ok := f.Value.(entryFields); {
		case i >= 0 && isEmpty(f.Value):
		case i >= 0 && ok:
			o = o.with(f.Key, mergedEntry(o[i].value, sub))
		default:
			o = o.with(f.Key, valueOf(f.Value))
		}
	}
	return o
}

// settled reports whether putEntry has nothing to do for a field whose value is v.
func settled(v value, f entryField) bool {
	return isEmpty(f.Value) || equal(v, mergedEntry(object{{f.Key, v}}, entryFields{f}).(object)[0].value)
}

// without returns root without the server.
func without(root value, at entryPlace) value {
	return change(root, at.Path, func(holder value) value {
		if all, ok := holder.(list); ok {
			return slices.DeleteFunc(slices.Clone(all), func(v value) bool { return asObject(v).get("name") == text(at.Name) })
		}
		return asObject(holder).without(at.Name)
	})
}

// pruned returns root without the values on the way to the servers that are empty.
func pruned(root value, at entryPlace) value {
	if len(at.Path) == 0 {
		if isNothing(root) {
			return object(nil)
		}
		return root
	}
	key := at.Path[0]
	at.Path = at.Path[1:]
	o := asObject(root)
	i := o.index(key)
	if i < 0 {
		return o
	}
	v := pruned(o[i].value, at)
	if isNothing(v) {
		return o.without(key)
	}
	return o.with(key, v)
}

// isNothing reports whether a value is null, or an empty list or object.
func isNothing(v value) bool {
	switch v := v.(type) {
	case list:
		return len(v) == 0
	case object:
		return len(v) == 0
	}
	return v == null
}

// equal reports whether two values say the same. The order of keys does not count.
func equal(a, b value) bool {
	switch a := a.(type) {
	case list:
		b, ok := b.(list)
		return ok && slices.EqualFunc(a, b, equal)
	case object:
		b, ok := b.(object)
		if !ok || len(a) != len(b) {
			return false
		}
		sameKey := func(a, b member) bool { return a.key == b.key }
		if !slices.EqualFunc(a, b, sameKey) {
			a, b = sorted(a), sorted(b)
		}
		return slices.EqualFunc(a, b, func(a, b member) bool { return a.key == b.key && equal(a.value, b.value) })
	}
	return a == b
}

// sorted returns the members in the order of their keys.
func sorted(o object) object {
	o = slices.Clone(o)
	slices.SortStableFunc(o, func(a, b member) int { return strings.Compare(a.key, b.key) })
	return o
}

// found returns the servers that root holds.
func found(root value, at entryPlace) ([]foundServer, error) {
	for i, key := range at.Path {
		o, ok := root.(object)
		if !ok && root != null {
			return nil, refuse("%s is no object", pathName(at.Path[:i]))
		}
		root = o.get(key)
	}
	var all []foundServer
	switch holder := root.(type) {
	case list:
		for _, v := range holder {
			if name, ok := asObject(v).get("name").(scalar); ok && name.kind == "string" {
				all = append(all, foundServer{name.text, natural(v).(map[string]any), nil})
			}
		}
	case object:
		for _, m := range holder {
			values, _ := natural(m.value).(map[string]any)
			all = append(all, foundServer{m.key, values, twice(asObject(m.value))})
		}
	}
	if !holds(root, at) {
		return nil, refuse("%s can't hold servers", pathName(at.Path))
	}
	return all, nil
}

// twice returns the keys that an object has more than once.
func twice(o object) (keys []string) {
	seen := make(map[string]int, len(o))
	for _, m := range o {
		if seen[m.key]++; seen[m.key] == 2 {
			keys = append(keys, m.key)
		}
	}
	return keys
}

// holds reports whether a value can hold servers: null can.
func holds(v value, at entryPlace) bool {
	if _, ok := v.(list); ok {
		return at.List
	}
	_, ok := v.(object)
	return ok && !at.List || v == null
}

// pathName returns what a path is called in a sentence.
func pathName(path []string) string {
	if len(path) == 0 {
		return "the whole"
	}
	return fmt.Sprintf("%q", strings.Join(path, "."))
}
