package history

import (
	"context"
	"encoding/json"

	"zombiezen.com/go/sqlite"
)

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

func (j *Journal) exportedVersion(ctx context.Context, id int64) (line exportedVersion, ok bool, err error) {
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
