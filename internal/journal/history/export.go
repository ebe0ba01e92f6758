package history

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
)

// exportedCall is a line of an export. Names of fields stay as they are; further ones may
// come. Times are RFC 3339 in UTC with milliseconds. Fields that say nothing are left out.
type exportedCall struct {
	Call      int64             `json:"call"` // number
	Graph     string            `json:"graph"`
	GraphType string            `json:"graphType"`
	Server    int64             `json:"server"`  // number
	Session   int64             `json:"session"` // number
	Agent     string            `json:"agent"`
	Client    string            `json:"client,omitempty"`
	Tool      string            `json:"tool"`
	At        string            `json:"at"`
	TookMs    int64             `json:"tookMs"`
	State     CallState         `json:"state"`
	Abandoned bool              `json:"abandoned,omitempty"` // open, and its server has ended
	Code      string            `json:"code,omitempty"`
	Evidence  string            `json:"evidence,omitempty"`
	Summary   string            `json:"summary,omitempty"`
	TextsGone bool              `json:"textsGone,omitempty"` // purged, or never kept
	Args      json.RawMessage   `json:"args,omitempty"`
	Pages     map[string]string `json:"pages,omitempty"` // titles by uid
	Changes   []exportedChange  `json:"changes"`
}

// exportedChange is a request to Roam.
type exportedChange struct {
	Change   string          `json:"change"` // number, such as 412.1
	Action   string          `json:"action"`
	Class    fact.Class      `json:"class"`
	State    State           `json:"state"`
	Sent     string          `json:"sent"`
	Done     string          `json:"done,omitempty"`
	Code     string          `json:"code,omitempty"`
	Evidence string          `json:"evidence,omitempty"`
	Request  json.RawMessage `json:"request,omitempty"` // list of the arguments as Roam took them
	Before   json.RawMessage `json:"before,omitempty"`  // facts
	BeforeBy By              `json:"beforeBy"`
	After    json.RawMessage `json:"after,omitempty"` // facts
	AfterBy  By              `json:"afterBy,omitempty"`
	Lacks    []string        `json:"lacks,omitempty"` // what can't be restored, in words
	UndoneBy int64           `json:"undoneBy,omitempty"`
	Touches  []exportedTouch `json:"touches"`
}

// exportedTouch is a page or block that a change touches.
type exportedTouch struct {
	UID  string `json:"uid"`
	Role string `json:"role"` // target made gone place referrer implied
	Page string `json:"page,omitempty"`
}

// Export writes the calls that a filter chooses with their changes, oldest first, one
// JSON object a line, and then the versions of pages (JOURNAL.md, JSON). Each
// line is a state of its own: what is recorded meanwhile may be in later lines.
func (j *reader) Export(ctx context.Context, w io.Writer, filter Filter) error {
	var calls, versions []int64
	filter.OldestFirst = true
	_, err := j.read(ctx, func(conn *sqlite.Conn) (err error) {
		if calls, err = choose(conn, filter, cmp.Or(max(filter.Limit, 0), math.MaxInt)); err == nil {
			versions, err = chooseVersions(conn, filter)
		}
		return err
	})
	if err != nil {
		return err
	}
	encoder := newEncoder(w)
	if err := exportEach(ctx, encoder, calls, j.exportedCall); err != nil {
		return err
	}
	return exportEach(ctx, encoder, versions, j.exportedVersion)
}

// newEncoder returns one that writes a value a line, as it would stand in a file.
func newEncoder(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder
}

