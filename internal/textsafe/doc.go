// Package textsafe decides on how texts and names from anywhere are shown: which characters
// must not be (Unshowable, Hidden), how a text is written so that each can be seen and read
// back (Escape, Unescape), which name was meant (Closest), and how a path reads (ShortPath).
package textsafe
