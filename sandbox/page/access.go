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

// cookieLifetime is how long a browser stays admitted.
const cookieLifetime = 30 * 24 * time.Hour

// maxForm bounds the body of a form, in bytes.
const maxForm = 16 << 10

// secret derives a secret from the key, which itself is in no page.
func secret(key, purpose string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(purpose))
	return hex.EncodeToString(mac.Sum(nil))
}

func same(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// private admits a browser with the cookie, and sets the cookie for one with the key.
func (h *Handler) private(show http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.Method == http.MethodGet && query.Has("key") {
			if !same(query.Get("key"), h.options.Key) {
				h.lockedOut(w, r)
				return
			}
			http.SetCookie(w, &http.Cookie{
				Name: h.options.CookieName, Value: h.cookie, Path: "/", MaxAge: int(cookieLifetime / time.Second),
				HttpOnly: true, SameSite: http.SameSiteLaxMode,
			})
			query.Del("key")
			// To the same page, without the key in the address.
			seeOther(w, &url.URL{Path: r.URL.Path, RawQuery: query.Encode()})
			return
		}
		if cookie, err := r.Cookie(h.options.CookieName); err != nil || !same(cookie.Value, h.cookie) {
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

// form handles a form of the page: it checks the CSRF token, calls run and goes back
// to the page of the form. An error of run is shown to the person.
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

// backTo returns the address of the form's page, or of the first page if that is not
// one of the sandbox.
func (h *Handler) backTo(from string) *url.URL {
	to, err := url.Parse(from)
	if err != nil || to.IsAbs() || to.Host != "" || to.Opaque != "" || !strings.HasPrefix(to.Path, "/") || strings.HasPrefix(to.Path, "//") {
		return &url.URL{Path: "/"}
	}
	return &url.URL{Path: to.Path, RawQuery: to.RawQuery}
}
