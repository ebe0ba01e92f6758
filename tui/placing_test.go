package tui

import (
	"context"
	"errors"
	"testing"
)

// A program that will not stay where it is is put into its place first, or the changes are shown as they are.
func TestAPlaceForThisProgram(t *testing.T) {
	placing := func(err error) world {
		return func(h *harness) {
			h.ports.Place = func(context.Context) (Clients, error) { return h.clients, err }
		}
	}
	asked := see("Put this program into its place first?")
	for name, tc := range map[string]struct {
		err  error
		then []step
	}{
		"it is asked about before the changes":              {nil, []step{press("enter"), asked, press("enter"), see("What would change")}},
		"it is put there, and not asked about again":        {nil, []step{press("enter"), asked, press("y"), see("It is in its place."), press("enter"), see("What would change")}},
		"what is in the way is said, and it is asked again": {errors.New("a folder is in the way"), []step{press("enter"), asked, press("y"), see("folder is in the way"), press("enter"), asked}},
		"nothing is asked where an entry is taken out":      {nil, []step{press("down", "u"), see("Take out")}},
	} {
		t.Run(name, func(t *testing.T) { clientsOf(configured, placing(tc.err)).then(tc.then...)(t, 100, 30) })
	}
}
