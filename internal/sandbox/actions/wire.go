package actions

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/textsafe"
)

// DescribeJSON describes an error in JSON without quoting any of the JSON.
func DescribeJSON(err error) string {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return fmt.Sprintf("%q can't be a JSON %s", lastName(mistyped.Field), strings.Fields(mistyped.Value)[0])
	case errors.As(err, &mistyped):
		return "it is a JSON " + strings.Fields(mistyped.Value)[0]
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is wrong at byte %d", syntax.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	}
	return err.Error()
}

func lastName(field string) string { return field[strings.LastIndexByte(field, '.')+1:] }

// Loggable returns s on one line, without control characters and tokens, and cut
// to 80 characters.
func Loggable(s string) string { return cutText(Printable(s), 80) }

// Printable is Loggable for text that may be long.
func Printable(s string) string {
	if strings.Contains(s, localapi.TokenPrefix) {
		return "[redacted]"
	}
	return strings.Map(func(r rune) rune {
		if textsafe.Unshowable(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// ErrorText returns the message of a handler's error, which may hold texts of
// blocks: it is cut to 1,000 characters, and replaced if it holds a token.
func ErrorText(err error) string {
	message := err.Error()
	if strings.Contains(message, localapi.TokenPrefix) {
		return "the action failed"
	}
	return cutText(message, 1000)
}

// cutText shortens s to a number of characters.
func cutText(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
