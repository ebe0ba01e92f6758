// Package localapi speaks Roam Desktop's Local API: it finds the port, sends
// the requests, and turns every reply into a typed value or a *problem.Error.
//
// It promises that nothing is ever sent twice, that cancelling a context closes
// the HTTP request under it, that it dials 127.0.0.1 only, and no port there that
// is known to be another user's, that a token goes only to who has answered before
// as Roam does, and that it shows up nowhere but in the request itself. It does not
// know where tokens are kept, who asks for them, or what MCP is.
package localapi

import (
	"fmt"
	"strings"

	"roam-mcp/internal/lazyregexp"
)

// GraphType tells the two kinds of Roam graph apart. The same name may exist
// once as each; a token is good for one of them only.
type GraphType string

const (
	Hosted  GraphType = "hosted"
	Offline GraphType = "offline"
)

// ParseGraphType accepts "hosted", "offline" and "", which means hosted.
func ParseGraphType(s string) (GraphType, error) {
	switch GraphType(s) {
	case "", Hosted:
		return Hosted, nil
	case Offline:
		return Offline, nil
	}
	return "", fmt.Errorf("%q is not a graph type: it is hosted or offline", s)
}

// Graph names a graph as Roam does: by its canonical name and its type.
type Graph struct {
	Name string    `json:"name"`
	Type GraphType `json:"type"`
}

var graphName = lazyregexp.New(`^[A-Za-z0-9_-]{1,128}$`)

// ValidGraphName reports whether s can be a graph's canonical name: letters,
// digits, "_" and "-". Anything else is refused before it reaches a URL.
func ValidGraphName(s string) bool { return graphName.MatchString(s) }

// graphAddress is the address of a graph, or of a page in it, in a browser or as a deep
// link (LOCAL_API.md 1.10).
var graphAddress = lazyregexp.New(`^(?i:(?:https?://)?(?:www\.)?roamresearch\.com/?|roam:/{0,3})?#/(app|offline)/([A-Za-z0-9_-]{1,128})(?:[/?#]\S*)?$`)

// ParseGraphName reads a graph's name, or its address: roamresearch.com/#/app/NAME with
// or without https:// and what leads to a page, or a deep link such as
// roam://#/app/NAME. A name alone has no type.
func ParseGraphName(s string) (Graph, error) {
	s = strings.TrimSpace(s)
	if found := graphAddress.FindStringSubmatch(s); found != nil {
		graph := Graph{Name: found[2], Type: Hosted}
		if found[1] == "offline" {
			graph.Type = Offline
		}
		return graph, nil
	}
	if !ValidGraphName(s) {
		return Graph{}, fmt.Errorf("%q can't be a graph's name: it has letters, digits, - and _ only, as in roamresearch.com/#/app/NAME", s)
	}
	return Graph{Name: s}, nil
}

// AccessLevel is what a token permits. Each level includes those below it.
type AccessLevel string

const (
	ReadOnly    AccessLevel = "read-only"
	ReadAppend  AccessLevel = "read-append"
	ReadEditOwn AccessLevel = "read-edit-own" // known, but not granted by the Local API
	Full        AccessLevel = "full"
)

// RequestableLevels lists the levels that a token can be requested with,
// strongest first.
func RequestableLevels() []AccessLevel { return []AccessLevel{Full, ReadAppend, ReadOnly} }

// ParseAccessLevel accepts the levels that can be requested.
func ParseAccessLevel(s string) (AccessLevel, error) {
	for _, l := range RequestableLevels() {
		if string(l) == s {
			return l, nil
		}
	}
	return "", fmt.Errorf("%q is not an access level: it is full, read-append or read-only", s)
}

// Known reports whether this build knows the level. A level from a newer Roam
// is shown as it is, but never stored.
func (l AccessLevel) Known() bool { return l.rank() > 0 }

func (l AccessLevel) rank() int {
	switch l {
	case ReadOnly:
		return 1
	case ReadAppend:
		return 2
	case ReadEditOwn:
		return 3
	case Full:
		return 4
	}
	return 0
}

// LowerThan reports whether l permits less than other. Unknown levels compare
// as lower than nothing, so that no warning is made up about them.
func (l AccessLevel) LowerThan(other AccessLevel) bool {
	return l.Known() && other.Known() && l.rank() < other.rank()
}

// CanAppend reports whether blocks and pages may be created with this level.
func (l AccessLevel) CanAppend() bool { return l.rank() >= ReadAppend.rank() }

// CanEdit reports whether existing blocks may be changed and deleted.
func (l AccessLevel) CanEdit() bool { return l == Full }

// Words names the level as a person reads it: "read + append", not "read-append".
func (l AccessLevel) Words() string {
	switch l {
	case ReadOnly:
		return "read only"
	case ReadAppend:
		return "read + append"
	case ReadEditOwn:
		return "read + edit own"
	case Full:
		return "full"
	case "":
		return "unknown"
	}
	return string(l)
}

// Explain says what agents can do with the level, as the end of a sentence
// that begins with "agents can".
func (l AccessLevel) Explain() string {
	switch l {
	case ReadOnly:
		return "read, not change anything"
	case ReadAppend:
		return "read and add, not change or delete"
	case ReadEditOwn:
		return "read, add, and change what they added"
	case Full:
		return "read, add, change and delete"
	}
	return "do what Roam allows"
}

// DefaultNickname makes a nickname from a graph's name: "my-work_graph" becomes
// "My work graph". It is a suggestion; nothing depends on its form.
func DefaultNickname(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	if len(words) == 0 {
		return name
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ")
}
