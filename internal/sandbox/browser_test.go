package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/chrome"
	"roam-mcp/internal/testutil/require"
)

// visitor is a browser without JavaScript that was let in.
type visitor struct {
	t      *testing.T
	s      *Server
	cookie string
	base   string // the path that its pages are below
}

var refresh = regexp.MustCompile(`http-equiv="refresh" content="0;url=(/[A-Z2-7]{26})/"`)

func enter(t *testing.T, s *Server) *visitor {
	t.Helper()
	path, ours := strings.CutPrefix(s.PageURL(), "http://"+s.page.Host())
	status, body, header := exchange(t, s, "GET", path, "", "Host", s.page.Host(), "Sec-Fetch-Site", "cross-site") // a link was clicked
	base := refresh.FindStringSubmatch(body)
	cookie, attributes, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	if !ours || status != 200 || base == nil || attributes != " Path="+base[1]+"; HttpOnly; SameSite=Strict" {
		t.Fatalf("%d %s with %q and %q", status, body, cookie, attributes)
	}
	return &visitor{t, s, cookie, base[1]}
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	status, body, header := exchange(v.t, v.s, "GET", v.base+path, "", "Host", v.s.page.Host(), "Cookie", v.cookie)
	if status < 300 || status >= 400 {
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || header.Get("Access-Control-Allow-Origin") != "" {
			v.t.Errorf("%s: a page that lets others in: %v", path, header)
		}
	}
	if status == http.StatusSeeOther {
		return v.get(strings.TrimPrefix(header.Get("Location"), v.base))
	}
	_, key, _ := strings.Cut(v.s.PageURL(), "key=")
	_, secret, _ := strings.Cut(v.cookie, "=")
	if strings.Contains(body, key) || strings.Contains(body, secret) {
		v.t.Errorf("%s tells the key or the cookie", path)
	}
	return status, body
}

// post sends a form, and returns the status, and where it leads or what it shows.
func (v *visitor) post(path string, fields ...string) (int, string) {
	v.t.Helper()
	return v.postFrom("http://"+v.s.page.Host(), path, fields...)
}

func (v *visitor) postFrom(origin, path string, fields ...string) (int, string) {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	header := []string{"Host", v.s.page.Host(), "Cookie", v.cookie, "Content-Type", "application/x-www-form-urlencoded"}
	if origin != "" {
		header = append(header, "Origin", origin)
	}
	status, body, answered := exchange(v.t, v.s, "POST", v.base+path, form.Encode(), header...)
	return status, strings.TrimPrefix(answered.Get("Location"), v.base) + body
}

// form returns the token of the form on a page that is sent to an address.
func (v *visitor) form(path, action string) string {
	v.t.Helper()
	_, body := v.get(path)
	found := regexp.MustCompile(`action="` + v.base + action + `"[^>]*>\s*<input type="hidden" name="form" value="([0-9a-f]{64})"`).FindStringSubmatch(body)
	if found == nil {
		v.t.Fatalf("%s has no form for %s: %s", path, action, body)
	}
	return found[1]
}

