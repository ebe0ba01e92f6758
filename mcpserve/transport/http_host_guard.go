package transport

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

// allows reports whether a Host header means this server. Where it listens on
// every address, any IP address does: unlike a name it can't be rebound.
func (g hostGuard) allows(header string) bool {
	if g.allowsHost(header, "80") {
		return true
	}
	host, port, _ := splitHost(header, "80")
	_, err := netip.ParseAddr(host)
	return err == nil && g.ip.IsUnspecified() && port == g.port
}

// splitHost takes a host and its port apart; bare reports that there is no port.
func splitHost(text, defaultPort string) (host, port string, bare bool) {
	text = strings.ToLower(text)
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return strings.Trim(text, "[]"), defaultPort, true
	}
	return host, port, false
}

// allowsHost reports whether the server was told that it is called so.
func (g hostGuard) allowsHost(text, defaultPort string) bool {
	host, port, bare := splitHost(text, defaultPort)
	if bare && host != "" && slices.Contains(g.front, host) || slices.Contains(g.exact, net.JoinHostPort(host, port)) {
		return true
	}
	return port == g.port && (slices.Contains(g.names, host) || g.isOwnIP(host))
}

// isOwnIP reports whether host is the address of the listener, or a loopback one.
func (g hostGuard) isOwnIP(host string) bool {
	ip, err := netip.ParseAddr(host)
	ip = ip.Unmap()
	return err == nil && (ip.IsLoopback() || ip == g.ip)
}

// allowsOrigin reports whether a request comes from no web page, or from one of
// this very server, by an address or a name that it was told of.
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
