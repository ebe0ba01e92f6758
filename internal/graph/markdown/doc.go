// Package markdown is the one grammar of the Markdown that agents write and read: Parse
// makes blocks of a text, and Render makes a text of blocks. Package roamtext knows the
// syntax inside a block's text, and package outline what blocks are in a graph.
//
// Two laws hold:
//
//   - Parse(Render(blocks)) gives the same texts, headings and nesting, for all blocks.
//   - Every character of a text that is not structure is in the texts of Parse(text), in
//     order. Structure are the signs of the constructs below, blank lines and the
//     indentation around blocks, NUL characters, and a byte order mark in front.
//
// # Constructs
//
// A bullet is a hyphen, star or plus sign. Indentation nests. If every line belongs to a
// bullet, headings are labels; otherwise a heading owns what follows, up to the next one
// of its rank. A number stays in the text. A further line of a bullet or paragraph is a
// line of the same block, and so are blank lines and code that are indented to a bullet's
// text. The table of constructs has the rest: how each is recognized, what it contains,
// and which of them Roam's importer reads as well.
//
// Code is fenced by three or more backticks or tildes, and ends with at least as many of
// the same (CommonMark 4.5), on a line of their own or, as Roam has it, at the end of a
// line. Formulas are between two lines with $$. Code, formulas and HTML that ends with a
// sign of its own are kept character by character. They end with their list item: code
// that is not closed there is closed, and formulas and HTML are lines like others.
//
// # Escapes
//
// A backslash before a sign says that it is text: at the start of a line before a bullet, a
// heading, a fence, a formula, HTML, a rule or a check box, behind a number, on an empty
// line, before a single * or _, and in <ref>, </ref> and <roam, which reads add ("<\ref>").
// Before anything else a backslash is text, and in code, formulas and HTML it always is.
// `\␍` is a carriage return, and `\␀` a NUL.
//
// # Roam's importer
//
// Importer says what Roam makes of a text (LOCAL_API.md 9.5), as far as that is known.
// ForImporter returns the text that it reads back to the same blocks, if they have no
// construct of several lines; all others are created one by one.
package markdown
