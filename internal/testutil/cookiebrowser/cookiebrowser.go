// Package cookiebrowser is a browser for tests that keeps cookies, takes names
// below localhost for this machine, and follows a page that sends it on, as
// browsers do without JavaScript. It shows nothing and sends no Fetch metadata.
package cookiebrowser

import (
	"context"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"time"
)

// Browser is a browser whose cookies follow RFC 6265, which knows no ports.
type Browser struct {
	client *http.Client
	jar    http.CookieJar
}

// timeout bounds a request.
const timeout = time.Minute

// New returns a browser without cookies.
func New() (*Browser, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	}}
	return &Browser{&http.Client{Jar: jar, Transport: transport, Timeout: timeout}, jar}, nil
}

var refresh = regexp.MustCompile(`http-equiv="refresh" content="0;url=([^"]*)"`)

// Visit returns the page at an address, or the one that it sends on to, with its
// own address. A status other than 200 is an error.
func (b *Browser) Visit(ctx context.Context, address string) (page string, at *url.URL, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", nil, err
	}
	response, err := b.client.Do(request)
	if err != nil {
		return "", nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", nil, err
	}
	at = response.Request.URL
	if response.StatusCode != http.StatusOK {
		return "", at, fmt.Errorf("%s: %s", at.Host, response.Status)
	}
	if next := refresh.FindSubmatch(body); next != nil {
		to, err := at.Parse(html.UnescapeString(string(next[1])))
		if err != nil {
			return "", at, err
		}
		return b.Visit(ctx, to.String())
	}
	return string(body), at, nil
}

// Cookies returns what the browser would send to an address.
func (b *Browser) Cookies(at *url.URL) []*http.Cookie { return b.jar.Cookies(at) }
