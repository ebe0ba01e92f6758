// Package roamtext reads Roam's inline text, which is the text of a block or the
// title of a page: references, tags, attributes, code, components, addresses and
// emphasis (LOCAL_API.md 9.3).
//
// It accepts any bytes and takes time linear in their number. It knows neither the
// graph that the references lead to nor the markdown of several blocks.
//
// FindMentions finds where a text names a page without linking it: never inside what is
// a link, a tag, a reference, code, a component or an address already. It promises the
// same answer for the same texts and titles, and time that grows with the text and the
// number of titles and no faster.
//
// # Rules
//
// Forms do not cross. Where two would, the one that comes first in this order is
// read, and the delimiters of the other are text: code; links; references to
// blocks; of aliases, images, components, formulas and addresses the one that
// begins first; tags; emphasis.
//
// Code: a run of backticks opens code, and the next run of the same length closes
// it. A run that is not closed is text, and so is a backtick behind a backslash.
// Nothing is read in code.
//
// Links: [[Title]] and #[[Title]] may be nested, up to 20 levels; each of them is
// a reference. Nothing else is read in a title. Of an odd number of opening
// brackets the first is text. [[]] is text; in Roam it refers to a page without a
// title.
//
// References to blocks: ((uid)), without spaces, quotation marks and brackets.
//
// Attributes: "Title::" at the start of a text. The title is on one line, does not
// end in a space, contains no code, and is not itself a link, a reference to a
// block or a component. The colons are outside of other forms, and two in number.
//
// Aliases and images: [label](target) and ![label](target), on one line, with
// brackets and parentheses in pairs. Other forms than tags and emphasis are read in
// the label and in the target.
//
// Components: {{name: argument}}, up to the closing braces of the pair or, if
// braces inside are not in pairs, to the first "}}". Other forms than emphasis are
// read in them.
//
// Formulas: $$…$$, with no third sign in front. Links and references to blocks are
// read in them, tags are not.
//
// Addresses: scheme://…, mailto:… and www.…, up to white space, a quotation mark,
// a bracket, or a parenthesis that is not in a pair. Punctuation and signs of
// emphasis at the end do not belong to an address. No tags are read in it, with
// one exception: Roam recognizes an http or https address only if its host contains
// a full stop, so http://localhost:8020/#/app/test refers to the page /app/test.
//
// Tags: #Title. A tag begins at any #, also in the middle of a word and behind
// another sign: a#b refers to b. Its title consists of letters, digits and marks
// of any script, and of the signs - _ / . : @ * and '. Signs at its end belong to
// it: #done. refers to the page "done.", **#Agenda** to the page "Agenda**". Every
// other character ends it, such as a comma, a bracket, &, ’, punctuation of other
// scripts, an emoji and (assumed) +.
//
// Emphasis: **bold**, __italic__, ^^highlight^^ and ~~strike~~, with no space
// inside next to the signs and no empty line between them. It may be nested, up to
// 20 levels. Tree reads it, outside of the other forms only; Spans does not.
//
// # Sources
//
// The rules give the references that Roam itself stored with the texts of its
// public help graph, both in 2021 and in 2024, except where Roam did not update
// them. The characters of tags are those of page titles in two public graphs of
// users: "roamcult.", "3:", "China's" and "P:Self" are pages to which only tags
// refer, and the text C#程序员小赵说：… created the page 程序员小赵说.
package roamtext
