// Package textsafe decides on how texts and names from anywhere are shown: which characters
// must not be (Unshowable, Hidden), how a text is written so that each can be seen and read
// back (Escape, Unescape), how it stands in a sentence of ours and in a log, on one line and
// with nothing in it that looks like a token (Quote, Line, Redact), how much of it a language
// model can take (CountTokens), which name was meant (Closest), and how a path reads
// (ShortPath).
package textsafe
