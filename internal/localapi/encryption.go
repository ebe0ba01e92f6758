package localapi

import (
	"context"
	"encoding/json"
	"net/http"

	"roam-mcp/internal/problem"
)

// Encryption is Roam's word on whether a graph is encrypted.
type Encryption uint8

// The values of Encryption.
const (
	EncryptionUnsaid Encryption = iota // Roam says neither
	Encrypted
	NotEncrypted
)

// EncryptionAction asks whether a graph is encrypted.
const EncryptionAction = "graph.isEncrypted"

// Encryption asks whether a graph is encrypted (LOCAL_API.md 2.5). Roam opens the graph
// for it where it is not open.
func (c *Client) Encryption(ctx context.Context, graph Graph, token Token) (Encryption, error) {
	reply, err := c.Call(ctx, graph, token, EncryptionAction)
	return EncryptionIn(reply, err)
}

// EncryptionIn returns what a call of EncryptionAction says. JSON true and false are
// answers, and nothing else is: where Roam does not know the question, or fails at it, it
// is EncryptionUnsaid. The error is that of a call which has not come to the question, and
// may come to it the next time.
func EncryptionIn(reply Reply, err error) (Encryption, error) {
	if err != nil {
		if failsAtQuestion(err) {
			return EncryptionUnsaid, nil
		}
		return EncryptionUnsaid, err
	}
	var encrypted *bool
	switch err := json.Unmarshal(reply.Result, &encrypted); {
	case err != nil || encrypted == nil:
		return EncryptionUnsaid, nil
	case *encrypted:
		return Encrypted, nil
	}
	return NotEncrypted, nil
}

// failsAtQuestion reports whether the error of a call is Roam's reply to the action itself,
// rather than to its graph, its token or its moment.
func failsAtQuestion(err error) bool {
	failed, ok := problem.AsCall(err)
	if !ok {
		return false
	}
	switch failed.Code {
	case CodeVersionMismatch, CodeDisabled, CodeGraphNotFound, CodeWindowClosed, CodeTokenFileCorrupted, CodeQueryTimeout, CodeRateLimited:
		return false
	}
	switch failed.Status() {
	case http.StatusOK:
		return failed.Code != CodeInvalidReply // it says that it has failed
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError:
		return true
	}
	return false
}
