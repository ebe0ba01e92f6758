package keyproof

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
)

// Errors of a client.
var (
	// ErrUnproven means that whoever replied does not know the key, or that the reply
	// was changed.
	ErrUnproven = errors.New("what answers does not know the sandbox's key")
	// ErrRefused means that the server does not take the proof of the request.
	ErrRefused = errors.New("what answers does not take the sandbox's key")
)

// Client is the side that asks.
type Client struct {
	Key  string
	Port int // on 127.0.0.1
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Do sends a request and returns the reply, whose body ends with ErrUnproven instead
// of io.EOF unless the reply is proven: until then nothing in it is to be trusted. The
// caller closes the body.
func (c Client) Do(ctx context.Context, method, uri string, body []byte, header ...string) (*http.Response, error) {
	// One connection: the nonce is good on no other.
	transport := &http.Transport{DialContext: c.Dial, MaxConnsPerHost: 1, DisableCompression: true} // no proxy either
	response, err := c.do(ctx, transport, request{port: c.Port, clientNonce: rand.Text(), method: method, uri: uri, body: body}, header)
	if err != nil {
		transport.CloseIdleConnections()
	}
	return response, err
}

func (c Client) do(ctx context.Context, transport *http.Transport, r request, header []string) (*http.Response, error) {
	asked, err := c.newRequest(ctx, http.MethodGet, NoncePath, nil)
	if err != nil {
		return nil, err
	}
	answer, err := transport.RoundTrip(asked)
	if err != nil {
		return nil, err
	}
	_ = answer.Body.Close() // it has none
	if r.nonce = answer.Header.Get(nonceHeader); r.nonce == "" {
		return nil, ErrUnproven
	}
	proven, err := c.newRequest(ctx, r.method, r.uri, r.body)
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(header); i += 2 {
		proven.Header.Set(header[i], header[i+1])
	}
	proven.Header.Set(nonceHeader, r.clientNonce)
	proven.Header.Set(proofHeader, r.proof(c.Key))
	response, err := transport.RoundTrip(proven)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusUnauthorized {
		_ = response.Body.Close() // anybody may have written it
		return nil, ErrRefused
	}
	response.Body = &provenBody{response: response, body: response.Body, request: r, key: c.Key, sum: sha256.New(), close: transport.CloseIdleConnections}
	return response, nil
}

func (c Client) newRequest(ctx context.Context, method, uri string, body []byte) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, method, fmt.Sprintf("http://127.0.0.1:%d%s", c.Port, uri), bytes.NewReader(body))
}

// provenBody is the body of a reply, which is proven by what follows it.
type provenBody struct {
	response *http.Response
	body     io.ReadCloser
	request  request
	key      string
	sum      hash.Hash
	close    func()
}

// Read implements io.Reader.
func (b *provenBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	_, _ = b.sum.Write(p[:n]) // never fails
	if errors.Is(err, io.EOF) && !hmac.Equal([]byte(b.request.replyProof(b.key, b.response.StatusCode, b.sum)), []byte(b.response.Trailer.Get(proofHeader))) {
		return n, ErrUnproven
	}
	return n, err
}

// Close implements io.Closer.
func (b *provenBody) Close() error {
	defer b.close()
	return b.body.Close()
}

// withBody returns a request with a body that was read.
func withBody(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}
