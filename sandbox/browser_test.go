package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/chrome"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/switches"
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
	callerOf(t, s, small).do("data.page.fromMarkdown", `{"page": {"title": "November 20th, 2026"}, "markdown-string": "- {{[[TODO]]}} <b>bake</b> [[Bread]]\n- #tag"}`)
	v := enter(t, s)
	for path, parts := range map[string][]string{
		"/":                                 {"small</b>", "hosted, open", "data.page.fromMarkdown"},
		"/g/hosted/small":                   {"All pages", ">Bread</a>", "uid/page-brea"},
		"/g/hosted/small?from=99":           {"All pages"},
		"/g/hosted/small?q=fine":            {"1 hit", "a fine child"},
		"/g/hosted/small?q=no+such+words":   {"Nothing has these words"},
		"/g/hosted/small/uid/page-brea":     {`class="line h2"`, `>Water</a>`, "a fine child", "hidden from agents", `class="block-ref"`},
		"/g/hosted/small/uid/blk-child":     {`<p class="path">`, ">Bread</a>", "a fine child"},
		"/g/hosted/small/page?title=Water":  {"1 linked reference", "Flour and"},
		"/g/hosted/small/page?title=<i>New": {"Nothing is written here yet", "&lt;i&gt;New"},
		"/g/hosted/small/days":              {"November 21st, 2026", "Nothing is written here yet", "November 20th, 2026", `class="box"`, "&lt;b&gt;bake&lt;/b&gt;", "by " + "Sandbox user (AI)"},
		"/calls":                            {"data.page.fromMarkdown", "200"},
		"/switches":                         {"latency", "DURATION", "Turn on"},
	} {
		status, body := v.get(path)
		for _, part := range parts {
			if status != 200 || !strings.Contains(body, part) {
				t.Errorf("%s: %d, and %q is not in %s", path, status, part, body)
			}
		}
	}
	for _, path := range []string{"/g/hosted/none", "/g/x/small", "/g/hosted/small/uid/none"} {
		if status, body := v.get(path); status != 404 || !strings.Contains(body, "That did not work") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, body, _ := exchange(t, s, "GET", "/nothing", ""); status != 404 || !strings.Contains(body, `"success":false`) {
		t.Errorf("no page: %d %s", status, body)
	}
}

func TestPageOrder(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	v := enter(t, s)
	_, body := v.get("/g/hosted/small")
	if strings.Index(body, "uid/page-wate") < strings.Index(body, "uid/page-brea") {
		t.Fatalf("Water stands first already: %s", body)
	}
	callerOf(t, s, small).do("data.block.create", `{"location": {"parent-uid": "page-wate"}, "block": {"string": "wet", "uid": "blk-wet-1"}}`)
	callerOf(t, s, small).do("data.block.update", `{"block": {"uid": "blk-wet-1", "string": "wetter"}}`)
	if _, body = v.get("/g/hosted/small"); strings.Index(body, "uid/page-wate") > strings.Index(body, "uid/page-brea") {
		t.Errorf("after a write on it Water does not stand first: %s", body)
	}
}

