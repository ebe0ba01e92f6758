package history

import (
	"context"
	"reflect"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/testutil/require"
)

func TestSums(t *testing.T) {
	ctx := context.Background()
	j := open(t, newFolder(t))
	record := func(agent string, class fact.Class, state State, touches ...fact.Touch) int64 {
		in := someIntent("u")
		in.Who.Agent, in.Class, in.Touches = agent, class, touches
		c := intend(t, j, in)
		finish(t, j, c, state)
		return c.Call
	}
	calls := []int64{
		record("a", fact.ClassMake, StateDone, fact.Touch{UID: "n1", Role: fact.RoleMade}, fact.Touch{UID: "n2", Role: fact.RoleMade}, fact.Touch{UID: "p", Role: fact.RolePlace}),
		record("a", fact.ClassText, StateDone, fact.Touch{UID: "n1", Role: fact.RoleTarget}),
		record("a", fact.ClassText, StateRefused, fact.Touch{UID: "n2", Role: fact.RoleTarget}),
		record("b", fact.ClassGone, StateDone, fact.Touch{UID: "p", Role: fact.RoleGone, Page: "p"}, fact.Touch{UID: "q", Role: fact.RoleGone, Page: "p"}, fact.Touch{UID: "r", Role: fact.RoleReferrer}),
	}
	got, err := j.Sums(ctx, calls)
	require.NoError(t, err)
	want := []Sum{{Agent: "a", Calls: 3, Written: 2, Changed: 1}, {Agent: "b", Calls: 1, BlocksGone: 1, PagesGone: 1, Rewritten: 1}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	page, err := j.Calls(ctx, Filter{Gone: true})
	require.NoError(t, err)
	if len(page.Calls) != 1 || page.Calls[0].ID != calls[3] {
		t.Errorf("gone is %+v", page.Calls)
	}
	if none, err := j.Sums(ctx, nil); err != nil || none != nil {
		t.Errorf("of no calls it is %v, %v", none, err)
	}
}