func TestPageShowsAGraph(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	callerOf(t, s, small).do("data.page.fromMarkdown", `{"page": {"title": "Día & night"}, "markdown-string": "- {{[[TODO]]}} <b>bake</b> [[Bread]]\n- #tag\n- ((blk-child)) ((none))"}`)
	v := enter(t, s)
	at := v.base + "/g/hosted/small"
	for path, parts := range map[string][]string{
		"/":                                 {`<a href="` + at + `"><b>small</b></a> <small>hosted, 8 pages,`},
		"/g/hosted/small":                   {`<a href="` + at + `/page?title=Bread">Bread</a>`, `page?title=D%C3%ADa+%26+night">Día &amp; night</a>`},
		"/g/hosted/small?from=99":           {"8 pages"},
		"/g/hosted/small/page?title=Bread":  {"<h1>Bread</h1>", `class="text h2"`, `?title=Water">[[Water]]</a>`, "a fine child"},
		"/g/hosted/small/page?title=<i>New": {"Nothing is written here yet", "&lt;i&gt;New"},
		"/g/hosted/small/page?title=D%C3%ADa+%26+night": {
			`[[TODO]]</a>}} &lt;b&gt;bake&lt;/b&gt; <a href="` + at + `/page?title=Bread">[[Bread]]</a>`,
			`?title=tag">#tag</a>`, `<a href="` + at + `/page?title=Bread#b-blk-child">a fine child</a> ((none))`,
		},
	} {
		status, body := v.get(path)
		for _, part := range parts {
			if status != 200 || !strings.Contains(body, part) {
				t.Errorf("%s: %d, and %q is not in %s", path, status, part, body)
			}
		}
	}
	for _, path := range []string{"/g/hosted/none", "/g/x/small", "/g/hosted/none/page?title=Bread"} {
		if status, body := v.get(path); status != 404 || !strings.Contains(body, "That did not work") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, body := v.get("/nothing"); status != 404 || !strings.Contains(body, `"success":false`) {
		t.Errorf("no page: %d %s", status, body)
	}
}

func TestPageOrder(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	v := enter(t, s)
	_, body := v.get("/g/hosted/small")
	if strings.Index(body, ">Water<") < strings.Index(body, ">Bread<") {
		t.Fatalf("Water stands first already: %s", body)
	}
	callerOf(t, s, small).do("data.block.create", `{"location": {"parent-uid": "page-wate"}, "block": {"string": "wet", "uid": "blk-wet-1"}}`)
	callerOf(t, s, small).do("data.block.update", `{"block": {"uid": "blk-wet-1", "string": "wetter"}}`)
	if _, body = v.get("/g/hosted/small"); strings.Index(body, ">Water<") > strings.Index(body, ">Bread<") {
		t.Errorf("after a write on it Water does not stand first: %s", body)
	}
}

func TestPageAnswersTokenRequests(t *testing.T) {
	s := start(t, Options{Policy: desk.Ask})
	client := clientOf(t, s)
	v := enter(t, s)
	watch := s.Desk().Watch(t.Context())
	<-watch
	used := ""
	for verdict, want := range map[string]struct {
		code  problem.Code
		level localapi.AccessLevel
	}{
		"full": {level: localapi.Full}, "read-append": {level: localapi.ReadAppend}, "read-only": {level: localapi.ReadOnly},
		"deny": {code: localapi.CodeUserRejected}, "never": {code: localapi.CodeGraphBlocked},
	} {
		type answer struct {
			grant localapi.TokenGrant
			err   error
		}
		answered := make(chan answer, 1)
		go func() {
			grant, err := client.RequestToken(t.Context(), localapi.TokenRequest{Graph: small, AccessLevel: localapi.Full, Description: "<me> & co"})
			answered <- answer{grant, err}
		}()
		pending := <-watch
		path := "/requests/" + pending[0].ID
		if _, body := v.get("/g/hosted/small"); !strings.Contains(body, "&lt;me&gt; &amp; co") || !strings.Contains(body, path) {
			t.Errorf("the dialog is not shown: %s", body)
		}
		form := v.form("/g/hosted/small", path)
		for name, wrong := range map[string]string{
			"no form": "", "another form": strings.Repeat("0", 64),
			"the form of another browser": enter(t, s).form("/", path), "the form of the request before": used,
		} {
			if status, body := v.post(path, "form", wrong, "verdict", verdict); status != 403 {
				t.Errorf("%s: %d %s", name, status, body)
			}
		}
		for _, origin := range []string{"", "null", fmt.Sprintf("http://127.0.0.1:%d", s.port), "http://" + s.page.Host() + "0"} {
			if status, body := v.postFrom(origin, path, "form", form, "verdict", verdict); status != 403 {
				t.Errorf("from the origin %q: %d %s", origin, status, body)
			}
		}
		if status, body := v.post(path, "form", form, "verdict", "everything"); status != 409 {
			t.Errorf("a verdict that is none: %d %s", status, body)
		}
		if status, to := v.post(path, "form", form, "verdict", verdict); status != 303 || to != "/" {
			t.Errorf("%s: %d %s", verdict, status, to)
		}
		<-watch
		if got := <-answered; problem.CodeOf(got.err) != want.code || got.grant.AccessLevel != want.level {
			t.Errorf("%s: %q, %v", verdict, got.grant.AccessLevel, got.err)
		}
		if status, body := v.post(path, "form", form, "verdict", verdict); status != 409 || !strings.Contains(body, "This request is over") {
			t.Errorf("a second answer: %d %s", status, body)
		}
		used = form
		if _, err := s.Desk().Unblock(small); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheFirstPageLoadsItselfUntilARequestIsOpen(t *testing.T) {
	s := start(t, Options{Policy: desk.Ask})
	v := enter(t, s)
	refreshes := func(path string) string {
		_, _, header := exchange(t, s, "GET", v.base+path, "", "Host", s.page.Host(), "Cookie", v.cookie)
		return header.Get("Refresh")
	}
	if first, other := refreshes("/"), refreshes("/g/hosted/small"); first != "2" || other != "" {
		t.Errorf("before: %q and %q", first, other)
	}
	watch := s.Desk().Watch(t.Context())
	<-watch
	client := clientOf(t, s)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := client.RequestToken(ctx, localapi.TokenRequest{Graph: small, AccessLevel: localapi.Full, Description: "an agent"})
		gone <- err
	}()
	<-watch
	if got := refreshes("/"); got != "" {
		t.Errorf("while a request is open: %q", got)
	}
	leave()
	<-gone
	<-watch
	if got := refreshes("/"); got != "2" {
		t.Errorf("after it: %q", got)
	}
}

// openBrowser skips the test where there is no browser.
func openBrowser(t *testing.T) (*chrome.Browser, context.Context) {
	t.Helper()
	path, err := chrome.Find()
	if err != nil {
		t.Skipf("%v; on Debian: apt-get install chromium", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	browser, err := chrome.Start(ctx, path)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := browser.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return browser, ctx
}

func TestPageInABrowser(t *testing.T) {
	browser, ctx := openBrowser(t)
	s := start(t, Options{Policy: desk.Ask})
	must := func(err error) {
		t.Helper()
		require.NoError(t, err)
	}
	must(browser.Open(ctx, s.PageURL()))
	must(browser.Await(ctx, `document.querySelector("h1")?.textContent === "Graphs"`))
	client := clientOf(t, s)
	granted := make(chan localapi.TokenGrant, 1)
	go func() {
		grant, err := client.RequestToken(ctx, localapi.TokenRequest{Graph: small, AccessLevel: localapi.Full, Description: "an agent"})
		if err != nil {
			t.Error(err)
		}
		granted <- grant
	}()
	must(browser.Await(ctx, `document.querySelector(".request")?.textContent.includes("an agent")`)) // it comes by itself
	must(browser.Run(ctx, `document.querySelector(".request button[value=read-append]").click()`, nil))
	if grant := <-granted; grant.AccessLevel != localapi.ReadAppend {
		t.Fatalf("granted %q", grant.AccessLevel)
	}
	must(browser.Await(ctx, `!document.querySelector(".request") && document.querySelector("h1")?.textContent === "Graphs"`))
	must(browser.Run(ctx, `document.querySelector("main li a").click()`, nil))
	must(browser.Await(ctx, `document.querySelector("h1")?.textContent === "small"`))
	must(browser.Run(ctx, `[...document.querySelectorAll("main li a")].find(a => a.textContent === "Bread").click()`, nil))
	must(browser.Await(ctx, `document.querySelector("#b-blk-child .text")?.textContent === "a fine child"`))
	must(browser.Await(ctx, `getComputedStyle(document.querySelector("body")).maxWidth !== "none"`))
	for _, width := range []int{1280, 400} {
		for _, dark := range []bool{false, true} {
			must(browser.Setup(ctx, width, 700, dark))
			picture, err := browser.Picture(ctx)
			must(err)
			img, err := png.Decode(bytes.NewReader(picture))
			must(err)
			if r, _, _, _ := img.At(width/2, 690).RGBA(); dark != (r < 0x4000) {
				t.Errorf("%d wide, dark %v: its ground is %x", width, dark, r>>8)
			}
			if err := browser.Await(ctx, `document.documentElement.scrollWidth <= innerWidth`); err != nil {
				t.Errorf("%d wide: %v", width, err)
			}
		}
	}
	var blocked bool
	must(browser.Run(ctx, `fetch("https://example.com/").then(() => false, () => true)`, &blocked))
	if !blocked {
		t.Error("the page may call on others")
	}
}
