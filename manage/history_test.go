package manage

import (
	"context"
	"errors"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

func TestAsksAboutTexts(t *testing.T) {
	notes := entry("Notes", hosted("notes"), localapi.Full)
	says := func(said localapi.Encryption, err error) func(context.Context, configstore.Entry) (localapi.Encryption, error) {
		return func(context.Context, configstore.Entry) (localapi.Encryption, error) { return said, err }
	}
	encrypted := says(localapi.Encrypted, nil)
	for name, tc := range map[string]struct {
		set        func(*Manager) error
		encryption func(context.Context, configstore.Entry) (localapi.Encryption, error)
		graph      configstore.Entry
		want       bool
	}{
		"of an encrypted graph":                  {nil, encrypted, notes, true},
		"of a graph of which Roam does not say":  {nil, says(localapi.EncryptionUnsaid, nil), notes, true},
		"not of another":                         {nil, says(localapi.NotEncrypted, nil), notes, false},
		"not where Roam can't be asked":          {nil, says(localapi.EncryptionUnsaid, errors.New("away")), notes, false},
		"not where nobody can ask Roam":          {nil, nil, notes, false},
		"not where the person has said on":       {func(m *Manager) error { return m.SetHistory(t.Context(), "Notes", configstore.On) }, encrypted, notes, false},
		"not where the person has said off":      {func(m *Manager) error { return m.SetHistory(t.Context(), "Notes", configstore.Off) }, encrypted, notes, false},
		"not a second time where Roam says none": {func(m *Manager) error { return m.SetHistory(t.Context(), "Notes", configstore.Off) }, says(localapi.EncryptionUnsaid, nil), notes, false},
		"not where no texts are kept at all":     {func(m *Manager) error { return m.SetAllHistory(t.Context(), configstore.Off) }, encrypted, notes, false},
		"not of a graph that is not connected":   {nil, encrypted, entry("Other", hosted("other"), localapi.Full), false},
	} {
		t.Run(name, func(t *testing.T) {
			m := managed(t, notes)
			m.Encryption = tc.encryption
			if tc.set != nil {
				require.NoError(t, tc.set(m))
			}
			said, asks := m.AsksAboutTexts(t.Context(), tc.graph)
			if asks != tc.want {
				t.Errorf("got %v", asks)
			}
			if !asks {
				return
			}
			if want, _ := tc.encryption(t.Context(), tc.graph); said != want {
				t.Errorf("Roam said %v, not %v", said, want)
			}
		})
	}
}

func TestWhatIsChosenAboutTextsIsSavedWithTheGrant(t *testing.T) {
	for name, tc := range map[string]struct{ file, chosen, meanwhile, want configstore.Switch }{
		"nobody says anything":                     {"", "", "", ""},
		"off is chosen":                            {"", configstore.Off, "", configstore.Off},
		"what the file says stays":                 {configstore.On, "", "", configstore.On},
		"what was changed meanwhile counts":        {configstore.On, "", configstore.Off, configstore.Off},
		"what is chosen counts more than the file": {configstore.On, configstore.Off, configstore.On, configstore.Off},
	} {
		t.Run(name, func(t *testing.T) {
			old := entry("Notes", hosted("notes"), localapi.Full)
			old.History = tc.file
			m := managed(t, old)
			config, err := m.Load(t.Context())
			require.NoError(t, err)
			authorization, err := Reauthorize(config, config.Entries[0], Options{Description: "test", History: tc.chosen})
			require.NoError(t, err)
			if tc.meanwhile != "" {
				require.NoError(t, m.SetHistory(t.Context(), "Notes", tc.meanwhile))
			}
			kept := m.Keep(t.Context(), authorization, localapi.TokenGrant{Graph: hosted("notes"), Token: secret("2"), AccessLevel: localapi.Full})
			require.NoError(t, kept.Err)
			if kept.Entry.History != tc.want || m.entries(t)[0].History != tc.want {
				t.Errorf("kept %+v, in the file %+v", kept.Entry, m.entries(t)[0])
			}
		})
	}
}
