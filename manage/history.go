package manage

import (
	"context"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
)

// encryptionTimeout bounds the question whether a graph is encrypted.
const encryptionTimeout = 5 * time.Second

// AsksAboutTexts reports whether a person is to be asked if the history may hold texts
// of a connected graph, and what Roam says of it: that it is encrypted, or nothing. A
// person who has said it already is not asked, nor while Roam can't be.
func (m *Manager) AsksAboutTexts(ctx context.Context, entry configstore.Entry) (said localapi.Encryption, asks bool) {
	if m.Encryption == nil {
		return localapi.EncryptionUnsaid, false
	}
	config, err := m.Load(ctx)
	if err != nil || !config.TextsUnsaid(entry.Graph()) {
		return localapi.EncryptionUnsaid, false
	}
	entry, _ = config.FindGraph(entry.Graph())
	ctx, cancel := context.WithTimeout(ctx, encryptionTimeout)
	defer cancel()
	said, err = m.Encryption(ctx, entry)
	return said, err == nil && said != localapi.NotEncrypted
}