// exportEach writes what a function reads of each number, unless it was purged meanwhile.
func exportEach[T any](ctx context.Context, encoder *json.Encoder, ids []int64, read func(context.Context, int64) (line T, ok bool, err error)) error {
	for _, id := range ids {
		line, ok, err := read(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := encoder.Encode(line); err != nil {
			return fmt.Errorf("write the export: %w", err)
		}
	}
	return nil
}

func (j *reader) exportedCall(ctx context.Context, id int64) (exportedCall, bool, error) {
	record, ok, err := j.Record(ctx, id)
	return exported(record), ok, err
}

func exported(r Record) exportedCall {
	line := exportedCall{
		Call: r.Call.ID, Graph: r.Call.Graph.Name, GraphType: r.Call.Graph.Type, Server: r.Call.Server, Session: r.Call.Session,
		Agent: r.Call.Agent, Client: r.Call.Client, Tool: r.Call.Tool, At: exportedTime(r.Call.At), TookMs: r.Call.Took.Milliseconds(),
		State: r.Call.State, Abandoned: r.Call.Abandoned, Code: r.Call.Code, Evidence: r.Call.Evidence, Summary: r.Call.Summary,
		TextsGone: r.Call.TextsGone, Args: exportedText(r.Call.Args), Pages: r.Pages, Changes: []exportedChange{},
	}
	for _, c := range r.Changes {
		change := exportedChange{
			Change: fmt.Sprintf("%d.%d", c.Call, c.Seq), Action: c.Action, Class: c.Class, State: c.State,
			Sent: exportedTime(c.Sent), Done: exportedTime(c.Done), Code: c.Code, Evidence: c.Evidence,
			Request: exportedText(c.Request), Before: exportedText(c.Before), BeforeBy: c.BeforeBy,
			After: exportedText(c.After), AfterBy: c.AfterBy, Lacks: c.Lacks, UndoneBy: c.UndoneBy, Touches: []exportedTouch{},
		}
		for _, touch := range c.Touches {
			change.Touches = append(change.Touches, exportedTouch{touch.UID, roleName(touch.Role), touch.Page})
		}
		line.Changes = append(line.Changes, change)
	}
	return line
}

func roleName(role fact.Role) string {
	switch role {
	case fact.RoleTarget:
		return "target"
	case fact.RoleMade:
		return "made"
	case fact.RoleGone:
		return "gone"
	case fact.RolePlace:
		return "place"
	case fact.RoleReferrer:
		return "referrer"
	case fact.RoleImplied:
		return "implied"
	}
	return fmt.Sprintf("role %d", role)
}

// exportedText returns JSON as it is, and as a string where it is malformed.
func exportedText(text []byte) json.RawMessage {
	if text == nil || json.Valid(text) {
		return text
	}
	quoted, _ := json.Marshal(string(text)) // a string can be encoded
	return quoted
}

func exportedTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// exportedVersion is a line of an export, after those of the calls.
type exportedVersion struct {
	Version   string          `json:"version"` // ID
	Graph     string          `json:"graph"`
	GraphType string          `json:"graphType"`
	Page      string          `json:"page"` // uid
	Seen      string          `json:"seen"`
	At        string          `json:"at"`
	Kind      string          `json:"kind"`
	Author    string          `json:"author,omitempty"`
	Agent     string          `json:"agent,omitempty"`
	Client    string          `json:"client,omitempty"`
	Title     string          `json:"title"`
	From      string          `json:"from,omitempty"`
	Created   string          `json:"created,omitempty"`
	Updated   string          `json:"updated,omitempty"`
	Tree      json.RawMessage `json:"tree"`
}

// chooseVersions returns the versions that a filter chooses, by graph, oldest first: all of
// its graphs, page, agent and time. Where it has numbers of calls, a session, a tool, a
// block or a limit, it chooses none.
func chooseVersions(conn *sqlite.Conn, filter Filter) ([]int64, error) {
	if filter.Session != 0 || filter.Tool != "" || filter.Block != "" || filter.After != 0 || filter.Before != 0 || filter.Limit != 0 {
		return nil, nil
	}
	if there, err := hasVersions(conn); err != nil || !there {
		return nil, err
	}
	graphs, args := graphsQuery(filter.Graphs)
	condition := "graph IN (" + graphs + ")"
	for _, each := range []struct {
		text  string
		value any
		set   bool
	}{
		{"page = ?", filter.PageUID, filter.PageUID != ""},
		{"title = ?", filter.Page, filter.Page != ""},
		{"agent = ?", filter.Agent, filter.Agent != ""},
		{"seen >= ?", filter.Since.UnixMilli(), !filter.Since.IsZero()},
		{"seen < ?", filter.Until.UnixMilli(), !filter.Until.IsZero()},
	} {
		if each.set {
			condition, args = condition+" AND "+each.text, append(args, each.value)
		}
	}
	return numbersOf(conn, "SELECT id FROM version WHERE "+condition+" ORDER BY graph, id", args...)
}

func (j *reader) exportedVersion(ctx context.Context, id int64) (line exportedVersion, ok bool, err error) {
	_, err = j.read(ctx, func(conn *sqlite.Conn) error {
		found, err := readVersions(conn, "id = ?", []any{id}, true)
		if ok = len(found) > 0; err != nil || !ok {
			return err
		}
		v := found[0]
		line = exportedVersion{
			Version: v.ID, Page: v.Page, Seen: exportedTime(v.Seen), At: exportedTime(v.At),
			Kind: v.Kind, Author: v.Author, Agent: v.Agent, Client: v.Client, Title: v.Title, From: v.From,
			Created: exportedTime(v.Created), Updated: exportedTime(v.Updated), Tree: exportedText(v.Tree),
		}
		return rows(conn, "SELECT graph.name, graph.type FROM version JOIN graph ON graph.id = version.graph WHERE version.id = ?", []any{id}, func(row *sqlite.Stmt) error {
			line.Graph, line.GraphType = row.ColumnText(0), row.ColumnText(1)
			return nil
		})
	})
	return line, ok, err
}
