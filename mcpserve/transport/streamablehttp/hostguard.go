package streamablehttp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// hostGuard knows by which names a server may be called. A web page that had
// its own name resolved to this machine sends another one (DNS rebinding).
type hostGuard struct {
	port  string
	names []string   // without a port: with the server's own
	front []string   // what was given: a name alone is also good without a port, as behind a proxy
	exact []string   // with a port
	ip    netip.Addr // where it listens
}

// newHostGuard guards a server that was asked to listen on address and listens
// on actual.
func newHostGuard(address string, actual net.Addr, hosts []string) hostGuard {
	listening, _ := netip.ParseAddrPort(actual.String()) // a TCP listener's own
	_, port, _ := net.SplitHostPort(actual.String())
	guard := hostGuard{port: port, names: []string{"localhost"}, ip: listening.Addr().Unmap()}
	asked, _, _ := net.SplitHostPort(address)
	for _, host := range hosts {
		guard.front = append(guard.front, strings.ToLower(strings.TrimSpace(host)))
	}
	for _, host := range append([]string{asked}, hosts...) {
		host = strings.ToLower(strings.TrimSpace(host))
		if _, _, err := net.SplitHostPort(host); err == nil {
			guard.exact = append(guard.exact, host)
		} else if host != "" {
			guard.names = append(guard.names, strings.Trim(host, "[]"))
		}
	}
	return guard
}

// allows reports whether a Host header means this server.
func (g hostGuard) allows(header string) bool { return g.allowsHost(header, "80") }

func (g hostGuard) allowsHost(text, defaultPort string) bool {
	text = strings.ToLower(text)
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.Trim(text, "[]"), defaultPort
		if host != "" && slices.Contains(g.front, host) {
			return true
		}
	}
	if slices.Contains(g.exact, net.JoinHostPort(host, port)) {
		return true
	}
	return port == g.port && (slices.Contains(g.names, host) || g.allowsIP(host))
}

// allowsIP: an address can't be rebound as a name can. Where the server listens
// on all addresses any is good, else its own; those of this machine always.
func (g hostGuard) allowsIP(host string) bool {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	ip = ip.Unmap()
	return ip.IsLoopback() || ip == g.ip || g.ip.IsUnspecified()
}

// allowsOrigin reports whether a request comes from no web page, or from one of
// this very server.
func (g hostGuard) allowsOrigin(header http.Header) bool {
	if site := header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return false
	}
	for _, text := range header.Values("Origin") {
		origin, err := url.Parse(text)
		if err != nil || origin.Scheme != "http" && origin.Scheme != "https" {
			return false
		}
		defaultPort := "80"
		if origin.Scheme == "https" {
			defaultPort = "443"
		}
		if !g.allowsHost(origin.Host, defaultPort) {
			return false
		}
	}
	return true
}
