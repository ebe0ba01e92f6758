// Package manage is what a person can do with graphs: see which there are and how
// they stand, connect and re-authorize them, keep the tokens that Roam grants,
// enable, disable, rename, remove, put back and import.
//
// It promises that a granted token is not lost: it is in the configuration or in a
// file of its own, or an error says that it is in neither. The setup program,
// the commands and the tool setup_new_graph are faces of this package: each asks and
// shows in its own way. It knows no terminal, no model and no
// sentence of theirs.
package manage

import (
	"context"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
)

// Store is the part of a configstore.Store that managing graphs needs.
type Store interface {
	Path() string
	Load(context.Context) (configstore.Config, error)
	CheckWritable(context.Context) error
	SaveGrant(ctx context.Context, entry configstore.Entry, renews bool) (configstore.Entry, error)
	Rename(ctx context.Context, nickname, newNickname string) error
	SetDisabled(ctx context.Context, nickname string, disabled bool) error
	SetHistory(ctx context.Context, nickname string, texts configstore.Switch) error
	SetAllHistory(ctx context.Context, texts configstore.Switch) error
	Remove(ctx context.Context, nickname string) (configstore.Removed, error)
	PutBack(context.Context, configstore.Removed) error
	SetTokenStatus(context.Context, localapi.Graph, localapi.Token, localapi.TokenStatus, localapi.AccessLevel) error
	Import(context.Context, []configstore.Entry) (configstore.ImportReport, error)
	ImportFile(ctx context.Context, path string, choose func([]configstore.Entry) ([]configstore.Entry, []configstore.Skipped)) (configstore.ImportReport, []configstore.Problem, error)
	FixMode(context.Context) error
	Watch(ctx context.Context, interval time.Duration) <-chan configstore.Event
}

var _ Store = (*configstore.Store)(nil)

// Roam is the part of a localapi.Client that tells of graphs and tokens.
type Roam interface {
	localapi.Lister
	Address() string
	// SeenAPIVersion belongs to the last list of graphs; empty for none.
	SeenAPIVersion() string
	TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo
}

var _ Roam = (*localapi.Client)(nil)

// Manager manages the graphs of one configuration. What is done with the file
// alone are the methods of its Store.
type Manager struct {
	Store
	Roam Roam
	// Exchange starts a token exchange, which ends with the context.
	Exchange func(context.Context, exchange.Request) Exchange
	// Rescue writes a granted token that can't be saved to a file of its own and
	// returns that file's path.
	Rescue func(configstore.Entry) (path string, err error)
	// Official reads the graphs of the official tools. Nil: there is no import.
	Official func() ([]configstore.Entry, []configstore.Problem, error)
	// Encryption asks Roam whether a connected graph is encrypted. Nil: nobody asks.
	Encryption func(context.Context, configstore.Entry) (localapi.Encryption, error)
	// Clock is nil for time.Now.
	Clock func() time.Time
}

// Exchange is a token exchange that runs; exchange.Session says what its methods
// promise.
type Exchange interface {
	Updates() <-chan exchange.Machine
	Send(exchange.Event)
	Close() exchange.Machine
}

var _ Exchange = (*exchange.Session)(nil)
