package main

import (
	"slices"
	"strings"
)

// Belief is something that roam-mcp holds of Roam and that only Roam can confirm.
type Belief struct {
	ID    string // such as "uid-reuse"
	Group string // writes, texts, rewriting, times, reads or errors
	Asks  string // what is asked, one sentence
	// Expected is the finding where Roam does as docs/dev/LOCAL_API.md says.
	Expected string
	// Otherwise are the other findings that are known.
	Otherwise []string
	// Several reports that a finding may be several of Otherwise, joined by commas in
	// their order.
	Several bool
	// Answers reports that a finding is any status and code, such as "404 UNKNOWN_ACTION"
	// (docs/dev/LOCAL_API.md 6.2). Otherwise is nil then.
	Answers bool
}

// Join returns the finding that some of Otherwise are together; Expected for none.
func (b Belief) Join(parts []string) string {
	var found []string
	for _, each := range b.Otherwise {
		if slices.Contains(parts, each) {
			found = append(found, each)
		}
	}
	if len(found) == 0 {
		return b.Expected
	}
	return strings.Join(found, ",")
}

// Find returns the belief with an id.
func Find(id string) (Belief, bool) {
	all := Beliefs()
	at := slices.IndexFunc(all, func(b Belief) bool { return b.ID == id })
	if at < 0 {
		return Belief{}, false
	}
	return all[at], true
}

// Beliefs lists them all, in the order in which a probe asks.
func Beliefs() []Belief {
	return slices.Concat(ofWrites(), ofTexts(), ofRewriting(), ofTimes(), ofReads(), ofErrors())
}

func ofWrites() []Belief {
	const group = "writes"
	return []Belief{
		{ID: "silent", Group: group, Asks: "Does a write fail, or a deletion say so, whose uid or parent is missing?", Expected: "error",
			Otherwise: []string{"create", "update", "move", "delete", "reorder"}, Several: true},
		{ID: "taken-title", Group: group, Asks: "Does the creation of a page fail whose title is taken?", Expected: "error", Otherwise: []string{"silent", "adds"}},
		{ID: "taken-uid", Group: group, Asks: "Does the creation of a block fail whose uid is taken?", Expected: "error", Otherwise: []string{"silent", "other-uid"}},
		{ID: "uid-honoured", Group: group, Asks: "Does a new block get the uid that the call gives it?", Expected: "honoured", Otherwise: []string{"other-uid", "refused"}},
		{ID: "uid-reuse", Group: group, Asks: "Can the uid of a deleted block be given again?", Expected: "honoured", Otherwise: []string{"refused", "other-uid", "silent"}},
		{ID: "create-looks", Group: group, Asks: "Does a new block get the looks that its creation names?", Expected: "kept",
			Otherwise: []string{"heading", "folding", "align", "children-view", "block-view"}, Several: true},
		{ID: "props", Group: group, Asks: "Does an update of its properties give a block these?", Expected: "kept", Otherwise: []string{"ignored", "refused"}},
		{ID: "order-same-parent", Group: group, Asks: "Does a place among siblings not count the moved block itself, and is one beyond the end the end?", Expected: "without-itself",
			Otherwise: []string{"down", "up", "beyond"}, Several: true},
		{ID: "orders-dense", Group: group, Asks: "Are the orders of siblings 0, 1, 2 and so on?", Expected: "dense", Otherwise: []string{"gaps"}},
		{ID: "reorder-partial", Group: group, Asks: "Does a reordering fail that does not list all children?", Expected: "error", Otherwise: []string{"first", "silent"}},
		{ID: "nest-under", Group: group, Asks: "Does nest-under-str take the first child with that text?", Expected: "first", Otherwise: []string{"new", "ignored"}},
		{ID: "move-below-itself", Group: group, Asks: "Does the move of a block below itself fail?", Expected: "error", Otherwise: []string{"silent"}},
		{ID: "batch-form", Group: group, Asks: "Does a batch report on each item, by uid and in order?", Expected: "results", Otherwise: []string{"list", "count", "none"}},
		{ID: "batch-actions", Group: group, Asks: "Does batchActions do its steps in order?", Expected: "in-order", Otherwise: []string{"missing", "silent"}},
		{ID: "body-1m", Group: group, Asks: "Is a request of 1 MB taken?", Expected: "taken", Otherwise: []string{"refused"}},
	}
}

func ofTexts() []Belief {
	const group = "texts"
	return []Belief{
		{ID: "importer", Group: group, Asks: "Does fromMarkdown make the blocks that docs/dev/LOCAL_API.md 9.5 says?", Expected: "as-predicted", Several: true,
			Otherwise: []string{"entities", "tags", "comments", "definitions", "quotes", "rules", "setext", "escapes", "fences", "numbers", "tables", "emphasis", "breaks"}},
		{ID: "literal", Group: group, Asks: "Do block.create and block.update store a text as it is sent?", Expected: "as-sent", Several: true,
			Otherwise: []string{"blanks", "crlf", "tab", "nbsp", "emoji", "long"}},
	}
}