func TestPageOfFutureDays(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	for day := range 9 {
		c.do("data.page.create", fmt.Sprintf(`{"page": {"title": "December %dth, 2026"}}`, 4+day))
	}
	v := enter(t, s)
	for _, step := range []struct{ made, first string }{
		{"November 20th, 2026", `<h1>November 21st, 2026</h1>`}, // today's is not there yet
		{"November 21st, 2026", `<h1><a class="own" href="` + v.base + `/g/hosted/small/uid/11-21-2026">`},
	} {
		c.do("data.page.create", fmt.Sprintf(`{"page": {"title": %q}}`, step.made))
		_, body := v.get("/g/hosted/small/days")
		today, yesterday := strings.Index(body, step.first), strings.Index(body, "/uid/11-20-2026")
		if today < 0 || yesterday < today || strings.Contains(body, "December") {
			t.Errorf("with the note of %s: today's is at %d, yesterday's at %d of %s", step.made, today, yesterday, body)
		}
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
		if _, body := v.get("/g/hosted/small/days"); !strings.Contains(body, "&lt;me&gt; &amp; co") || !strings.Contains(body, path) {
			t.Errorf("the dialog is not shown: %s", body)
		}
		form := v.form("/g/hosted/small/days", path)
		for name, wrong := range map[string]string{
			"no form": "", "another form": strings.Repeat("0", 64), "the form of another page": v.form("/switches", "/switches"),
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
		if status, to := v.post(path, "form", form, "verdict", verdict, "from", v.base+"/g/hosted/small/days?x=1"); status != 303 || to != "/g/hosted/small/days?x=1" {
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
		if verdict == "never" {
			if _, body := v.get("/"); !strings.Contains(body, "Ask again from now on") {
				t.Errorf("blocked, and no way back: %s", body)
			}
		}
		if _, err := s.Desk().Unblock(small); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPageForms(t *testing.T) {
	s := start(t, Options{Policy: desk.Never})
	v := enter(t, s)
	form := v.form("/switches", "/switches")
	if status, _ := v.post("/switches", "form", form, "name", "latency", "value", "1ms", "from", v.base+"/switches"); status != 303 || s.Switches().Value(switches.Latency) != "1ms" {
		t.Errorf("%d, %v", status, s.Switches().List())
	}
	if _, body := v.get("/"); !strings.Contains(body, "<code>latency=1ms</code>") {
		t.Errorf("nobody is told that a switch is on: %s", body)
	}
	if status, body := v.post("/switches", "form", form, "name", "latency", "value", "soon"); status != 409 || !strings.Contains(body, "latency=DURATION") {
		t.Errorf("%d %s", status, body)
	}
	if v.post("/switches", "form", form, "clear", "yes"); len(s.Switches().List()) != 0 {
		t.Errorf("%v", s.Switches().List())
	}
	for _, from := range []string{"http://evil.example/", "//evil.example/", "///evil.example", "/%2Fevil.example", "javascript:alert(1)", "x", "", "/switches", v.base + "x/"} {
		if _, to := v.post("/switches", "form", form, "clear", "yes", "from", from); to != "/" {
			t.Errorf("from %q it leads to %q", from, to)
		}
	}
}

func TestPageEvents(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	v := enter(t, s)
	request, err := http.NewRequestWithContext(t.Context(), "GET", fmt.Sprintf("http://127.0.0.1:%d%s/page/events", s.port, v.base), nil)
	require.NoError(t, err)
	request.Host = s.page.Host()
	request.Header.Set("Cookie", v.cookie)
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	require.NoError(t, err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return "the end"
	}
	told := []string{next(), next()} // what is known at the start
	slices.Sort(told)
	if got := strings.Join(told, " "); got != "calls requests" {
		t.Errorf("%s", got)
	}
	turn(t, s, "latency=1ms")
	if got := next(); got != "switches" {
		t.Errorf("%s", got)
	}
	exchange(t, s, "GET", "/api/graphs/open", "")
	if got := next(); got != "calls" {
		t.Errorf("%s", got)
	}
	stop(t, s)
	for next() != "the end" {
		// The desk's last word may come first.
	}
	if err := lines.Err(); err != nil { // a stream that did not end by itself is cut
		t.Errorf("it ended with %v", err)
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
	t.Run("a request is approved and a block that an agent writes appears", func(t *testing.T) {
		approveAndFollow(t, ctx, browser)
	})
	t.Run("the page is shown light and dark, wide and narrow, and without script", func(t *testing.T) {
		showWithoutScript(t, ctx, browser)
	})
}

// goTo opens a page of the session that the browser was given.
func goTo(ctx context.Context, browser *chrome.Browser, path string) error {
	var base string
	return errors.Join(
		browser.Await(ctx, `document.querySelector("h1")?.textContent === "Graphs"`),
		browser.Run(ctx, `document.body.dataset.base`, &base),
		browser.Run(ctx, fmt.Sprintf(`location.pathname = %q`, base+path), nil))
}

func showWithoutScript(t *testing.T, ctx context.Context, browser *chrome.Browser) {
	s := start(t, Options{Policy: desk.Allow})
	for _, err := range []error{
		browser.WithoutScript(ctx, true), browser.Open(ctx, s.PageURL()), goTo(ctx, browser, "/g/hosted/small/uid/page-brea"),
		browser.Await(ctx, `document.querySelector("#b-blk-child .text").textContent === "a fine child"`),
		browser.Await(ctx, `getComputedStyle(document.querySelector("main")).paddingLeft !== "0px"`),
	} {
		require.NoError(t, err)
	}
	for _, width := range []int{1280, 400} {
		for _, dark := range []bool{false, true} {
			require.NoError(t, browser.Setup(ctx, width, 700, dark))
			picture, err := browser.Picture(ctx)
			require.NoError(t, err)
			img, err := png.Decode(bytes.NewReader(picture))
			require.NoError(t, err)
			if r, _, _, _ := img.At(width/2, 690).RGBA(); dark != (r < 0x4000) {
				t.Errorf("%d wide, dark %v: its ground is %x", width, dark, r>>8)
			}
			if err := browser.Await(ctx, `document.documentElement.scrollWidth <= innerWidth`); err != nil {
				t.Errorf("%d wide: %v", width, err)
			}
		}
	}
}

func approveAndFollow(t *testing.T, ctx context.Context, browser *chrome.Browser) {
	s := start(t, Options{Policy: desk.Ask})
	must := func(err error) {
		t.Helper()
		require.NoError(t, err)
	}
	must(browser.Open(ctx, s.PageURL()))
	must(goTo(ctx, browser, "/g/hosted/small/uid/page-brea"))
	must(browser.Await(ctx, `document.querySelector("#b-blk-flour .text").textContent === "Flour and Water"`))
	must(browser.Run(ctx, `window.sameLoad = true`, nil))

	client := clientOf(t, s)
	granted := make(chan localapi.TokenGrant, 1)
	go func() {
		grant, err := client.RequestToken(ctx, localapi.TokenRequest{Graph: small, AccessLevel: localapi.Full, Description: "an agent"})
		if err != nil {
			t.Error(err)
		}
		granted <- grant
	}()
	must(browser.Await(ctx, `document.querySelector(".request")?.textContent.includes("an agent")`))
	must(browser.Await(ctx, `window.sameLoad`))
	must(browser.Run(ctx, `document.querySelector(".request button[value=read-append]").click()`, nil))
	grant := <-granted
	if grant.AccessLevel != localapi.ReadAppend {
		t.Fatalf("granted %q", grant.AccessLevel)
	}
	must(browser.Await(ctx, `!document.querySelector(".request") && document.querySelector("#b-blk-flour")`))

	must(browser.Run(ctx, `window.sameLoad = true`, nil))
	agent := &caller{t, client, small, grant.Token}
	agent.do("data.block.create", `{"location": {"parent-uid": "page-brea", "order": "last"}, "block": {"uid": "by-agent1", "string": "written by [[an agent]]"}}`)
	must(browser.Await(ctx, `window.sameLoad && document.querySelector("#b-by-agent1 .text")?.textContent === "written by an agent"`))
	must(browser.Await(ctx, `document.querySelector("#b-by-agent1").classList.contains("fresh") && !document.querySelector("#b-blk-flour").classList.contains("fresh")`))
	must(browser.Await(ctx, `document.querySelector(".calls .wrote .what").textContent === "data.block.create"`))

	var blocked bool
	must(browser.Run(ctx, `fetch("https://example.com/").then(() => false, () => true)`, &blocked))
	if !blocked {
		t.Error("the page may call on others")
	}
}
