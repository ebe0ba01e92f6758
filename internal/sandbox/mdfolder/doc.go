// Package mdfolder converts a Roam JSON export to a folder of markdown files, one per
// page, and such a folder to a Roam JSON export.
//
// It promises that a folder it wrote reads back as an equal export: what markdown
// can't express (uids, times, users, view types) is in the front matter of a file and
// in a tag at the end of each block. It reads folders of other programs too: a file's
// name is its page's title, [[links]] are links. It knows no graph; package outline
// reads and writes the JSON form.
package mdfolder
