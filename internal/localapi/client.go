package localapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"roam-mcp/internal/netutil"
	"roam-mcp/internal/problem"
)

const (
	// APIVersion is the version of the Local API that this client is made for.
	// Roam compares major and minor only (LOCAL_API.md 1.5).
	APIVersion = "1.1.5"

	defaultDialTimeout = 3 * time.Second
	// defaultMaxReply has room for the largest file that agents may read or upload
	// (32 MiB), which comes as base64. No other reply of use comes near it.
	defaultMaxReply = 64 << 20
	// maxReplyHeader bounds the header of a reply, in bytes.
	maxReplyHeader = 64 << 10
)

// Options of a Client. The zero value is a client for Roam's default port.
type Options struct {
	PortFile PortFile
	// Transport replaces the client's own; tests hold the wire with it.
	Transport http.RoundTripper
	// ExpectedAPIVersion is sent with every action, unless the context says another
	// one (Expecting); empty means APIVersion.
	ExpectedAPIVersion string
	// DialTimeout limits connecting, not the call. Zero means 3 s.
	DialTimeout time.Duration
	// MaxReply is the largest reply in bytes that is read. Zero means 64 MiB.
	MaxReply int64
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Memory is what long replies may take together; nil: it has no bounds. What a reply takes
	// is given back when the call returns, or kept by the work of its context (WithReplies).
	Memory *netutil.Memory
}

// Client calls the Local API. It is safe for concurrent use.
//
// Calls have no time limit of their own, since Roam may open a graph or ask a
// person first: the context ends them.
type Client struct {
	options Options
	// lists asks for lists of graphs, which takes no token; http makes all other calls,
	// to listeners that have said hello.
	lists, http *http.Client
	greeter     *greeter
	port        *cachedPort

	mu   sync.Mutex
	seen string
}

