// Package dump reads Roam's EDN export, a print of the whole DataScript
// database: #datascript/DB {:schema {…} :datoms [[e a v tx] …]}.
//
// It promises that every datom is kept, those that no page shows included:
// blocks outside every page, users, versions, window state. Entity ids change,
// their order does not. It knows nothing of outlines: references, ancestors and
// orders are those of the dump and are not computed anew.
package dump
