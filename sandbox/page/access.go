package page

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// sessionLength is how long a browser stays let in.
const sessionLength = 30 * 24 * time.Hour

// maxForm bounds what a form may send, in bytes.
const maxForm = 16 << 10

// secret derives one secret from the key; the key itself is in no page.
func secret(key, purpose string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(purpose))
	return hex.EncodeToString(mac.Sum(nil))
}

func same(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// private lets in who has the cookie, and gives it to who brings the key.
func (h *Handler) private(show http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.Method == http.MethodGet && query.Has("key") {
			if !same(query.Get("key"), h.options.Key) {
				h.lockedOut(w, r)
				return
			}
			http.SetCookie(w, &http.Cookie{
				Name: h.options.CookieName, Value: h.session, Path: "/", MaxAge: int(sessionLength / time.Second),
				HttpOnly: true, SameSite: http.SameSiteLaxMode,
			})
			query.Del("key")
			// Away from the address with the key in it, to the same page.
			seeOther(w, &url.URL{Path: r.URL.Path, RawQuery: query.Encode()})
			return
		}
		if cookie, err := r.Cookie(h.options.CookieName); err != nil || !same(cookie.Value, h.session) {
			h.lockedOut(w, r)
			return
		}
		show(w, r)
	})
}

func seeOther(w http.ResponseWriter, to *url.URL) {
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusSeeOther)
}

// form runs what a form of ours asks for, and then shows the page it was on.
// The error, if any, is a sentence for the person.
func (h *Handler) form(run func(r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil || !same(r.PostForm.Get("form"), h.csrf) {
			h.fail(w, r, http.StatusForbidden, "This form did not come from a page of this sandbox.", "Go back, load the page again, and repeat it.")
			return
		}
		if err := run(r); err != nil {
			what, todo := explain(err)
			h.fail(w, r, http.StatusConflict, what, todo)
			return
		}
		seeOther(w, h.backTo(r.PostForm.Get("from")))
	}
}

// backTo is where a form was; what is no page of ours is the first one.
func (h *Handler) backTo(from string) *url.URL {
	to, err := url.Parse(from)
	if err != nil || to.IsAbs() || to.Host != "" || to.Opaque != "" || !strings.HasPrefix(to.Path, "/") || strings.HasPrefix(to.Path, "//") {
		return &url.URL{Path: "/"}
	}
	return &url.URL{Path: to.Path, RawQuery: to.RawQuery}
}
