package configstore

import (
	"fmt"
	"slices"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// config returns the entries, the problems and, in places, the index of each element,
// of those with a token first. An entry is usable if it is valid, the first of its
// graph, not an offline graph beside a hosted one of its name, and the first with its
// nickname. Those without a token come after all others.
func (d *document) config() (c Config, places []int) {
	r := resolver{elements: d.graphs, first: map[localapi.Graph]int{}, nicknames: map[string]int{}}
	for i, e := range d.graphs {
		if _, seen := r.first[e.entry.Graph()]; e.flaw == nil && !seen {
			r.first[e.entry.Graph()] = i
		}
	}
	c = Config{Version: d.version, Exists: true, History: d.history}
	for i, e := range d.graphs {
		if e.flaw == errNoToken {
			continue
		}
		if p := r.problem(i); p != nil {
			c.Problems = append(c.Problems, *p)
			continue
		}
		c.Entries = append(c.Entries, e.entry)
		places = append(places, i)
		if p := r.historyProblem(i); p != nil {
			c.Problems = append(c.Problems, *p)
		}
	}
	for i, e := range d.graphs {
		if e.flaw != errNoToken {
			continue
		}
		p, alone := r.withoutToken(i, c)
		c.Problems = append(c.Problems, p)
		if alone {
			c.WithoutToken = append(c.WithoutToken, e.entry)
			places = append(places, i)
		}
	}
	slices.SortFunc(c.Problems, func(a, b Problem) int { return a.Index - b.Index })
	if p := d.historyProblem(); p != nil {
		c.Problems = append(c.Problems, *p)
	}
	return c, places
}

// withoutToken returns the problem of element i, which has no token, and whether it
// is the only entry of c with its name and its nickname.
func (r *resolver) withoutToken(i int, c Config) (p Problem, alone bool) {
	e := r.elements[i]
	p = Problem{Index: i, Line: e.line, Graph: shown(e.entry.Name), Nickname: shown(e.entry.Nickname), Code: CodeNoToken}
	for _, other := range c.all() {
		if other.Name == e.entry.Name || SameNickname(other.Nickname, e.entry.Nickname) {
			p.Message = fmt.Sprintf("%s is ignored: it has no token, and the graph %s has its name or nickname.", p.subject(), quoted(other.Name))
			p.Hint = problem.Say("Take the entry out of the file%s.", p.place())
			return p, false
		}
	}
	p.Message = fmt.Sprintf("%s is not connected: it has no token.", p.subject())
	p.Hint = problem.Say("Ask Roam for one: %s", problem.Run("reauth", e.entry.Nickname))
	return p, true
}

type resolver struct {
	elements  []element
	first     map[localapi.Graph]int
	nicknames map[string]int
}

// problem returns why element i is not usable; nil if it is.
func (r *resolver) problem(i int) *Problem {
	e := r.elements[i]
	p := Problem{Index: i, Line: e.line, Graph: shown(e.entry.Name), Nickname: shown(e.entry.Nickname)}
	if e.flaw != nil {
		p.Code = CodeEntryInvalid
		p.Message = fmt.Sprintf("%s is ignored: %s.", p.subject(), trimPeriod(e.flaw.Error()))
		p.Hint = problem.Say("Mend the entry in the file%s, or connect the graph anew.", p.place())
		return &p
	}
	if r.first[e.entry.Graph()] != i {
		p.Code = CodeGraphConfigured
		p.Message = fmt.Sprintf("%s is ignored: the graph is configured twice, and the first entry counts.", p.subject())
		p.Hint = problem.Say("Take one of the two entries out of the file%s.", p.place())
		return &p
	}
	if e.entry.Type == localapi.Offline {
		if _, ok := r.first[localapi.Graph{Name: e.entry.Name, Type: localapi.Hosted}]; ok {
			p.Code = CodeGraphShadowed
			p.Message = fmt.Sprintf("%s is ignored: it is offline, and the hosted graph of the same name comes first.", p.subject())
			p.Hint = problem.Say("Remove the hosted graph to use the offline one.")
			return &p
		}
	}
	key := FoldNickname(e.entry.Nickname)
	if other, taken := r.nicknames[key]; taken {
		p.Code = CodeNicknameTaken
		p.Message = fmt.Sprintf("%s is ignored: the graph %s has that nickname already.", p.subject(), quoted(r.elements[other].entry.Name))
		p.Hint = problem.Say("Give one of the two another nickname in the file%s.", p.place())
		return &p
	}
	r.nicknames[key] = i
	return nil
}

// subject names the entry by nickname, by graph, or by its place in the list.
func (p Problem) subject() string {
	switch {
	case p.Nickname != "" && p.Graph != "":
		return fmt.Sprintf("The entry %s (graph %s)", quoted(p.Nickname), quoted(p.Graph))
	case p.Nickname != "":
		return fmt.Sprintf("The entry %s", quoted(p.Nickname))
	case p.Graph != "":
		return fmt.Sprintf("The entry of the graph %s", quoted(p.Graph))
	}
	return fmt.Sprintf("Entry %d of the list", p.Index+1)
}

func (p Problem) place() string {
	if p.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" at line %d", p.Line)
}

func trimPeriod(s string) string {
	if len(s) > 0 && s[len(s)-1] == '.' {
		return s[:len(s)-1]
	}
	return s
}

// elementOf returns the index of the element to replace when the graph is saved: a
// valid one, or else an invalid one that names the graph; -1 for none.
func (d *document) elementOf(g localapi.Graph) int {
	valid := slices.IndexFunc(d.graphs, func(e element) bool { return e.flaw == nil && e.entry.Graph() == g })
	if valid >= 0 {
		return valid
	}
	return slices.IndexFunc(d.graphs, func(e element) bool {
		return e.fields != nil && e.entry.Name == g.Name && e.entry.Type == g.Type
	})
}

// find returns the index of an entry's element, with or without a token.
func (d *document) find(nicknameOrName, path string) (int, error) {
	c, places := d.config()
	if i := indexOf(c.Entries, nicknameOrName); i >= 0 {
		return places[i], nil
	}
	if i := indexOf(c.WithoutToken, nicknameOrName); i >= 0 {
		return places[len(c.Entries)+i], nil
	}
	return 0, graphNotConfigured(nicknameOrName, path)
}
