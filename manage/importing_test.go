package manage

import (
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func TestManager_Import(t *testing.T) {
	away := localapi.TokenInfo{Status: localapi.TokenUnknown, Reason: &problem.Error{Code: localapi.CodeConnectionFailed, Message: "away"}}
	for _, test := range []struct {
		name                  string
		infos                 map[string]localapi.TokenInfo
		asked, added, skipped string
	}{
		{"asks about the tokens of new graphs, and leaves out what is revoked",
			map[string]localapi.TokenInfo{"a": {Status: localapi.TokenActive}, "b": {Status: localapi.TokenRevoked}, "c": {Status: localapi.TokenUnknown}}, "a b c", "A C", "B"},
		{"adds all, and asks once, while Roam is away", map[string]localapi.TokenInfo{"a": away, "b": away, "c": away}, "a", "A B C", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := managed(t, entry("Mine", hosted("mine"), localapi.Full))
			roam := m.Roam.(*fakeRoam)
			roam.infos = test.infos
			report, err := m.Import(t.Context(), []configstore.Entry{
				entry("Theirs", hosted("mine"), localapi.Full), entry("A", hosted("a"), localapi.Full), entry("B", hosted("b"), localapi.Full), entry("C", hosted("c"), localapi.Full),
			})
			require.NoError(t, err)
			var added, skipped []string
			for _, a := range report.Added {
				added = append(added, a.Entry.Nickname)
			}
			for _, s := range report.Skipped {
				skipped = append(skipped, s.Entry.Nickname)
			}
			if strings.Join(roam.asked, " ") != test.asked || strings.Join(added, " ") != test.added || strings.Join(skipped, " ") != test.skipped || len(report.Present) != 1 {
				t.Errorf("asked about %v, added %v, skipped %v, present %v", roam.asked, added, skipped, report.Present)
			}
		})
	}
}
