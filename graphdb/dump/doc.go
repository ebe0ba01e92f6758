// Package dump reads Roam's EDN export, a print of the whole DataScript
// database: #datascript/DB {:schema {…} :datoms [[e a v tx] …]}.
//
// It promises that every datom is kept, also those of blocks outside every page, of
// users, versions and window state. Entity ids change, their order does not. It
// knows nothing of outlines: references, ancestors and orders are taken from the
// dump.
package dump
