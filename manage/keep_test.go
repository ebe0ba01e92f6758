package manage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// grant is what Roam grants for an authorization.
func grant(g localapi.Graph) localapi.TokenGrant {
	return localapi.TokenGrant{Graph: g, Token: secret("new"), AccessLevel: localapi.ReadOnly}
}

// unwritable is a configuration in a folder that does not exist, beside one for
// rescued tokens.
func unwritable(t *testing.T) (m *Manager, rescued func() []string) {
	m = managed(t)
	folder := filepath.Dir(m.Path())
	m.Store = configstore.New(filepath.Join(folder, "missing", "config.json"))
	return m, func() []string {
		files, _ := filepath.Glob(filepath.Join(folder, "rescued", "*"))
		return files
	}
}

func TestKeep(t *testing.T) {
	notes := Authorization{Entry: configstore.Entry{Name: "notes", Type: localapi.Hosted, Nickname: "Notes"}}
	t.Run("saves what Roam granted, not what it was asked for", func(t *testing.T) {
		m := managed(t)
		want := configstore.Entry{
			Name: "notes", Type: localapi.Offline, Nickname: "Notes", Token: secret("new"),
			AccessLevel: localapi.ReadOnly, LastKnownTokenStatus: localapi.TokenActive,
		}
		if k := m.Keep(t.Context(), notes, grant(offline("notes"))); k.Err != nil || k.Entry != want || m.entries(t)[0] != want {
			t.Errorf("kept %+v", k)
		}
	})
	t.Run("saves the token though the one who asked has gone", func(t *testing.T) {
		m := managed(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if k := m.Keep(ctx, notes, grant(hosted("notes"))); k.Err != nil || len(m.entries(t)) != 1 {
			t.Errorf("kept %+v", k)
		}
	})
	t.Run("numbers a nickname that was taken meanwhile", func(t *testing.T) {
		m := managed(t, entry("NOTES", hosted("other"), localapi.Full))
		if k := m.Keep(t.Context(), notes, grant(hosted("notes"))); k.Err != nil || k.Entry.Nickname != "Notes 2" || m.entries(t)[1] != k.Entry {
			t.Errorf("kept %+v", k)
		}
	})
	for name, renews := range map[string]bool{
		"leaves nickname and state to a file that has changed meanwhile": true,
		"takes the nickname that was chosen, and leaves the state":       false,
	} {
		t.Run(name, func(t *testing.T) {
			before := entry("Notes", hosted("notes"), localapi.Full)
			m := managed(t, before)
			require.NoError(t, m.SetDisabled(t.Context(), "Notes", true))
			require.NoError(t, m.Rename(t.Context(), "Notes", "Job"))
			k := m.Keep(t.Context(), Authorization{Entry: before, Renews: renews}, grant(hosted("notes")))
			want := map[bool]string{true: "Job", false: "Notes"}[renews]
			if k.Err != nil || k.Entry.Nickname != want || !k.Entry.Disabled || k.Entry.Token != secret("new") || m.entries(t)[0] != k.Entry {
				t.Errorf("kept %+v", k)
			}
		})
	}
	t.Run("renews a graph that was removed meanwhile", func(t *testing.T) {
		m := managed(t)
		k := m.Keep(t.Context(), Authorization{Entry: entry("Notes", hosted("notes"), localapi.Full), Renews: true}, grant(hosted("notes")))
		if k.Err != nil || k.Entry.Nickname != "Notes" || len(m.entries(t)) != 1 {
			t.Errorf("kept %+v", k)
		}
	})
	t.Run("keeps the token in a file of its own where it can't be saved", func(t *testing.T) {
		m, rescued := unwritable(t)
		k := m.Keep(t.Context(), notes, grant(hosted("notes")))
		files := rescued()
		if problem.CodeOf(k.Err) != configstore.CodeConfigUnwritable || k.Lost() || len(files) != 1 || k.File != files[0] {
			t.Fatalf("kept %+v, files %v", k, files)
		}
		said, _ := problem.As(k.Err)
		hint := problem.World{Flags: []string{"--sandbox"}}.Say(said.Hint)
		if !strings.HasSuffix(said.Message, " The granted token was kept in "+k.File+".") || hint != "Mend that, then: roam-mcp --sandbox import "+k.File {
			t.Errorf("said %q %q", said.Message, hint)
		}
		entries, _, err := configstore.ReadOfficial(k.File)
		if err != nil || len(entries) != 1 || entries[0].Token != secret("new") {
			t.Errorf("rescued %+v, %v", entries, err)
		}
	})
	t.Run("says so where the token can't be kept at all", func(t *testing.T) {
		m, rescued := unwritable(t)
		m.Rescue = func(configstore.Entry) (string, error) { return "", os.ErrPermission }
		k := m.Keep(t.Context(), notes, grant(hosted("notes")))
		if !k.Lost() || len(rescued()) != 0 || !strings.Contains(k.Err.Error(), "could not be kept elsewhere either") || strings.Contains(k.Err.Error(), "SECRET") {
			t.Errorf("kept %+v", k)
		}
	})
}

func TestRetry(t *testing.T) {
	m, rescued := unwritable(t)
	k := m.Keep(t.Context(), Authorization{Entry: configstore.Entry{Name: "notes", Nickname: "Notes"}}, grant(hosted("notes")))
	t.Run("writes no second file where it fails again", func(t *testing.T) {
		first := k.File
		if k = m.Retry(t.Context(), k); k.Err == nil || k.File != first || len(rescued()) != 1 {
			t.Errorf("kept %+v, files %v", k, rescued())
		}
	})
	t.Run("saves the token and removes the file that kept it", func(t *testing.T) {
		require.NoError(t, os.Mkdir(filepath.Dir(m.Path()), 0o700))
		if k = m.Retry(t.Context(), k); k.Err != nil || k.File != "" || len(rescued()) != 0 || m.entries(t)[0] != k.Entry {
			t.Errorf("kept %+v, files %v", k, rescued())
		}
	})
}
