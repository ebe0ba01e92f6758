package mcpserve

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"roam-mcp/localapi"
)

// ticket shows that the guidelines of a graph were read. It travels with the
// client, so the server remembers nothing, and serves both eras of MCP.
type ticket struct {
	graph localapi.Graph
	hash  string // of the guidelines as they were read
	at    time.Time
}

// sealer makes tickets that only this process can open: a ticket of another
// process is not a forged one but a stale one.
type sealer struct{ aead cipher.AEAD }

var errForeignTicket = errors.New("the ticket was not made by this server process")

func newSealer() (sealer, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return sealer{}, fmt.Errorf("make the key for tickets: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, fmt.Errorf("make the key for tickets: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return sealer{}, fmt.Errorf("make the key for tickets: %w", err)
	}
	return sealer{aead}, nil
}

func (s sealer) seal(t ticket) string {
	// "|" is in no graph name, type or hash.
	plain := strings.Join([]string{t.graph.Name, string(t.graph.Type), t.hash, strconv.FormatInt(t.at.Unix(), 36)}, "|")
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, []byte(plain), nil))
}

func (s sealer) open(text string) (ticket, error) {
	text = strings.TrimSpace(text)
	if len(text) > 1024 {
		return ticket{}, errForeignTicket
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ticket{}, errForeignTicket
	}
	plain, err := s.aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return ticket{}, errForeignTicket
	}
	parts := strings.Split(string(plain), "|")
	if len(parts) != 4 {
		return ticket{}, errForeignTicket
	}
	seconds, err := strconv.ParseInt(parts[3], 36, 64)
	if err != nil {
		return ticket{}, errForeignTicket
	}
	return ticket{
		graph: localapi.Graph{Name: parts[0], Type: localapi.GraphType(parts[1])},
		hash:  parts[2],
		at:    time.Unix(seconds, 0),
	}, nil
}

// hashGuidelines names a state of a graph's guidelines.
func hashGuidelines(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
