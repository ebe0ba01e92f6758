package outline

import (
	"errors"
	"fmt"
)

// Code names a kind of failure.
type Code string

// The codes of this package's errors. Messages are worded so that clients of
// the Local API, which see text only, tell them apart ("doesn't exist",
// "already exists"; LOCAL_API.md 6.3).
const (
	CodeNotFound      Code = "NOT_FOUND"
	CodeAlreadyExists Code = "ALREADY_EXISTS"
	CodeInvalid       Code = "INVALID"
)

// Error is an operation refused because of what it asks for.
type Error struct {
	Code    Code
	Message string
}

var _ error = (*Error)(nil)

func (e *Error) Error() string { return e.Message }

func notFound(format string, args ...any) error {
	return &Error{CodeNotFound, fmt.Sprintf(format, args...)}
}

func exists(format string, args ...any) error {
	return &Error{CodeAlreadyExists, fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) error {
	return &Error{CodeInvalid, fmt.Sprintf(format, args...)}
}

// IsNotFound tells whether an error says that something asked for is not there.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeNotFound
}
