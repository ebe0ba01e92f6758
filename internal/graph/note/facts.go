package note

import "strings"

// Facts are what the text of one block says about its page, for the link graph and the
// tags.
type Facts struct {
	Links    []string // titles mentioned as link or tag, each once, in order
	Blocks   []string // uids of blocks mentioned, each once, in order
	Words    []string // titles mentioned as names of components or attributes, each once
	Inline   []string // inline tags, .rm-* excepted, each once
	Declared []string // tags of a line that declares them, each once
	Reserved bool     // it is such a line: it makes no edge, and its tags are declared
	Hides    bool     // it carries #.rm-hide or #.rm-private
}

// Read returns what the text of a block says. direct tells that the block is a direct
// child of its page, where "Tags:: #a #[[b c]], d" declares tags; see DeclaresTags.
func Read(text string, direct bool) Facts {
	var f Facts
	if !strings.ContainsAny(text, "[#(:") {
		return f
	}
	if direct {
		f.Declared, f.Reserved = declared(text)
	}
	var links, blocks, words, inline once
	for _, m := range Mentions(text) {
		f.Hides = f.Hides || Hides(m.Title)
		switch m.Kind {
		case Block:
			blocks.add(&f.Blocks, m.UID)
		case Component, Attribute:
			words.add(&f.Words, m.Title)
		case Link:
			links.add(&f.Links, m.Title)
		case Tag:
			links.add(&f.Links, m.Title)
			if !f.Reserved && !isMark(m.Title) {
				inline.add(&f.Inline, m.Title)
			}
		}
	}
	return f
}

// once tells texts apart that a list holds already. A short list needs no set.
type once map[string]bool

func (o *once) add(list *[]string, text string) {
	const short = 8
	if *o == nil {
		for _, t := range *list {
			if t == text {
				return
			}
		}
		if len(*list) < short {
			*list = append(*list, text)
			return
		}
		*o = make(once, 2*short)
		for _, t := range *list {
			(*o)[t] = true
		}
	}
	if !(*o)[text] {
		(*o)[text] = true
		*list = append(*list, text)
	}
}
