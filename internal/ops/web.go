package ops

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"syscall"
	"time"

	"roam-mcp/internal/problem"
)

const (
	// FetchTimeout is how long a fetch may take as a whole.
	FetchTimeout = 30 * time.Second

	maxRedirects    = 5
	maxAddress      = 8 << 10 // bytes of a web address
	connectTimeout  = 10 * time.Second
	maxHeaderBytes  = 64 << 10
	addressRefusals = "Only addresses of the public internet are fetched, not those of this machine or its network."
)

var (
	errNotPublic    = errors.New("the address is not public")
	errRedirects    = errors.New("too many redirects")
	errRedirectedTo = errors.New("redirected to what is no web address")
)

// Web fetches files from the internet. Each connection is checked when its
// address is known and before a byte is sent, so that neither a redirect nor a
// name that resolves differently the second time leads elsewhere. Proxies of
// the environment are not used: they would do the connecting.
type Web struct {
	client  *http.Client
	timeout time.Duration
	max     int64
}

// NewWeb makes a Web that connects to the addresses permit allows. Anything but
// Public is for tests, which have no internet.
func NewWeb(permit func(netip.Addr) bool) *Web {
	dialer := &net.Dialer{
		Timeout: connectTimeout,
		Control: func(network, address string, _ syscall.RawConn) error {
			target, err := netip.ParseAddrPort(address)
			if err != nil || !strings.HasPrefix(network, "tcp") || !permit(target.Addr()) {
				return errNotPublic
			}
			return nil
		},
	}
	return &Web{
		timeout: FetchTimeout,
		max:     MaxBytes,
		client: &http.Client{
			Transport: &http.Transport{
				DialContext:            dialer.DialContext,
				DisableKeepAlives:      true, // a fetch is one request
				ForceAttemptHTTP2:      true,
				TLSHandshakeTimeout:    connectTimeout,
				MaxResponseHeaderBytes: maxHeaderBytes,
			},
			CheckRedirect: func(next *http.Request, past []*http.Request) error {
				if len(past) > maxRedirects {
					return errRedirects
				}
				if !isWeb(next.URL) {
					return errRedirectedTo
				}
				return nil
			},
		},
	}
}

// isWeb reports whether an address is one that is fetched: without a name and
// password in it, which would be sent to whoever is there.
func isWeb(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// ParseWeb checks what a caller gave as a web address.
func ParseWeb(address string) (*url.URL, error) {
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil || len(address) > maxAddress || !isWeb(parsed) {
		return nil, &problem.Error{Code: CodeInvalid, Message: "url must be a whole address that begins with https:// or http://, without a password in it.", Err: err}
	}
	return parsed, nil
}

// Fetch gets the file at an address.
func (w *Web) Fetch(ctx context.Context, address string, given Given) (GivenFile, error) {
	if err := given.check(); err != nil {
		return GivenFile{}, err
	}
	parsed, err := ParseWeb(address)
	if err != nil {
		return GivenFile{}, err
	}
	limited, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	content, told, err := w.get(limited, parsed)
	if ctx.Err() != nil {
		return GivenFile{}, ctx.Err()
	}
	if err != nil {
		return GivenFile{}, w.explain(parsed, err)
	}
	return given.file(content, path.Base(parsed.Path), told, byName(parsed.Path), sniffed(content), guessed(content)), nil
}

// get gives the body and its Content-Type.
func (w *Web) get(ctx context.Context, address *url.URL) ([]byte, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("User-Agent", "roam-mcp")
	response, err := w.client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode < 200 || response.StatusCode > 299:
		return nil, "", &problem.Error{Code: CodeUnavailable, Message: fmt.Sprintf("The web server answered with status %d.", response.StatusCode), Hint: problem.Say("Check the address; a page that asks for a login can't be fetched.")}
	case response.ContentLength > w.max:
		return nil, "", tooLarge(w.max)
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, w.max+1))
	switch {
	case err != nil:
		return nil, "", err
	case int64(len(content)) > w.max: // also where a small body unfolds to a large one
		return nil, "", tooLarge(w.max)
	}
	return content, response.Header.Get("Content-Type"), nil
}

// explain says what went wrong, without the addresses that names resolved to:
// they would be a map of the network.
func (w *Web) explain(address *url.URL, err error) *problem.Error {
	var noName *net.DNSError
	var badCertificate *tls.CertificateVerificationError
	why := "no connection to it could be made, or it broke"
	if known, ok := problem.As(err); ok {
		return known
	}
	switch {
	case errors.Is(err, errNotPublic):
		return &problem.Error{Code: CodeNotAllowed, Message: fmt.Sprintf("The address at %q is not fetched, or redirects to one that is not.", clip(address.Hostname())), Hint: problem.Say(addressRefusals), Err: errNotPublic}
	case errors.Is(err, errRedirectedTo):
		return &problem.Error{Code: CodeNotAllowed, Message: "The web server redirects to what is no http or https address.", Err: errRedirectedTo}
	case errors.Is(err, errRedirects):
		why = fmt.Sprintf("it redirects more than %d times", maxRedirects)
	case errors.Is(err, context.DeadlineExceeded):
		why = fmt.Sprintf("it took longer than %v", w.timeout)
	case errors.As(err, &noName):
		why = "there is no such host"
	case errors.As(err, &badCertificate):
		why = "its certificate is not valid"
	}
	return &problem.Error{Code: CodeUnavailable, Message: fmt.Sprintf("The file at %q could not be fetched: %s.", clip(address.Hostname()), why), Hint: problem.Say("Check the address, or save the file and give filePath."), Err: err}
}

func clip(host string) string {
	if len(host) > 80 {
		return host[:80] + "…"
	}
	return host
}
