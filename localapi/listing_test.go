package localapi

import (
	"context"
	"errors"
	"slices"
	"testing"

	"roam-mcp/problem"
)

// lists is a Roam that only lists graphs.
type lists struct {
	open, available       []Graph
	openErr, availableErr error
}

func (l lists) OpenGraphs(context.Context) ([]Graph, error)      { return l.open, l.openErr }
func (l lists) AvailableGraphs(context.Context) ([]Graph, error) { return l.available, l.availableErr }

func TestList(t *testing.T) {
	a, b, bOffline := Graph{"a", Hosted}, Graph{"b", Hosted}, Graph{"b", Offline}
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		roam    lists
		graphs  []Graph
		partial bool
		err     error
	}{
		"lists every graph once, the open ones first": {lists{open: []Graph{bOffline}, available: []Graph{a, bOffline, b}}, []Graph{bOffline, a, b}, false, nil},
		"takes an older build for Roam":               {lists{open: []Graph{a}, availableErr: &problem.Error{Code: CodeNotRoam, Call: &problem.Call{Status: 404}}}, []Graph{a}, true, nil},
		"keeps the open graphs beside an error":       {lists{open: []Graph{a}, availableErr: broken}, []Graph{a}, true, broken},
		"lists nothing where Roam is away":            {lists{openErr: broken, available: []Graph{a}}, nil, false, broken},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := List(t.Context(), test.roam)
			if err != test.err || l.Partial != test.partial || !slices.Equal(l.Graphs(), test.graphs) {
				t.Errorf("got %+v, %v", l, err)
			}
		})
	}
	both := Listing{Open: []Graph{bOffline}, Available: []Graph{b, a}}
	for name, test := range map[string]struct {
		wanted, found Graph
		ok            bool
	}{
		"finds the hosted graph of two":   {Graph{Name: "b"}, b, true},
		"finds the graph of a type":       {Graph{"b", Offline}, bOffline, true},
		"finds no graph of another type":  {Graph{"a", Offline}, Graph{}, false},
		"finds no graph that is not here": {Graph{Name: "c"}, Graph{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if found, ok := both.Find(test.wanted); found != test.found || ok != test.ok {
				t.Errorf("got %+v, %v", found, ok)
			}
		})
	}
}
