package manage

import (
	"context"
	"time"

	"roam-mcp/configstore"
)

// encryptedTimeout bounds the question whether a graph is encrypted.
const encryptedTimeout = 5 * time.Second

// AsksAboutTexts reports whether a person is to be asked if the history may hold texts
// of a connected graph: Roam calls it encrypted, and nobody has said. Where Roam does
// not answer, it is not known to be encrypted.
func (m *Manager) AsksAboutTexts(ctx context.Context, entry configstore.Entry) bool {
	if m.Encrypted == nil {
		return false
	}
	config, err := m.Load(ctx)
	if err != nil {
		return false
	}
	entry, connected := config.FindGraph(entry.Graph())
	if !connected || config.TextsOf(entry) != "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, encryptedTimeout)
	defer cancel()
	encrypted, err := m.Encrypted(ctx, entry)
	return err == nil && encrypted
}
