package mirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/require"
)

// changesAs is derived from a graph: what it was told at each update.
func changesAs(name string, size int64) Derived[[]string] {
	return Derived[[]string]{
		Name: name,
		Update: func(_ context.Context, before []string, _ *View, change Change) ([]string, error) {
			return append(slices.Clip(before), fmt.Sprint(change.Anew, change.Pages)), nil
		},
		Size: func([]string) int64 { return size },
	}
}

func TestDerivedIsToldWhatHasChanged(t *testing.T) {
	w := newWorld(t, demograph.JSON)
	k := w.keeper(Options{})
	d := changesAs("changes", 1)
	of := func(view *View) []string {
		told, err := d.Of(t.Context(), view)
		require.NoError(t, err)
		return told
	}
	first := w.view(k, Texts)
	of(first)
	w.create("ada000001", "made00001", "made")
	w.clock.Advance(time.Minute)
	of(w.view(k, Texts))
	got := of(first) // which is older
	if len(got) != 3 || got[0] != "true []" || !strings.HasPrefix(got[1], "false [ada000001") || got[2] != "false []" {
		t.Errorf("told %q", got)
	}
	k.Retain(func(localapi.Graph) bool { return false })
	if again := of(w.view(k, Texts)); len(again) != 1 {
		t.Errorf("it was not forgotten with the graph: %q", again)
	}
}

func TestDerivedGoesOnWhereAnUpdateFailed(t *testing.T) {
	w := newWorld(t, demograph.JSON)
	k := w.keeper(Options{})
	failed := errors.New("failed")
	d := Derived[int]{
		Name: "steps",
		Update: func(_ context.Context, before int, _ *View, change Change) (int, error) {
			if change.Anew {
				return 1, failed
			}
			return before + 1, nil
		},
		Size: func(int) int64 { return 8 },
	}
	if _, err := d.Of(t.Context(), w.view(k, Texts)); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if got, err := d.Of(t.Context(), w.view(k, Texts)); got != 2 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}

func TestDerivedCountsTowardsTheLimit(t *testing.T) {
	w := newWorld(t, demograph.JSON)
	k := w.keeper(Options{Limit: 100 << 20})
	asked := func(d Derived[[]string]) int {
		w.clock.Advance(time.Second)
		told, err := d.Of(t.Context(), w.view(k, Texts))
		require.NoError(t, err)
		return len(told)
	}
	a, b, c := changesAs("a", 40<<20), changesAs("b", 40<<20), changesAs("c", 40<<20)
	huge := changesAs("huge", 200<<20)
	for i, step := range []struct {
		of   Derived[[]string]
		want int // updates that it remembers
	}{
		{a, 1}, {b, 1}, {a, 2}, {c, 1}, // b is forgotten, which was used longest ago
		{a, 3}, {b, 1}, // c is
		{a, 4}, {huge, 1}, {huge, 1}, // it does not fit, and makes no room in vain
		{a, 5},
	} {
		if got := asked(step.of); got != step.want {
			t.Errorf("step %d: %s remembers %d updates, not %d", i, step.of.Name, got, step.want)
		}
	}
	if v := w.view(k, Texts); v.DB() == nil || len(k.mirrors) != 1 {
		t.Error("the graph was forgotten")
	}
}
