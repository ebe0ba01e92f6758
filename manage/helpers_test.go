package manage

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

func hosted(name string) localapi.Graph { return localapi.Graph{Name: name, Type: localapi.Hosted} }

func offline(name string) localapi.Graph {
	return localapi.Graph{Name: name, Type: localapi.Offline}
}

// secret makes a token whose characters are easily found where they leak.
func secret(end string) localapi.Token {
	token, err := localapi.ParseToken(localapi.TokenPrefix + "SECRET" + strings.Repeat("z", 23-len(end)) + end)
	if err != nil {
		panic(err)
	}
	return token
}

func entry(nickname string, g localapi.Graph, level localapi.AccessLevel) configstore.Entry {
	return configstore.Entry{Name: g.Name, Type: g.Type, Nickname: nickname, AccessLevel: level, Token: secret(nickname)}
}

// fakeRoam answers from fields.
type fakeRoam struct {
	open, available []localapi.Graph
	err             error
	infos           map[string]localapi.TokenInfo // by graph name
	asked           []string
}

var _ Roam = (*fakeRoam)(nil)

func (f *fakeRoam) Address() string        { return "127.0.0.1:3333" }
func (f *fakeRoam) SeenAPIVersion() string { return localapi.APIVersion }

func (f *fakeRoam) OpenGraphs(context.Context) ([]localapi.Graph, error) { return f.open, f.err }

func (f *fakeRoam) AvailableGraphs(context.Context) ([]localapi.Graph, error) {
	return f.available, f.err
}

func (f *fakeRoam) TokenInfo(_ context.Context, g localapi.Graph, _ localapi.Token) localapi.TokenInfo {
	f.asked = append(f.asked, g.Name)
	return f.infos[g.Name]
}

// managed is a Manager of a configuration in a folder of its own.
func managed(t *testing.T, entries ...configstore.Entry) *Manager {
	t.Helper()
	folder := t.TempDir()
	store := configstore.New(filepath.Join(folder, "config.json"))
	for _, e := range entries {
		require.NoError(t, store.Save(t.Context(), e))
	}
	return &Manager{
		Store: store, Roam: &fakeRoam{infos: map[string]localapi.TokenInfo{}},
		Rescue: func(e configstore.Entry) (string, error) {
			return configstore.WriteRescue(filepath.Join(folder, "rescued"), e)
		},
		Clock: func() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) },
	}
}

func (m *Manager) entries(t *testing.T) []configstore.Entry {
	t.Helper()
	config, err := m.Load(t.Context())
	require.NoError(t, err)
	return config.Entries
}
