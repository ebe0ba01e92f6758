package profiletest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"roam-mcp/internal/testutil/require"
)

// Steady makes what is said in a world the same in every run: uids that were made in it
// become new000001, new000002 and so on, tickets TICKET-1 and so on, what tells uploaded
// files apart FILE-1, versions of notes abc0001, ports 3333, and milliseconds 1. What else is random is to be named.
type Steady struct {
	w     *World
	old   map[string]bool   // uids of the start
	names map[string]string // what stands for what was seen
	made  map[string]int    // names by their first part
}

// Steady returns one that knows the uids which the graphs have now.
func (w *World) Steady() *Steady {
	w.T.Helper()
	s := &Steady{w: w, names: map[string]string{}, made: map[string]int{}}
	s.old = s.uids()
	return s
}

// uids returns those of all graphs.
func (s *Steady) uids() map[string]bool {
	s.w.T.Helper()
	all := map[string]bool{}
	graphs := []string{MainGraph}
	if s.w.suite.options.Second {
		graphs = append(graphs, SecondGraph)
	}
	for _, graph := range graphs {
		reply, err := s.w.Ask(s.w.T.Context(), graph, "q", `[:find [?u ...] :where [_ :block/uid ?u]]`)
		require.NoError(s.w.T, err)
		var uids []string
		require.NoError(s.w.T, json.Unmarshal(reply, &uids))
		for _, uid := range uids {
			all[uid] = true
		}
	}
	return all
}

var (
	dailyUID = regexp.MustCompile(`^\d\d-\d\d-\d{4}$`)
	ticketIn = regexp.MustCompile(`"ticket":"([^"]+)"`)
	// In a history, an error, a title, and a diff.
	versionIn = regexp.MustCompile(`(?m)(?:^|[ (])([0-9a-f]{7})(?: \(20| →|\)$)`)
	fileIn    = regexp.MustCompile(`https://files\.[^/]+/\w+/\w+/([\w-]+)/`)
	portIn    = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	millisIn  = regexp.MustCompile(`"(\w+_ms)":\d+`)
)

// Name has a name with that first part stand for a value from now on.
func (s *Steady) Name(value, first string) {
	if s.names[value] == "" {
		s.made[first]++
		s.names[value] = fmt.Sprintf("%s%d", first, s.made[first])
	}
}

// Text returns a text in which names stand for what differs. It is to be called after
// each call, since it looks which uids the graphs have.
func (s *Steady) Text(text string) string {
	s.w.T.Helper()
	made := slices.Collect(maps.Keys(s.uids()))
	made = slices.DeleteFunc(made, func(uid string) bool {
		return s.old[uid] || s.names[uid] != "" || dailyUID.MatchString(uid) || !strings.Contains(text, uid)
	})
	slices.SortFunc(made, func(a, b string) int { return cmp.Compare(strings.Index(text, a), strings.Index(text, b)) })
	for _, uid := range made {
		s.Name(uid, "new00000")
	}
	for first, pattern := range map[string]*regexp.Regexp{"TICKET-": ticketIn, "FILE-": fileIn, "abc000": versionIn} {
		for _, found := range pattern.FindAllStringSubmatch(text, -1) {
			s.Name(found[1], first)
		}
	}
	var pairs []string
	for _, value := range slices.SortedFunc(maps.Keys(s.names), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) }) {
		pairs = append(pairs, value, s.names[value])
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	return millisIn.ReplaceAllString(portIn.ReplaceAllString(text, "127.0.0.1:3333"), `"$1":1`)
}
