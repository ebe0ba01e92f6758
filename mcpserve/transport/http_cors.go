package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
)

// What pages may send and read (Fetch, 3.3). Cookies are not among it: a page has
// to have the token.
const (
	pageMethods = "GET, POST, DELETE"
	pageHeaders = "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID"
	pageReads   = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
	pageMaxAge  = "600" // seconds for which a browser keeps the answer to a preflight
)

// origins are those whose pages may call the server, as browsers write them.
type origins []string

// parseOrigins reads origins as a person gives them. Errors are *problem.Error.
func parseOrigins(texts []string) (origins, error) {
	var all origins
	for _, text := range texts {
		origin, ok := parseOrigin(text)
		if !ok {
			return nil, &problem.Error{
				Code:    CodeOriginInvalid,
				Message: fmt.Sprintf("%q is no origin of web pages.", text),
				Hint:    problem.Say("It is a scheme, a host and a port, such as http://localhost:5173, as the browser shows it in front of a page's path."),
			}
		}
		all = append(all, origin)
	}
	return all, nil
}

// parseOrigin returns an origin as browsers write it: in lower case, without the
// port that its scheme has anyway.
func parseOrigin(text string) (string, bool) {
	u, err := url.Parse(strings.ToLower(strings.TrimSpace(text)))
	if err != nil || u.Scheme == "" || u.Scheme == "file" || u.Hostname() == "" || strings.Contains(u.Host, "*") {
		return "", false
	}
	if u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", false
	}
	host := u.Host
	if port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return u.Scheme + "://" + strings.TrimSuffix(host, ":"), true
}

// note reports whether a request comes from a page of one of the origins, and has
// the browser let that page read the answer.
func (o origins) note(answer, request http.Header) bool {
	if len(o) == 0 {
		return false
	}
	answer.Add("Vary", "Origin")
	from := request.Values("Origin")
	if len(from) != 1 || !slices.Contains(o, from[0]) {
		return false
	}
	answer.Set("Access-Control-Allow-Origin", from[0])
	answer.Set("Access-Control-Expose-Headers", pageReads)
	return true
}

// isPreflight reports whether a browser asks what a page may send. It sends no
// token then.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// answerPreflight says what a page may send.
func answerPreflight(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Methods", pageMethods)
	w.Header().Set("Access-Control-Allow-Headers", pageHeaders)
	w.Header().Set("Access-Control-Max-Age", pageMaxAge)
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		w.Header().Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
}
