// Package roamtext reads Roam's inline text: what in the text of a block, or in
// the title of a page, is a reference, code, a component, an address or
// emphasis (LOCAL_API.md 9.3).
//
// It promises the same answer to all who read such text, in time that grows with
// the text and no faster, and for any bytes. It does not know what the
// references lead to, nor the markdown of several blocks.
//
// # Rules
//
// Of two forms that would cross one is read and the delimiters of the other are
// text: code comes first, then links, references to blocks, the forms that are
// neither tags nor emphasis in the order in which they begin, tags, and emphasis.
//
// Code. A run of backticks opens code, and the next run of the same length
// closes it; a run that is not closed is text. `\“ opens nothing. Nothing in
// code counts.
//
// Links. [[Title]] and #[[Title]] may be nested, 20 levels deep; each of them
// is a mention. Nothing else counts in a title. Of an odd number of opening
// brackets the first is text. [[]] is text, though Roam has it lead to a page
// whose title is empty.
//
// Attributes. "Title::" is an attribute where a text begins with it: the title is
// on one line, does not end in a space, holds no code and is no link, reference
// or component itself. The colons may not stand inside another form, nor a third
// one follow.
//
// Aliases and images. [label](target) and ![label](target) are on one line, with
// brackets and parentheses in pairs. They hold links, references to blocks and
// components, and no tags.
//
// Components. {{name: argument}} goes up to the braces that belong to it or,
// where braces inside are not in pairs, to the first "}}". All other forms but
// emphasis are read in it.
//
// Formulas. $$…$$, opened by no more than two signs, holds links and references to blocks, and no tags.
//
// Addresses. scheme://…, mailto:… and www.… go up to a space, a quotation mark,
// a bracket or a parenthesis without its pair, and do not end in a full stop or
// another sign of a sentence or of emphasis. They hold no tags, with the
// exception that Roam makes: it does not take an address of the web for one if its
// host has no full stop, so that http://localhost:8020/#/app/test mentions the
// page /app/test.
//
// References to blocks. ((uid)) holds neither spaces nor brackets.
//
// Tags. # begins a tag wherever it stands, in the middle of a word and behind
// another sign too: a#b mentions b. The title is as long as there are letters,
// digits and marks of any script and these: - _ / . : @ * '. So signs at its end
// belong to it: #done. mentions the page "done.", and **#Agenda** the page
// "Agenda**". All else ends it: a comma, a bracket, &, +, ’, the punctuation of
// other scripts, and emoji. #[[Title]] serves where that is not meant.
//
// Emphasis. **bold**, __italic__, ^^highlight^^ and ~~strike~~ have no space
// behind the opening and before the closing sign, may be nested, 20 levels deep,
// and do not go over an empty line. Only Tree reads emphasis, and only outside
// of the other forms.
//
// # Where the rules come from
//
// The references that Roam itself stored with the texts of its public help graph
// bear out these rules in all its texts of 2021 and of 2024, but for those that
// Roam had not brought up to date. What may stand in a tag is
// borne out by the pages that Roam made in two public graphs of its users:
// "roamcult.", "3:", "China's" and "P:Self" are pages that nothing but tags
// mention, and the tag in C#程序员小赵说：… made the page 程序员小赵说.
package roamtext
