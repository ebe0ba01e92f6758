// Package mdfolder turns a Roam JSON export into a folder of markdown files, a
// file a page, and such a folder into a Roam JSON export.
//
// It promises that a folder it wrote reads back as an equal export: what
// markdown has no words for (uids, times, users, view types) stands in the front
// matter of a file and in a tag at the end of each block. Folders from elsewhere
// are read as well: a file's name is its page's title, [[links]] are links. It
// knows no graph; package outline reads and writes the JSON form.
package mdfolder
