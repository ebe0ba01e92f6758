package localapi

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// describe writes the two sentences of an error that Roam reported: what
// happened, always with Roam's own text where it sent one, and what to do.
func describe(e *Error, expected string) (what, todo string) {
	what, todo = sentences(e, expected)
	if what == "" {
		what = fmt.Sprintf("Roam answered with status %d.", e.Status)
		if e.RoamText != "" {
			what = "Roam says: " + period(e.RoamText)
		}
		return what, todo
	}
	if e.RoamText != "" && !strings.Contains(what, e.RoamText) {
		what += " Roam says: " + period(e.RoamText)
	}
	return what, todo
}

// sentences holds the texts by code; codes it does not know give none.
func sentences(e *Error, expected string) (what, todo string) {
	switch e.Code {
	case CodeVersionMismatch:
		return "Roam and roam-mcp speak different versions of the Local API.", versionAdvice(e.APIVersion, expected)
	case CodeMissingToken:
		return "The call carried no token.", "Re-authorize the graph."
	case CodeInvalidTokenFormat:
		return "Roam does not accept this kind of token.", "Use a Local API token: Roam, Settings > Graph > Local API Tokens; a token for the cloud API does not work here."
	case CodeWrongGraphType:
		return "The token belongs to the other graph of that name: hosted and offline are mixed up.", "Re-authorize the graph with the right type."
	case CodeTokenNotFound, CodeUnauthorized:
		return "Roam does not know this token for this graph: it was revoked, or made for another graph.", "Re-authorize the graph."
	case CodeInsufficientScope:
		return "The token does not allow this.", "Raise its level in Roam, Settings > Graph > Local API Tokens, or re-authorize with more access."
	case CodeScopeExceedsPermission:
		return "Your own right in this graph does not allow this.", "Ask the graph's owner for more, or keep to reading."
	case CodeUserRejected:
		return "The request was rejected in Roam. Nothing was saved.", "Ask again when you mean to allow it, or ask for less access."
	case CodeGraphBlocked:
		return "\"Never allow\" was chosen for this graph, so Roam refuses without asking.", "To unblock: open the graph in Roam, Settings > Graph > Local API Tokens; then ask again."
	case CodeTimeout:
		return "Nobody answered the request in Roam in time.", "Ask again when you are at Roam."
	case CodeRequestInProgress:
		return "Another request for this graph is open in Roam.", "Answer or close that dialog in Roam, then ask again."
	case CodeCancelled:
		return "The request was cancelled.", "Start again when you are ready."
	case CodeDisabled:
		return "Roam's Local API is disabled.", "Enable it in Roam's settings."
	}
	return serverSentences(e)
}

// serverSentences holds the texts for failures inside Roam.
func serverSentences(e *Error) (what, todo string) {
	switch e.Code {
	case CodeUnknownAction:
		return "This build of Roam does not know the action " + strconv.Quote(e.Action) + ".", "Update Roam Desktop."
	case CodeWindowClosed:
		return "The graph's window was closed, or the graph is still locked.", "Open the graph in Roam, with its password if it is encrypted, and try again."
	case CodeRateLimited:
		return "Roam takes no more writes for the moment.", "Wait a minute, then try again."
	case CodeQueryTimeout:
		return "The query took too long.", "Narrow it, or give it more time with :timeout."
	case CodeTokenFileCorrupted:
		return "Roam can't read its own file of tokens.", "Make the tokens anew in Roam, Settings > Graph > Local API Tokens."
	case CodeAccessDenied:
		return "Roam refused the call.", "Check the graph's permissions in Roam."
	}
	return "", ""
}

// versionAdvice says which side to update: the older one (LOCAL_API.md 1.5).
func versionAdvice(roam, ours string) string {
	switch newer := compareMajorMinor(roam, ours); {
	case newer > 0:
		return fmt.Sprintf("Update roam-mcp: Roam speaks %s, this roam-mcp speaks %s.", roam, ours)
	case newer < 0:
		return fmt.Sprintf("Update Roam Desktop: it speaks %s, roam-mcp speaks %s.", roam, ours)
	}
	return "Update Roam Desktop and roam-mcp."
}

// compareMajorMinor is 0 also where either version can't be read.
func compareMajorMinor(a, b string) int {
	var majorA, minorA, majorB, minorB int
	if n, _ := fmt.Sscanf(a, "%d.%d", &majorA, &minorA); n != 2 {
		return 0
	}
	if n, _ := fmt.Sscanf(b, "%d.%d", &majorB, &minorB); n != 2 {
		return 0
	}
	if majorA != majorB {
		return majorA - majorB
	}
	return minorA - minorB
}

func period(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// Sentence gives a text a capital and a full stop, which the errors of Go packages
// have not.
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
