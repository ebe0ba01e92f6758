package logseqview

import (
	"iter"
	"slices"
	"strings"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

// attribute splits a keyword such as :block/_refs, which asks the other way round, into
// the attribute and whether it does.
func attribute(k edn.Keyword) (name graphdb.Attr, reverse bool) {
	plain := strings.Replace(string(k), "/_", "/", 1)
	return graphdb.Attr(plain), plain != string(k)
}

// isLogseqs reports whether a keyword is an attribute that Roam does not have.
func isLogseqs(k edn.Keyword) bool {
	name, _ := attribute(k)
	switch name {
	case UUID, Name, OriginalName, Title, Type, IsJournal, JournalDay, Namespace, Alias, Tags, Content, Format, Parent, Left,
		PathRefs, Marker, Priority, Scheduled, Deadline, Properties, PreBlock, Collapsed, CreatedAt, UpdatedAt,
		":block/file", ":block/heading-level", ":block/repeated?":
		return true
	}
	return today(k) != k
}

// isRoams reports whether a keyword is an attribute that Logseq does not have.
func isRoams(k edn.Keyword) bool {
	name, _ := attribute(k)
	if namespace, _, ok := strings.Cut(string(name), "/"); ok {
		if slices.Contains([]string{":node", ":create", ":edit", ":log", ":children", ":entity", ":attrs", ":user", ":vc", ":ent"}, namespace) {
			return true
		}
	}
	switch name {
	case graphdb.BlockUID, graphdb.BlockString, graphdb.BlockChildren, graphdb.BlockParents, graphdb.BlockOpen, graphdb.BlockHeading,
		graphdb.BlockTextAlign, graphdb.BlockViewType, graphdb.BlockProps, graphdb.PageSidebar, graphdb.PageEditTime, graphdb.PageEditUser, graphdb.PageWords:
		return true
	}
	return false
}

// today returns the attribute that stands for one of older versions of Logseq, which had
// pages apart from blocks.
func today(k edn.Keyword) edn.Keyword {
	name, reverse := attribute(k)
	now := graphdb.Attr("")
	switch name {
	case ":block/ref-pages", ":block/ref-blocks":
		now = Refs
	case ":page/name", ":page/original-name", ":page/journal?", ":page/journal-day", ":page/tags", ":page/alias", ":page/namespace",
		":page/properties", ":page/created-at", ":page/updated-at", ":page/format":
		now = graphdb.Attr(":block/" + strings.TrimPrefix(string(name), ":page/"))
	default:
		return k
	}
	if reverse {
		now = graphdb.Attr(strings.Replace(string(now), "/", "/_", 1))
	}
	return edn.Keyword(now)
}

// modern returns a form with today's attributes, and with texts for uuids.
func modern(form any) any {
	switch form := form.(type) {
	case edn.Keyword:
		return today(form)
	case edn.Tagged:
		if form.Tag == "uuid" {
			return form.Value
		}
		return edn.Tagged{Tag: form.Tag, Value: modern(form.Value)}
	case edn.Vector:
		return edn.Vector(eachModern(form))
	case edn.List:
		return edn.List(eachModern(form))
	case edn.Set:
		return edn.Set(eachModern(form))
	case *edn.Map:
		return &edn.Map{Keys: eachModern(form.Keys), Values: eachModern(form.Values)}
	}
	return form
}

func eachModern(forms []any) []any {
	out := make([]any, len(forms))
	for i, x := range forms {
		out[i] = modern(x)
	}
	return out
}

// all lists forms and all that is in them.
func all(forms []any) iter.Seq[any] {
	return func(yield func(any) bool) { walk(forms, yield) }
}

func walk(forms []any, yield func(any) bool) bool {
	for _, x := range forms {
		if !yield(x) {
			return false
		}
		var inside []any
		switch x := x.(type) {
		case edn.Vector:
			inside = x
		case edn.List:
			inside = x
		case edn.Set:
			inside = x
		case edn.Tagged:
			inside = []any{x.Value}
		case *edn.Map:
			if x != nil {
				inside = slices.Concat(x.Keys, x.Values)
			}
		}
		if !walk(inside, yield) {
			return false
		}
	}
	return true
}

// Readable returns the text of a query as EDN: without the lines #+BEGIN_QUERY and
// #+END_QUERY around it, and without the signs in front of a quoted form, '[…], and of a
// function, #(…). What is left out becomes blanks, so that all else stays where it is.
func Readable(text string) string {
	out := []byte(text)
	for _, line := range []string{"#+BEGIN_QUERY", "#+END_QUERY"} {
		if at := strings.Index(text, line); at >= 0 && strings.TrimSpace(text[:at]) == "" || at > 0 && strings.TrimSpace(text[at+len(line):]) == "" {
			copy(out[at:], strings.Repeat(" ", len(line)))
		}
	}
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '\\':
			i++ // a character
		case c == ';':
			for i < len(out) && out[i] != '\n' {
				i++
			}
		case c == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case (c == '\'' || c == '#') && i+1 < len(out) && (out[i+1] == '(' || c == '\'' && out[i+1] == '['):
			out[i] = ' '
		}
	}
	return string(out)
}
