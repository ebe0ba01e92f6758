package profiletest

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// Options of a Suite.
type Options struct {
	Profile string // as mcpserve.Options has it
	// Level is what the server's tokens permit; empty: localapi.Full.
	Level localapi.AccessLevel
	// Export is the graph in Roam's JSON; empty: the demo graph.
	Export string
	// Second adds a second graph, SecondGraph, with the page "Elsewhere".
	Second bool
	// History gives each world a journal, in which the server records what it writes.
	History bool
	// Server and Sandbox change the options of either before it starts; nil: as
	// they are.
	Server  func(*mcpserve.Options)
	Sandbox func(*sandbox.Options)
}

// MainGraph is the name and the nickname of the graph of a world.
const MainGraph = "work"

// SecondGraph is that of the second one, which is an offline graph.
const SecondGraph = "other"

const secondExport = `[{"title":"Elsewhere","uid":"elsewhere","children":[{"string":"See [[Ada]]","uid":"el0000001"}]}]`

func mainGraph() localapi.Graph { return localapi.Graph{Name: MainGraph, Type: localapi.Hosted} }

func secondGraph() localapi.Graph {
	return localapi.Graph{Name: SecondGraph, Type: localapi.Offline}
}

// Suite makes worlds that begin alike.
type Suite struct {
	options Options
	folder  string // with graphs and tokens, as they are at the start of each world
	entries []configstore.Entry
	full    map[localapi.Graph]localapi.Token // of another client
}

// NewSuite imports the graphs.
func NewSuite(t testing.TB, options Options) *Suite {
	t.Helper()
	options.Level = cmp.Or(options.Level, localapi.Full)
	options.Export = cmp.Or(options.Export, demograph.JSON)
	s := &Suite{options: options, folder: t.TempDir(), full: map[localapi.Graph]localapi.Token{}}
	graphs, exports := []localapi.Graph{mainGraph()}, []string{options.Export}
	if options.Second {
		graphs, exports = append(graphs, secondGraph()), append(exports, secondExport)
	}
	home := t.TempDir()
	start := sandbox.Options{Home: home, Data: s.folder, Policy: desk.Allow, Now: newClock().Now}
	for i, graph := range graphs {
		path := filepath.Join(home, graph.Name+".json")
		require.NoError(t, os.WriteFile(path, []byte(exports[i]), 0o600))
		start.Import = append(start.Import, sandbox.Import{Path: path, Graph: graph})
	}
	box, err := sandbox.Start(t.Context(), start)
	require.NoError(t, err)
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	defer client.CloseIdleConnections()
	for _, graph := range graphs {
		ask := func(level localapi.AccessLevel) localapi.TokenGrant {
			grant, err := client.RequestToken(t.Context(), localapi.TokenRequest{Graph: graph, AccessLevel: level, Description: "a test"})
			require.NoError(t, err)
			return grant
		}
		granted := ask(options.Level)
		s.entries = append(s.entries, configstore.Entry{Name: graph.Name, Type: graph.Type, Token: granted.Token, Nickname: graph.Name, AccessLevel: granted.AccessLevel})
		s.full[graph] = ask(localapi.Full).Token
	}
	require.NoError(t, box.Close(context.WithoutCancel(t.Context())))
	return s
}
