// Package keyproof has a client and a server of HTTP show each other that they know
// the same key, without sending it. A proof of a request is an HMAC over a nonce of
// the server, the port, method, path and body; that of a reply is one over the same
// request, status and body.
//
// It promises that a proof is good once, on the connection that the nonce was sent
// on, for a few seconds, and that a client which has read a reply to its end has the
// reply of a server that knows the key. It hides nothing that is sent.
package keyproof

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
	"time"
)

const (
	// NoncePath is where the server gives out nonces.
	NoncePath = "/sandbox/nonce"

	nonceHeader = "Roam-Sandbox-Nonce"
	// proofHeader carries the proof of a request, and is the trailer with that of a
	// reply.
	proofHeader = "Roam-Sandbox-Proof"

	// lifetime is how long a nonce is good.
	lifetime = 10 * time.Second
	// maxBody is the size of the largest body of a request, in bytes.
	maxBody = 1 << 20
)

// request is what a proof is bound to. Its nonces are the server's and the client's.
type request struct {
	nonce, clientNonce string
	port               int
	method, uri        string
	body               []byte
}

// proof returns the proof of a request.
func (r request) proof(key string) string {
	sum := sha256.Sum256(r.body)
	return mac(key, "request", r.nonce, r.clientNonce, strconv.Itoa(r.port), r.method, r.uri, hex.EncodeToString(sum[:]))
}

// replyProof returns the proof of the reply to a request.
func (r request) replyProof(key string, status int, body hash.Hash) string {
	return mac(key, "reply", r.proof(key), strconv.Itoa(status), hex.EncodeToString(body.Sum(nil)))
}

// mac returns an HMAC over texts, each with its length before it.
func mac(key string, texts ...string) string {
	sum := hmac.New(sha256.New, []byte(key))
	for _, text := range texts {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(text), text) // never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}
