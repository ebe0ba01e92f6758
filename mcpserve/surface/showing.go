package surface

import (
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/rawjson"
)

// Showing is a note whose content is in a reply.
type Showing struct {
	Node    note.Node // as it was read, hidden blocks included
	Content []string  // uids of the blocks of its content
	// Render returns the content as the reply has it where nothing is cut; nil: only all
	// of it counts as shown.
	Render func() note.Rendering
	From   int // characters of it that were left out in front
	// InProse returns where in the content a reply in prose begins and ends, and what
	// stands behind it to say that it was cut; nil: the content is the field "content" of
	// the object whose "id" is the uid of the note.
	InProse func(reply string) (from, to int, mark string, ok bool)
	Lists   shown.Lists // of the note; nil: what was known of a list stays
	// Fields are the fields that show the lists, strings or objects with an id. What a cut
	// has taken out of them does not count as shown. An empty name is a list of which all is.
	Fields  [len(shown.Lists{})]string
	Wrote   *shown.Merged // what the call has made of the content; nil: nothing
	Changes bool          // the call has changed the note, and not only read it
}

// Remember remembers what a reply, as it is sent, shows of notes.
func (r Reply) Remember(memory shown.Graph, sent []byte) {
	if len(r.Shows) == 0 {
		return
	}
	var notes map[string]rawjson.Object
	for _, s := range r.Shows {
		if notes == nil && s.InProse == nil {
			notes = notesIn(sent)
		}
		s.remember(memory, string(sent), notes[s.Node.UID])
	}
}

// remember remembers what a reply shows of one note.
func (s Showing) remember(memory shown.Graph, sent string, as rawjson.Object) {
	uid := s.Node.UID
	lists := s.displayedLists(as)
	n, ok := s.displayed(sent, as, lists[shown.Items])
	lists[shown.Items] = s.Lists[shown.Items]
	switch left, known := memory.Note(uid); {
	case s.Wrote != nil:
		memory.Wrote(*s.Wrote, shown.Current{Node: s.Node, Content: s.Content, Lists: s.Lists}, s.Render)
		left, known = memory.Note(uid)
		switch {
		case known && ok:
			left = left.AfterReply(s.Node, n)
		case ok:
			left = n
		case !known:
			return
		}
		s.keepChanged(memory, left, lists)
	case ok:
		n.Lists = lists
		memory.Keep(uid, n)
	case known && s.Changes:
		s.keepChanged(memory, left, lists)
	}
}

// keepChanged remembers a note that was changed, with those of its lists that are known.
func (s Showing) keepChanged(memory shown.Graph, n shown.Note, lists shown.Lists) {
	n.Title = s.Node.Title
	for i, list := range lists {
		if list != nil {
			n.Lists[i] = list
		}
	}
	memory.Keep(s.Node.UID, n)
}

// displayed returns what a reply, in which the note is an object, shows of it; false for
// nothing that counts. items are the blocks that it shows beside the content.
func (s Showing) displayed(sent string, as rawjson.Object, items []string) (n shown.Note, ok bool) {
	if s.InProse != nil {
		from, to, mark, ok := s.InProse(sent)
		if !ok {
			return n, false
		}
		return s.partly(s.Render(), from, to, mark, items), true
	}
	text, ok := as.Text("content")
	if !ok {
		return n, false
	}
	shorter, cut := strings.CutSuffix(text, TextCut)
	if s.Render == nil {
		return shown.Whole(s.Node, slices.Concat(s.Content, items)), !cut
	}
	r := s.Render()
	from := len(firstCharacters(r.Text, s.From))
	switch rest := r.Text[from:]; {
	case text == rest:
		return s.partly(r, from, len(r.Text), "", items), true
	case strings.HasPrefix(rest, shorter):
		return s.partly(r, from, from+len(shorter), TextCut, items), cut
	}
	return n, false
}

func (s Showing) partly(r note.Rendering, from, to int, mark string, items []string) shown.Note {
	if part := r.Part(from, to, mark); !part.IsWhole(r) || mark != "" {
		return shown.Partly(s.Node, part, items)
	}
	return shown.Whole(s.Node, slices.Concat(s.Content, items))
}

// displayedLists returns what of its lists the note shows, which is an object in a reply.
func (s Showing) displayedLists(as rawjson.Object) shown.Lists {
	lists := s.Lists
	for i, field := range s.Fields {
		if field == "" || len(lists[i]) == 0 {
			continue
		}
		there := map[string]bool{}
		for _, element := range rawjson.Elements(as.Get(field)) {
			text, object := "", rawjson.Parse(element)
			if json.Unmarshal(element, &text) != nil && !slices.ContainsFunc(object, isCut) {
				text, _ = object.Text("id")
			}
			there[text] = true
		}
		lists[i] = slices.DeleteFunc(slices.Clone(lists[i]), func(each string) bool { return !there[each] })
	}
	return lists
}

// isCut reports whether a member of an object is a text that was cut.
func isCut(m rawjson.Member) bool {
	text := ""
	return json.Unmarshal(m.Value, &text) == nil && strings.HasSuffix(text, TextCut)
}

// notesIn returns the notes in a reply by their ids: of the reply itself, of its elements,
// or of its neighbors.
func notesIn(reply []byte) map[string]rawjson.Object {
	notes := map[string]rawjson.Object{}
	add := func(object rawjson.Object) {
		if id, _ := object.Text("id"); id != "" {
			notes[id] = object
		}
	}
	list := rawjson.Elements(reply)
	if rawjson.IsObject(reply) {
		object := rawjson.Parse(reply)
		list = rawjson.Elements(object.Get("neighbors"))
		add(object)
	}
	for _, each := range list {
		add(rawjson.Parse(each))
	}
	return notes
}
