// Package problem holds the one error value of this program: a code, a sentence
// on what happened, and a hint on what to do.
//
// A hint keeps the commands to run and the tasks to call a tool for as values.
// They become text once, where the error goes out, with the flags and the tool
// names of the World that it is read in. The package lists the tasks, and knows no
// command, no tool and no code by name.
package problem

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Code names a kind of failure, such as GRAPH_NOT_CONFIGURED. Codes are
// declared by the package that reports them; Roam's are an open set.
type Code string

// The codes of unexplained errors.
const (
	CodeFailed    Code = "FAILED"    // what FromError makes of an error it knows nothing of
	CodeCancelled Code = "CANCELLED" // the context was canceled, or a person ended it
)

// Error is a failure that a person or a model may read. Neither its texts nor
// the error under it ever hold a token.
type Error struct {
	Code    Code
	Message string // what happened, one or more sentences, with Roam's own text where it sent one
	Hint    Hint   // what to do; empty where there is nothing to do

	// Next is the task whose tool is the next step for a model; empty: none.
	Next Task
	// Retry says whether the same call can succeed later.
	Retry Retry
	// Call is the call to Roam that failed; nil for all other errors.
	Call *Call
	// Place is where in a file the fault is; nil where none is meant.
	Place *Place
	// Details are further facts for a model, in the order in which they are sent.
	Details []Detail
	// Err is the error underneath, if any.
	Err error
}

// Retry says whether the same call can succeed later.
type Retry int

// The values of Retry.
const (
	RetryUnknown Retry = iota // nothing is said
	RetryLater
	RetryNever
)

// Call describes a failed call to Roam's Local API.
type Call struct {
	Action     string // the action or route that was called
	Status     int    // HTTP status; 0 where no reply came
	Text       string // the error text as Roam sent it; empty where it sent none
	APIVersion string // the version stamped on the reply; empty on old builds
	// Sent reports whether the request may have reached Roam. Where it is false
	// the request can be made again without doing anything twice.
	Sent bool
	// CodeSent reports whether Roam itself sent the code, rather than that it was
	// derived from the status or the text.
	CodeSent bool
}

// Place is a place in a file.
type Place struct {
	Path   string // the file
	Line   int    // from 1; 0: the file as a whole
	Column int    // in characters, from 1
	// Text is what stands there, a part of the line, without tokens; empty where it is
	// not known. The fault is at the character Mark of it, from 0.
	Text string
	Mark int
}

// Detail is a fact under a name, as it is encoded into JSON.
type Detail struct {
	Name  string
	Value any
}

// Error returns the code, the message and the HTTP status; never a token.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	if e.Message != "" {
		b.WriteString(": ")
		b.WriteString(e.Message)
	}
	if e.Status() != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Status returns the HTTP status of the call that failed, 0 where there is none.
func (e *Error) Status() int {
	if e.Call == nil {
		return 0
	}
	return e.Call.Status
}

// Action returns the action of the call that failed, empty where there is none.
func (e *Error) Action() string {
	if e.Call == nil {
		return ""
	}
	return e.Call.Action
}

// Sent reports whether the call that failed may have reached Roam.
func (e *Error) Sent() bool { return e.Call != nil && e.Call.Sent }

// With returns a copy of e with a detail added, or replaced where it has one of
// that name.
func (e *Error) With(name string, value any) *Error {
	changed := *e
	changed.Details = nil
	for _, d := range e.Details {
		if d.Name != name {
			changed.Details = append(changed.Details, d)
		}
	}
	changed.Details = append(changed.Details, Detail{name, value})
	return &changed
}

// Detail returns the value of a detail, nil where e has none of that name.
func (e *Error) Detail(name string) any {
	for _, d := range e.Details {
		if d.Name == name {
			return d.Value
		}
	}
	return nil
}

// As returns the first Error in err's tree.
func As(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// AsCall returns the first Error in err's tree, if that is a failed call to Roam.
func AsCall(err error) (*Error, bool) {
	e, ok := As(err)
	return e, ok && e.Call != nil
}

// CodeOf returns the code of the first Error in err's tree, empty where there is
// none.
func CodeOf(err error) Code {
	if e, ok := As(err); ok {
		return e.Code
	}
	return ""
}

// FromError returns the first Error in err's tree, or else one that says what
// err says.
func FromError(err error) *Error {
	if e, ok := As(err); ok {
		return e
	}
	return &Error{Code: CodeFailed, Message: Sentence(err.Error()), Err: err}
}

// List joins names: "A, B and C".
func List(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// Sentence gives a text a capital and a full stop, which the errors of Go
// packages have not.
func Sentence(s string) string {
	if s == "" {
		return s
	}
	first, size := utf8.DecodeRuneInString(s)
	s = strings.ToUpper(string(first)) + s[size:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