// New makes a client. It reads no file and opens no connection yet.
func New(options Options) *Client {
	if options.ExpectedAPIVersion == "" {
		options.ExpectedAPIVersion = APIVersion
	}
	if options.DialTimeout <= 0 {
		options.DialTimeout = defaultDialTimeout
	}
	if options.MaxReply <= 0 {
		options.MaxReply = defaultMaxReply
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	dialer := Dialer{Timeout: options.DialTimeout, PortFile: options.PortFile}
	c := &Client{options: options, greeter: newGreeter(dialer), port: &cachedPort{file: options.PortFile}}
	c.lists = newHTTPClient(options.Transport, dialer.DialContext)
	c.http = newHTTPClient(options.Transport, c.greeter.DialContext)
	return c
}

// newHTTPClient returns a client that connects with a function, or uses a transport
// that is not nil.
func newHTTPClient(transport http.RoundTripper, dial func(context.Context, string, string) (net.Conn, error)) *http.Client {
	if transport == nil {
		transport = &http.Transport{
			// No proxy: what goes to the loopback interface stays there.
			Proxy:               nil,
			DialContext:         dial,
			MaxIdleConnsPerHost: 64,
			// On the loopback interface it saves nothing, and a small reply could
			// become a huge one.
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxReplyHeader,
			// Less than the 5 s after which Roam's server (Node) closes an idle
			// connection: a write sent on one that is being closed is lost, and
			// nobody knows whether it was.
			IdleConnTimeout: 4 * time.Second,
		}
	}
	return &http.Client{
		Transport: transport,
		// A redirect would carry the token elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Address is where Roam is looked for: "127.0.0.1:3333", or "" where a strict
// port file names none.
func (c *Client) Address() string {
	port, _ := c.port.read() // a missing file is normal; the default stands in
	if port == 0 {
		return ""
	}
	return addressOf(port)
}

func addressOf(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// SeenAPIVersion is the version of the Local API that the Roam which answered
// the last list of graphs has stamped on it; empty before, and with old builds.
func (c *Client) SeenAPIVersion() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

func (c *Client) saw(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = version
}

// CloseIdleConnections drops the connections that wait for the next call.
func (c *Client) CloseIdleConnections() {
	c.lists.CloseIdleConnections()
	c.http.CloseIdleConnections()
}

// call is one request: what to send, and what to call it in errors.
type call struct {
	action string // the action or route, for errors
	method string
	path   string
	token  Token
	body   []byte
}

// reply is what came back, whole.
type reply struct {
	port        int
	status      int
	contentType string
	forPages    bool // web pages of any origin may read it
	body        []byte
}

func replyOf(response *http.Response, body []byte) reply {
	return reply{
		status: response.StatusCode, contentType: response.Header.Get("Content-Type"),
		forPages: response.Header.Get("Access-Control-Allow-Origin") == "*", body: body,
	}
}

// do sends one request to the port that the port file names now. Where that can't
// be reached and Roam has moved meanwhile, the request goes to the new port: it
// was not sent before.
func (c *Client) do(ctx context.Context, request call) (reply, error) {
	port, err := c.port.read()
	for {
		if port == 0 {
			return reply{}, connectionError(request, 0, false, err)
		}
		answer, sent, err := c.send(ctx, port, request)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return reply{}, contextError(ctx, request, sent)
		}
		if _, explained := problem.As(err); explained {
			return reply{}, err
		}
		if now, _ := c.port.read(); !sent && now != 0 && now != port {
			port = now
			continue
		}
		return reply{}, connectionError(request, port, sent, err)
	}
}

func (c *Client) send(ctx context.Context, port int, request call) (answer reply, sent bool, err error) {
	var wrote atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }}
	url := "http://" + addressOf(port) + request.path
	httpRequest, err := http.NewRequestWithContext(httptrace.WithClientTrace(withCaller(ctx), trace), request.method, url, bytes.NewReader(request.body))
	if err != nil {
		return reply{}, false, fmt.Errorf("make the request: %w", err)
	}
	httpRequest.Header.Set("Content-Type", "application/json")
	if !request.token.IsZero() {
		httpRequest.Header.Set("Authorization", "Bearer "+request.token.Reveal())
	}
	client := c.http
	if request.method == http.MethodGet {
		client = c.lists
	}
	response, err := client.Do(httpRequest)
	if err != nil {
		return reply{}, wrote.Load(), err
	}
	defer response.Body.Close()
	body, share, err := c.readBody(ctx, response)
	if err != nil {
		return reply{}, true, c.explainUnread(err, request.action, response.StatusCode)
	}
	keepReply(ctx, share)
	answer = replyOf(response, body)
	answer.port = port
	return answer, true, nil
}

// decode is the function decode of a reply to a call that expected a version. Whoever
// does not reply as Roam does has to say hello again.
func (c *Client) decode(action string, answer reply, expected string) (envelope, error) {
	out, err := decode(action, answer, expected)
	if err != nil && out.Success == nil {
		c.greeter.forget(addressOf(answer.port))
		c.http.CloseIdleConnections()
	}
	return out, err
}

// Reply is a successful action.
type Reply struct {
	// Result is the JSON value as Roam sent it, nil where it sent none (most
	// of the older writes).
	Result json.RawMessage
	// APIVersion is the version stamped on the reply, empty on old builds.
	APIVersion string
}

// Call runs one action on a graph (LOCAL_API.md 1.3.1). args are its positional
// arguments; each must be something that encoding/json can encode.
func (c *Client) Call(ctx context.Context, graph Graph, token Token, action string, args ...any) (Reply, error) {
	if !ValidGraphName(graph.Name) {
		return Reply{}, invalidName(action, graph.Name)
	}
	if args == nil {
		args = []any{}
	}
	expected := c.expected(ctx)
	body, err := json.Marshal(struct {
		Action   string `json:"action"`
		Args     []any  `json:"args"`
		Expected string `json:"expectedApiVersion,omitempty"`
	}{action, args, sentVersion(expected)})
	if err != nil {
		return Reply{}, fmt.Errorf("encode the arguments of %s: %w", action, err)
	}
	path := "/api/" + graph.Name
	if graph.Type == Offline {
		path += "?type=offline"
	}
	sent := c.options.Now()
	answer, err := c.do(ctx, call{action: action, method: http.MethodPost, path: path, token: token, body: body})
	if err != nil {
		return Reply{}, err
	}
	envelope, err := c.decode(action, answer, expected)
	if err != nil {
		return Reply{}, unsupportedAction(tookTooLong(err, expected, c.options.Now().Sub(sent)))
	}
	return Reply{Result: envelope.Result, APIVersion: envelope.APIVersion}, nil
}
