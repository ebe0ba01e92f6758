package budget

import (
	"errors"
	"fmt"

	"roam-mcp/internal/problem"
)

// The codes of the errors that Explain makes.
const (
	CodeBusy     problem.Code = "MEMORY_BUSY"     // others have used the memory up, for a while
	CodeTooLarge problem.Code = "MEMORY_EXCEEDED" // it takes more than all there is
)

// ErrBusy is the error of a wait that took too long.
var ErrBusy = errors.New("others use all the memory that there may be")

// TooLargeError is the error for what takes more than all there is.
type TooLargeError struct{ Wanted, Size int64 } // bytes

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("it takes about %d MiB of memory, and may take %d", e.Wanted>>20, e.Size>>20)
}

// Is reports whether an error is one of a Budget.
func Is(err error) bool {
	return errors.Is(err, ErrBusy) || errors.As(err, new(*TooLargeError))
}

// Explain returns an error of a Budget as people and models read it. what begins a sentence,
// such as "Roam's reply".
func Explain(err error, what string) *problem.Error {
	var large *TooLargeError
	if errors.As(err, &large) {
		return &problem.Error{
			Code: CodeTooLarge, Err: err, Retry: problem.RetryNever,
			Message: fmt.Sprintf("%s takes about %d MiB of memory, and roam-mcp may use %d for it.", what, large.Wanted>>20, large.Size>>20),
			Hint:    problem.Say("Ask for less at once, or give it more: %s", problem.Run("serve").With("--memory", "1GiB")),
		}
	}
	return &problem.Error{
		Code: CodeBusy, Err: err, Retry: problem.RetryLater,
		Message: fmt.Sprintf("%s had to wait too long for memory: what else is going on uses up what roam-mcp may.", what),
		Hint:    problem.Say("Try again in a moment, and ask for less at once."),
	}
}
