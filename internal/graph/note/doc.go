// Package note says what a note is in Roam: a page or a block with all that is below
// it, its kind, tags, properties and links, and its content as text, both ways.
//
// It promises that what the text of a block mentions is what package roamtext reads
// there, and that hidden blocks (#.rm-hide, #.rm-private, and all below them) are in
// no content, tags, links and times; a reference to a hidden block links to nothing. It
// knows neither files nor calls: a Node comes from a snapshot (FromDB) or from a read of
// Roam.
//
// # Content
//
// Content shows a note as markdown, and Parse reads it back to the same texts, headings
// and nesting. What markdown would read otherwise is shown with a backslash: a text
// "# a" that is no heading as "\# a", a page "a | b" as [[a \| b]]. A flat note whose
// blocks can't be paragraphs, such as one with trailing blanks, is shown as bullets.
//
// These texts are shown as they are and read back as something else:
//
//   - those with a carriage return, a NUL, or a byte order mark in front, which Roam's
//     importer drops or turns into a line feed
//   - some with three backticks that are no fence of their own lines, where a backslash
//     would change which backticks are a pair
//
// Markdown is for Roam's importer, which knows no backslashes. It refuses what the
// importer can't be told, and such blocks are created one by one: those above; texts that
// begin with blanks, with "# " or with a fence that does not end, texts with lines like
// list items, rules and tables, with empty lines at the end, with *x* or _x_, with
// ((uid))<ref>; headings without text; and blocks with a view, an alignment, properties
// or folded children. Of the 4,115 blocks of Roam's public help graph it refuses 25, and
// Parse reads all back.
package note
