package page

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// sessionLifetime is how long a browser stays admitted after its last request.
	sessionLifetime = 12 * time.Hour
	// maxSessions bounds the browsers that are admitted at once.
	maxSessions = 100

	cookieName = "roam-sandbox"
)

// session is a browser that was let in. It proves so with two secrets, since each
// alone may get to others: an address is shown and kept in a history, and a cookie
// is sent to every port of its host.
type session struct {
	base   string // the path that its pages are below, "/" and a secret
	cookie string // the value of the cookie
	until  time.Time
}

// form returns the token of the form that answers a token request. It is good for
// this request alone, which is answered once.
func (s *session) form(request string) string {
	mac := hmac.New(sha256.New, []byte(s.cookie))
	mac.Write([]byte(request))
	return hex.EncodeToString(mac.Sum(nil))
}

func same(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// sessions holds the sessions by their base. The zero value has none.
type sessions struct {
	mu     sync.Mutex
	byBase map[string]*session
}

// begin makes a session. If there are too many, the one that ends first makes room.
func (s *sessions) begin(now time.Time) *session {
	begun := &session{base: "/" + rand.Text(), cookie: rand.Text(), until: now.Add(sessionLifetime)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byBase == nil {
		s.byBase = map[string]*session{}
	}
	maps.DeleteFunc(s.byBase, func(_ string, each *session) bool { return !each.until.After(now) })
	if len(s.byBase) >= maxSessions {
		first := slices.MinFunc(slices.Collect(maps.Values(s.byBase)), func(a, b *session) int { return a.until.Compare(b.until) })
		delete(s.byBase, first.base)
	}
	s.byBase[begun.base] = begun
	return begun
}

// use returns the session of a path and a cookie, and prolongs it; nil if there is
// none or it has ended.
func (s *sessions) use(path, cookie string, now time.Time) *session {
	secret, _, below := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byBase["/"+secret]
	if found == nil || !below || !same(cookie, found.cookie) || !found.until.After(now) {
		return nil
	}
	found.until = now.Add(sessionLifetime)
	return found
}

// newHost returns a Host header under which a server on a port is its own origin,
// with cookies of its own. Browsers take names below localhost for this machine;
// nobody else knows this one.
func newHost(port int) string {
	const letters = 12 // of 5 bits
	name := "roam-" + strings.ToLower(rand.Text()[:letters]) + ".localhost"
	if port == 80 {
		return name
	}
	return name + ":" + strconv.Itoa(port)
}

// admitted returns the session of a request; nil if it has none, or if another site
// caused it.
func (h *Handler) admitted(r *http.Request) *session {
	if r.Host != h.host {
		return nil
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin": // "same-site" is another port
	default:
		return nil
	}
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return nil
	}
	return h.sessions.use(r.URL.Path, cookie.Value, h.options.Now())
}

// enter begins a session for a browser that has the key, and leads it to its first
// page. It does so by a page and not by a redirect: after a link on another site
// that would still count as that site's request, without the cookie.
func (h *Handler) enter(w http.ResponseWriter, r *http.Request) {
	if !same(r.URL.Query().Get("key"), h.key) {
		h.lockedOut(w)
		return
	}
	begun := h.sessions.begin(h.options.Now())
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: begun.cookie, Path: begun.base, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	send(w, http.StatusOK, enteredPage(begun.base+"/"))
}

// lockedOut answers a browser without key and session.
func (h *Handler) lockedOut(w http.ResponseWriter) {
	send(w, http.StatusUnauthorized, lockedPage(int(sessionLifetime/time.Hour)))
}

type sessionKey struct{}

func withSession(r *http.Request, s *session) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), sessionKey{}, s))
}

// sessionOf returns the session of a request that was admitted.
func sessionOf(r *http.Request) *session { return r.Context().Value(sessionKey{}).(*session) }
