package localapi

import (
	"encoding/json"
	"errors"
	"testing"

	"roam-mcp/internal/problem"
)

func TestCheckWhole(t *testing.T) {
	for name, tc := range map[string]struct {
		pulled int
		answer string
		want   problem.Code // empty: none
		asks   bool
	}{
		"a shorter list is whole, unasked":     {pulled: 999},
		"a longer list is whole, unasked":      {pulled: 1001},
		"a list of just as many is whole":      {pulled: 1000, answer: "1000", asks: true},
		"a list of which there is more is cut": {pulled: 1000, answer: "1001", asks: true, want: CodeUnsupportedRoam},
		"one that is shorter by now is whole":  {pulled: 1000, answer: "999", asks: true},
		"one of what is gone by now is whole":  {pulled: 1000, answer: "null", asks: true},
		"no number is no answer":               {pulled: 1000, answer: `"many"`, asks: true, want: CodeUnsupportedRoam},
	} {
		t.Run(name, func(t *testing.T) {
			asked := false
			err := CheckWhole(tc.pulled, "page", Children, func(_, uid string) (json.RawMessage, error) {
				asked = uid == "page"
				return json.RawMessage(tc.answer), nil
			})
			if problem.CodeOf(err) != tc.want || asked != tc.asks {
				t.Errorf("asked: %v, %v", asked, err)
			}
		})
	}
	t.Run("a call that fails is its own error", func(t *testing.T) {
		failed := errors.New("no answer")
		if err := CheckWhole(PullLimit, "page", Refs, func(string, string) (json.RawMessage, error) { return nil, failed }); !errors.Is(err, failed) {
			t.Error(err)
		}
	})
}
