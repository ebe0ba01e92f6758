// Package fulltext finds notes by what they say: an index of words, a query language, a
// ranking and snippets.
//
// It promises that a query finds what its words mean (profiles/wiki.md, "Search language"),
// whatever was added to the index and removed before, and that any text is a
// query. It takes notes as texts, and knows no snapshot of a graph: who keeps an index
// tells it what has changed.
//
// # Words
//
// Texts are read as Roam shows them: the label of an alias, not its target; nothing of a
// component or of a reference to a block, whose words are those of another note. A word is
// a run of letters and digits, without regard to case, compatibility forms (NFKC) and
// diacritics. A run of a script without spaces (Han, Kana, Hangul, Thai, Lao, Khmer,
// Myanmar) is found by each part of it: the index has its pairs of characters.
package fulltext
