// Package hello lets the Roams of tests say hello as Roam does, before a client of the
// Local API sends a token (LOCAL_API.md 1.2).
package hello

import (
	"io"
	"net/http"
)

// Reply is the body of the answer: one graph is open.
const Reply = `{"success":true,"result":[{"name":"work","type":"hosted"}],"apiVersion":"1.1.5"}`

// Before answers the question for the open graphs, and leaves all else to a handler.
func Before(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/api/graphs/open" {
			next(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, Reply)
	}
}
