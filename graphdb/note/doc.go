// Package note says what a note is in Roam: a page or a block with all that is below
// it, its kind, tags, properties and links, and its content as text, both ways.
//
// It promises that what the text of a block mentions is what package roamtext reads
// there, and that hidden blocks (#.rm-hide, #.rm-private, and all below them) are in
// no content, tags, links and times. It knows neither files nor calls: a Node comes
// from a snapshot (FromDB) or from a read of Roam.
package note
