package datalog

import "fmt"

// Code names a kind of failure; it is stable, the message is not.
type Code string

// The codes of this package's errors.
const (
	CodeParse                Code = "PARSE"                 // the query, rule or pattern is not well formed
	CodeUnknownFunction      Code = "UNKNOWN_FUNCTION"      // a predicate, function or aggregate that does not exist
	CodeInsufficientBindings Code = "INSUFFICIENT_BINDINGS" // a clause or :find needs a variable that nothing binds
	CodeInput                Code = "INPUT"                 // too few, too many or misshapen inputs
	CodeNotFound             Code = "NOT_FOUND"             // a lookup ref in a clause that names no entity
	CodeFunction             Code = "FUNCTION"              // a function was given something that it can't work with
	CodeTimeout              Code = "TIMEOUT"               // the time was up
	CodeBudget               Code = "BUDGET"                // more rows than the budget
	CodeMemory               Code = "MEMORY"                // more memory than the queries may hold together
)

// Error is why a query or a pull has no answer. If the context is canceled, its own
// error is returned instead.
type Error struct {
	Code    Code
	Message string
}

var _ error = (*Error)(nil)

func (e *Error) Error() string { return e.Message }

func errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
