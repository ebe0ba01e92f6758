package fact

import "context"

// Things reads pages and blocks. Those that do not exist are Gone.
func Things(ctx context.Context, ask Ask, uids []string) (State, error) {
	return State{Things: map[string]Fact{}}, nil
}

// Trees reads what is to be deleted: pages and blocks with all below them, with the
// names of their other attributes, and the blocks and pages that refer to any of
// them, whose texts and titles Roam rewrites then. Referrers that are to go themselves
// are no referrers.
func Trees(ctx context.Context, ask Ask, uids []string) (State, Referrers, error) {
	return State{Things: map[string]Fact{}}, nil, nil
}

// Pages reads what a new title of pages changes: the pages, and all that refers to
// them.
func Pages(ctx context.Context, ask Ask, uids []string) (State, Referrers, error) {
	return State{Things: map[string]Fact{}}, nil, nil
}

// Merging reads what the merge of a page into the one that has a title changes: Trees
// of the page, and the other one with the order of its children.
func Merging(ctx context.Context, ask Ask, uid, into string) (State, Referrers, error) {
	return State{Things: map[string]Fact{}}, nil, nil
}

// Shortcuts reads the list of shortcuts, and no things.
func Shortcuts(ctx context.Context, ask Ask) (State, error) {
	return State{Things: map[string]Fact{}, Shortcuts: []string{}}, nil
}

// Made reads what a write has made that returned the uids of its topmost blocks and
// pages: them with all below them, the parents and pages that were made on the way,
// and the pages that Roam made since texts, titles or the further titles mention
// them. since and until, in ms, are when it was sent and when its reply came. made are
// the uids of what the write itself made, and implied those of pages made by mentions.
func Made(ctx context.Context, ask Ask, tops, titles []string, since, until int64) (s State, made, implied []string, err error) {
	return State{Things: map[string]Fact{}}, tops, nil, nil
}

// Again reads once more all that is in a state, to learn what a change has left, and
// what lies now below pages that took in others. It also reads the pages that Roam has
// made in [since, until] because texts and titles mention them.
func Again(ctx context.Context, ask Ask, before State, since, until int64) (s State, implied []string, err error) {
	return State{Things: map[string]Fact{}}, nil, nil
}

// Mentions returns the titles of the pages that come to be when Roam stores the texts
// and titles, each once and in order.
func Mentions(texts ...string) []string { return nil }
