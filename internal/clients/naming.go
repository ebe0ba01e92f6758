package clients

import (
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
)

// Naming is an entry of roam-mcp that names a graph.
type Naming struct {
	Client Client
	Entry  Entry
	Others []string // the other graphs that it names
}

// Naming returns the entries of this world that name a graph, by its nickname. It looks at
// the files of the user: those of projects are where nobody knows.
func (m Machine) Naming(nickname string) []Naming {
	var all []Naming
	for _, status := range m.LookAll() {
		for _, e := range status.Ours() {
			others := slices.DeleteFunc(slices.Clone(e.Gives.Graphs), func(name string) bool { return strings.EqualFold(name, nickname) })
			if e.Here && len(others) < len(e.Gives.Graphs) {
				all = append(all, Naming{status.Client, e, others})
			}
		}
	}
	return all
}

// GoesWithout says that the entry can't give the graph any more, a sentence.
func (n Naming) GoesWithout() string {
	left := "no graph now"
	if len(n.Others) > 0 {
		left = problem.List(n.Others) + " alone now"
	}
	return fmt.Sprintf("The entry %s of %s names it, and gives %s.", n.Entry.Name, n.Client.Name, left)
}

// PlanRename plans to have the entry name the graph by another nickname. All else of it
// stays.
func (m Machine) PlanRename(n Naming, from, to string) (Plan, error) {
	s := Server{Name: n.Entry.Name, Command: n.Entry.Command, Args: slices.Clone(n.Entry.Args)}
	named := func(value string) string {
		names := strings.Split(value, ",")
		for i, name := range names {
			if strings.EqualFold(name, from) {
				names[i] = to
			}
		}
		return strings.Join(names, ",")
	}
	for i, arg := range s.Args {
		if value, ok := strings.CutPrefix(arg, "--graph="); ok {
			s.Args[i] = "--graph=" + named(value)
		} else if i > 0 && s.Args[i-1] == "--graph" {
			s.Args[i] = named(arg)
		}
	}
	return m.PlanInstall(n.Client, s, Options{File: true})
}
