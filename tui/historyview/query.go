package historyview

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
)

// Query selects recorded calls, as a person writes it. The zero Query selects all of them.
type Query struct {
	Graph, Agent, Session, Tool, Page, Block string
	Since, Until                             string // as history.ParseMoment takes them
	Gone                                     bool   // only calls after which something was no more, or rewritten elsewhere
	Limit                                    int    // calls at the most; 0: the usual number
}

// Filter returns what the query selects in the journal.
func (q Query) Filter(config configstore.Config, now time.Time) (history.Filter, error) {
	filter := history.Filter{Agent: q.Agent, Tool: q.Tool, Page: q.Page, Block: BareUID(q.Block), Gone: q.Gone, Limit: q.Limit}
	if q.Graph != "" {
		filter.Graphs = graphsNamed(q.Graph, config)
	}
	var err error
	if q.Session != "" {
		if filter.Session, err = parseSession(q.Session); err != nil {
			return history.Filter{}, err
		}
	}
	if q.Limit < 0 {
		return history.Filter{}, errors.New("--limit takes a number from 1 on")
	}
	if q.Since != "" {
		m, err := history.ParseMoment(q.Since, now)
		if err != nil {
			return history.Filter{}, fmt.Errorf("--since: %w", err)
		}
		m.Since(&filter)
	}
	if q.Until != "" {
		m, err := history.ParseMoment(q.Until, now)
		if err != nil {
			return history.Filter{}, fmt.Errorf("--until: %w", err)
		}
		m.Until(&filter)
	}
	return filter, nil
}

// graphsNamed returns the graph with a nickname or name, or else those that may have had
// that name: a graph that is not connected any more is known by its name in Roam.
func graphsNamed(name string, config configstore.Config) []history.Graph {
	entry, found := config.FindAny(name)
	if found {
		return []history.Graph{{Name: entry.Name, Type: string(entry.Graph().Type)}}
	}
	return []history.Graph{{Name: name, Type: string(localapi.Hosted)}, {Name: name, Type: string(localapi.Offline)}}
}

// BareUID returns a uid without the brackets that Roam writes around it.
func BareUID(uid string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(uid), "(("), "))")
}

func parseSession(text string) (int64, error) {
	number, err := strconv.ParseInt(strings.TrimPrefix(text, "s"), 10, 64)
	if err != nil || number <= 0 {
		return 0, fmt.Errorf("%q is no session: it is s and its number, such as s41", text)
	}
	return number, nil
}

// SessionsOf returns the sessions of calls, the newest first, and no more than so many.
func (v *View) SessionsOf(ctx context.Context, calls []history.Call, most int) (sessions []history.Session, err error) {
	seen := map[int64]bool{}
	for _, c := range calls {
		if seen[c.Session] {
			continue
		}
		seen[c.Session] = true
		if len(sessions) == most {
			break
		}
		found, err := v.journal.Sessions(ctx, history.Filter{Session: c.Session, Limit: 1})
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, found...)
	}
	return sessions, nil
}
