package review

import (
	"strconv"
	"time"

	"roam-mcp/internal/journal/history"
)

// Line is a call in a list. Its texts are cleaned.
type Line struct {
	Number  int64
	Time    string // 14:05:10, with the date in front unless it was today
	Agent   string
	Graph   string
	Tool    string
	Summary string // what it changed; "" where that is not known or not kept
	Result  Result
}

// Result says what came of a call.
type Result struct {
	Mark  Mark
	Words string // without a capital
}

// Lines returns the lines of calls, in their order.
func Lines(calls []history.Call, names Names, now time.Time) []Line {
	lines := make([]Line, 0, len(calls))
	for _, c := range calls {
		lines = append(lines, Line{
			Number: c.ID, Time: clock(c.At, now, toTheSecond), Agent: clean(c.Agent), Graph: clean(names(c.Graph)),
			Tool: clean(c.Tool), Summary: clean(c.Summary), Result: ResultOf(c),
		})
	}
	return lines
}

// ResultOf says what came of a call.
func ResultOf(c history.Call) Result {
	switch {
	case c.PartlyUndone:
		return Result{Unsure, "partly undone by " + strconv.FormatInt(c.UndoneBy, 10)}
	case c.UndoneBy != 0:
		return Result{Done, "undone by " + strconv.FormatInt(c.UndoneBy, 10)}
	}
	switch c.State {
	case history.CallOpen:
		if c.Abandoned {
			return Result{Unsure, "not known yet: Roam can't be asked"}
		}
		return Result{Running, "running"}
	case history.CallDone:
		if c.Evidence != "" {
			return Result{Unsure, "reply was lost; it was done"}
		}
		return Result{Done, "done"}
	case history.CallFailed:
		if c.Evidence != "" {
			return Result{Failed, "reply was lost; it was not done"}
		}
		return Result{Failed, "refused" + because(c.Code)}
	case history.CallPartly:
		return Result{Unsure, "partly done" + because(c.Code)}
	case history.CallStopped:
		return Result{Failed, "not sent" + because(c.Code)}
	case history.CallUnknown:
		return Result{Unsure, "not known whether it was done"}
	}
	return Result{Unsure, clean(string(c.State))}
}

func because(code string) string {
	if code == "" {
		return ""
	}
	return ": " + clean(code)
}
