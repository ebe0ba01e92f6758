package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/cookiebrowser"
	"roam-mcp/internal/testutil/require"
)

func TestPageNeedsTheKey(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	v := enter(t, s)
	for name, tc := range map[string]struct {
		path   string
		header []string // beside or in place of a visitor's
		status int
	}{
		"a visitor":                           {v.base + "/", nil, 200},
		"a page that was on another's":        {v.base + "/", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		"no path":                             {"/", nil, 401},
		"a wrong key":                         {"/?key=wrong", nil, 401},
		"an empty key":                        {"/?key=", nil, 401},
		"the key of the other routes":         {"/?key=" + s.key, nil, 401},
		"no secret in the path":               {"/g/hosted/small", nil, 401},
		"another secret in the path":          {"/" + strings.Repeat("A", 26) + "/", nil, 401},
		"the secret and no more":              {v.base, nil, 401},
		"no cookie":                           {v.base + "/", []string{"Cookie", ""}, 401},
		"another cookie":                      {v.base + "/", []string{"Cookie", "roam-sandbox=x"}, 401},
		"the key as the cookie":               {v.base + "/", []string{"Cookie", "roam-sandbox=" + s.key}, 401},
		"another port of the same name":       {v.base + "/", []string{"Sec-Fetch-Site", "same-site"}, 401},
		"another site":                        {v.base + "/", []string{"Sec-Fetch-Site", "cross-site"}, 401},
		"another origin":                      {v.base + "/", []string{"Origin", "http://evil.example"}, 403},
		"this origin under the other name":    {v.base + "/", []string{"Origin", fmt.Sprintf("http://127.0.0.1:%d", s.port)}, 403},
		"the address":                         {v.base + "/", []string{"Host", fmt.Sprintf("127.0.0.1:%d", s.port)}, 404},
		"the address's first page":            {"/", []string{"Host", fmt.Sprintf("127.0.0.1:%d", s.port)}, 401},
		"the address with the key":            {strings.TrimPrefix(s.PageURL(), "http://"+s.page.Host()), []string{"Host", fmt.Sprintf("127.0.0.1:%d", s.port)}, 401},
		"the name with another port":          {v.base + "/", []string{"Host", strings.Split(s.page.Host(), ":")[0] + ":1"}, 403},
		"another name below localhost":        {v.base + "/", []string{"Host", fmt.Sprintf("roam-aaaaaaaaaaaa.localhost:%d", s.port)}, 403},
		"another name for this machine":       {v.base + "/", []string{"Host", "evil.example"}, 403},
		"the API under the name of the pages": {"/api/graphs/open", nil, 401},
		"the switches under that name":        {"/sandbox/switches", nil, 401},
		"the style":                           {"/page/static/style.css", []string{"Cookie", ""}, 200},
	} {
		t.Run(fmt.Sprintf("answers %s with %d", name, tc.status), func(t *testing.T) {
			header := append([]string{"Host", s.page.Host(), "Cookie", v.cookie}, tc.header...)
			status, body, sent := exchange(t, s, "GET", tc.path, "", header...)
			if status != tc.status || status != 200 && (strings.Contains(body, "small</b>") || sent.Get("Set-Cookie") != "") {
				t.Errorf("%d %v %s", status, sent, body)
			}
		})
	}
	t.Run("another start has another name and another key", func(t *testing.T) {
		host, address := s.page.Host(), s.PageURL()
		stop(t, s)
		again := start(t, Options{Home: s.options.Home, Policy: desk.Allow})
		if again.page.Host() == host || again.PageURL()[len(again.PageURL())-26:] == address[len(address)-26:] {
			t.Errorf("%s, then %s", address, again.PageURL())
		}
		if status, _, _ := exchange(t, again, "GET", v.base+"/", "", "Host", again.page.Host(), "Cookie", v.cookie); status != 401 {
			t.Errorf("the old session gives %d", status)
		}
	})
}

func TestPageSessionsEnd(t *testing.T) {
	var passed atomic.Int64
	s := start(t, Options{Policy: desk.Allow, Now: func() time.Time { return clock().Add(time.Duration(passed.Load())) }})
	v := enter(t, s)
	for _, step := range []struct {
		pause  time.Duration
		status int
	}{{11 * time.Hour, 200}, {11 * time.Hour, 200}, {12 * time.Hour, 401}, {0, 401}} {
		passed.Add(int64(step.pause))
		if status, _ := v.get("/"); status != step.status {
			t.Errorf("%v later: %d", step.pause, status)
		}
	}
	first := enter(t, s)
	for range 100 {
		passed.Add(int64(time.Second))
		v = enter(t, s)
	}
	if status, _ := first.get("/"); status != 401 {
		t.Errorf("the first of 101 sessions: %d", status)
	}
	if status, _ := v.get("/"); status != 200 {
		t.Errorf("the last of 101 sessions: %d", status)
	}
}

// TestAnotherPortCannotApprove has a browser that is at the sandbox's page visit
// another server of this machine, which tries to approve a request with what the
// browser told it. Its cookies follow RFC 6265, which knows no ports.
func TestAnotherPortCannotApprove(t *testing.T) {
	s := start(t, Options{Policy: desk.Ask})
	browser, err := cookiebrowser.New()
	require.NoError(t, err)
	page, home, err := browser.Visit(t.Context(), s.PageURL())
	if err != nil || !strings.Contains(page, "<h1>Graphs</h1>") {
		t.Fatalf("the browser was not let in: %v %s", err, page)
	}

	granted := make(chan error, 1)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		_, err := clientOf(t, s).RequestToken(ctx, localapi.TokenRequest{Graph: small, AccessLevel: localapi.Full, Description: "a thief"})
		granted <- err
	}()
	watch := s.Desk().Watch(t.Context())
	for len(<-watch) == 0 {
		// until the request is there
	}

	var stolen []string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen = append(stolen, r.Header.Values("Cookie")...) }))
	defer thief.Close()
	_, port, err := net.SplitHostPort(thief.Listener.Addr().String())
	require.NoError(t, err)
	for _, name := range []string{"127.0.0.1", "localhost", "roam-aaaaaaaaaaaa.localhost", home.Hostname()} { // the last is a secret
		for _, path := range []string{"/", "/page/static/icon.svg", "/g/hosted/small"} {
			_, _, err := browser.Visit(t.Context(), "http://"+net.JoinHostPort(name, port)+path)
			require.NoError(t, err)
		}
	}
	if len(stolen) > 0 {
		t.Errorf("another port was sent %q", stolen)
	}
	// What if it got the cookie itself?
	for _, cookie := range browser.Cookies(home) {
		stolen = append(stolen, cookie.String())
	}
	for _, host := range []string{home.Host, net.JoinHostPort("127.0.0.1", home.Port()), net.JoinHostPort("localhost", home.Port())} {
		for _, cookie := range slices.Compact(stolen) {
			approve(t, s, host, cookie)
		}
	}
	open := len(s.Desk().Pending())
	leave()
	if err := <-granted; open != 1 || err == nil {
		t.Errorf("the request was answered, with %v", err)
	}
}

// approve tries to approve a request with a cookie, as a program can that is no
// browser: it reads the forms of every page that it is shown and sends each.
func approve(t *testing.T, s *Server, host, cookie string) {
	t.Helper()
	id := s.Desk().Pending()
	if len(id) == 0 {
		return
	}
	same := []string{"Host", host, "Cookie", cookie, "Sec-Fetch-Site", "same-origin"}
	forms := []string{"", strings.Repeat("0", 64)}
	action := "/requests/" + id[0].ID
	for _, path := range []string{"/", "/g/hosted/small"} {
		_, page, _ := exchange(t, s, "GET", path, "", same...)
		for _, found := range regexp.MustCompile(`name="form" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			forms = append(forms, found[1])
		}
	}
	for _, form := range slices.Compact(forms) {
		body := url.Values{"form": {form}, "verdict": {"full"}}.Encode()
		exchange(t, s, "POST", action, body, append(same, "Content-Type", "application/x-www-form-urlencoded", "Origin", "http://"+host)...)
	}
}
