package graphdb

import "fmt"

// Code names a kind of failure; it is stable, the message is not.
type Code string

// The codes of this package's errors.
const (
	CodeUniqueConflict Code = "UNIQUE_CONFLICT" // another entity has this value of a unique attribute
	CodeInvalidValue   Code = "INVALID_VALUE"   // the value does not fit the attribute
	CodeInvalidEntity  Code = "INVALID_ENTITY"  // an entity id out of range
	CodeClosed         Code = "TX_CLOSED"       // a transaction used after its function returned
)

// Error is the refusal of a write that the schema forbids.
type Error struct {
	Code    Code
	Attr    Attr
	Entity  EID // the entity written
	Other   EID // for CodeUniqueConflict: the entity that has the value
	Message string
}

var _ error = (*Error)(nil)

func (e *Error) Error() string { return e.Message }

func errorf(code Code, e EID, a Attr, format string, args ...any) *Error {
	return &Error{Code: code, Entity: e, Attr: a, Message: fmt.Sprintf(format, args...)}
}
