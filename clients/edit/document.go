package edit

import "errors"

// document is an open document of one format, at one place.
type document interface {
	put(Entry) ([]byte, error)
	remove() ([]byte, error)
	list() ([]Found, error)
}

func open([]byte, Place) (document, error) { return nil, errors.ErrUnsupported }

func checkEntry(Place, Entry) error { return nil }