func ofRewriting() []Belief {
	const group = "rewriting"
	return []Belief{
		{ID: "delete-block-refs", Group: group, Asks: "Is the text of a deleted block put where it was referenced?", Expected: "text", Otherwise: []string{"kept", "removed"}},
		{ID: "delete-page-links", Group: group, Asks: "Does the deletion of a page take the brackets off its links?", Expected: "unlinked", Otherwise: []string{"kept", "removed"}},
		{ID: "rename-links", Group: group, Asks: "Does the renaming of a page rewrite its links?", Expected: "rewritten", Otherwise: []string{"kept"}},
		{ID: "rename-forms", Group: group, Asks: "Does it rewrite nested titles, tags and attributes, and leave code as it is?", Expected: "rewritten", Several: true,
			Otherwise: []string{"nested", "tags", "attributes", "code"}},
		{ID: "merge-order", Group: group, Asks: "Do the blocks of a page that is merged into another come after those that are there?", Expected: "after", Otherwise: []string{"before"}},
	}
}

func ofTimes() []Belief {
	const group = "times"
	return []Belief{
		{ID: "create-time", Group: group, Asks: "Has a new block a time of creation that is not before the call?", Expected: "kept", Otherwise: []string{"missing", "behind"}},
		{ID: "edit-time", Group: group, Asks: "Does a change stamp the time of its edit?", Expected: "stamped", Several: true,
			Otherwise: []string{"text", "heading", "folding", "move", "child", "rename"}},
		{ID: "page-edit-time", Group: group, Asks: "Does a change of a block stamp its page?", Expected: "stamped", Otherwise: []string{"missing"}},
	}
}

func ofReads() []Belief {
	const group = "reads"
	return []Belief{
		{ID: "query-keys", Group: group, Asks: "Have the maps that q pulls keys without colon and namespace?", Expected: "bare", Otherwise: []string{"colon", "qualified"}},
		{ID: "as", Group: group, Asks: "Does :as name the keys of a pull?", Expected: "honoured", Otherwise: []string{"ignored"}},
		{ID: "pull-options", Group: group, Asks: "May an attribute with options lead to a pattern of its own?", Expected: "understood", Otherwise: []string{"refused"}},
		{ID: "limit-nil", Group: group, Asks: "Does :limit nil give more than 1,000 children?", Expected: "all", Otherwise: []string{"cut"}},
		{ID: "collection-input", Group: group, Asks: "Does a query take a list as input?", Expected: "understood", Otherwise: []string{"refused"}},
		{ID: "pull-missing", Group: group, Asks: "Has pull_many null for what is missing?", Expected: "null", Otherwise: []string{"left-out", "error"}},
		{ID: "missing-page", Group: group, Asks: "Is a page that is missing read as null?", Expected: "null", Otherwise: []string{"empty", "error"}},
		{ID: "overlap", Group: group, Asks: "Does a read that is sent after a write show what it did?", Expected: "in-order", Otherwise: []string{"read-first"}},
		{ID: "tag-form", Group: group, Asks: "Does the markdown of a read name each block with a roam tag?", Expected: "roam-tag", Otherwise: []string{"none"}},
		{ID: "timeout-text", Group: group, Asks: "Does the error of a query that took too long say so?", Expected: "too-long", Otherwise: []string{"other"}},
		{ID: "encrypted-form", Group: group, Asks: "Is graph.isEncrypted true or false?", Expected: "boolean", Otherwise: []string{"missing", "error", "null", "text"}},
		{ID: "async-forms", Group: group, Asks: "Are there all actions that answer queries?", Expected: "all", Several: true,
			Otherwise: []string{"q", "data.q", "data.fast.q", "data.backend.q", "data.async.q", "data.pull_many"}},
	}
}

func ofErrors() []Belief {
	answer := func(id, asks, expected string) Belief {
		return Belief{ID: "error-" + id, Group: "errors", Asks: asks, Expected: expected, Answers: true}
	}
	return []Belief{
		answer("action", "What does a call of an unknown action get?", "404 UNKNOWN_ACTION"),
		answer("no-action", "What does a call without an action get?", "400 VALIDATION_ERROR"),
		answer("no-args", "What does a call without its arguments get?", "500"),
		answer("wrong-type", "What does an argument of a wrong type get?", "500"),
		answer("bad-query", "What does a query get that can't be read?", "500"),
		answer("unbound", "What does a query get with a variable that nothing binds?", "500"),
		answer("bad-pattern", "What does a pull get whose pattern can't be read?", "500"),
		answer("version", "What does a call get that expects another version?", "400 VERSION_MISMATCH"),
		answer("no-token", "What does a call without a token get?", "401 MISSING_TOKEN"),
		answer("token", "What does a call with an unknown token get?", "401 TOKEN_NOT_FOUND"),
	}
}
