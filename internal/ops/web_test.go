package ops

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/problem"
)

// anywhere lets tests reach their own servers.
func anywhere(netip.Addr) bool { return true }

func wantCode(t *testing.T, err error, code problem.Code) *problem.Error {
	t.Helper()
	told, ok := problem.As(err)
	if !ok || told.Code != code {
		t.Fatalf("want %s, got %v", code, err)
	}
	return told
}

// site answers by path.
func site(t *testing.T, pages map[string]http.HandlerFunc) *httptest.Server {
	mux := http.NewServeMux()
	for path, page := range pages {
		mux.HandleFunc(path, page)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestAFileIsFetchedWithNameAndMediaType(t *testing.T) {
	page := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			if kind != "" {
				w.Header().Set("Content-Type", kind)
			}
			_, _ = w.Write([]byte(body))
		}
	}
	server := site(t, map[string]http.HandlerFunc{
		"/told.bin": page("text/csv; charset=utf-8", "a,b"), "/plain.md": page("", "# x"), "/open.pdf": page("application/octet-stream", "x"),
		"/magic": page("", "GIF89a"), "/nothing": page("", "\x00\x01\xff"), "/a%0Ab%2Fc.txt": page("", "x"), "/": page("text/html", "<p>"),
		"/moved": http.RedirectHandler("/plain.md", http.StatusFound).ServeHTTP,
	})
	for path, tc := range map[string]struct {
		given      Given
		kind, name string
	}{
		"/told.bin":       {Given{}, "text/csv", "told.bin"},
		"/plain.md":       {Given{}, "text/markdown", "plain.md"},
		"/open.pdf":       {Given{}, "application/pdf", "open.pdf"},
		"/magic":          {Given{}, "image/gif", "magic"},
		"/nothing":        {Given{}, "application/octet-stream", "nothing"},
		"/":               {Given{}, "text/html", ""},
		"/moved":          {Given{}, "text/plain", "moved"},
		"/told.bin?x=1#y": {Given{MediaType: "audio/MPEG; x=y", Name: "../song.mp3"}, "audio/mpeg", "..song.mp3"},
		"/a%0Ab%2Fc.txt":  {Given{}, "text/plain", "c.txt"},
	} {
		file, err := NewWeb(anywhere).Fetch(t.Context(), server.URL+path, tc.given)
		if err != nil || file.MediaType != tc.kind || file.Name != tc.name {
			t.Errorf("%s: %s %q, %v", path, file.MediaType, file.Name, err)
		}
	}
}

func TestWhatIsNotPublicIsRefusedBeforeAByteIsSent(t *testing.T) {
	reached := 0
	inside := site(t, map[string]http.HandlerFunc{"/": func(http.ResponseWriter, *http.Request) { reached++ }})
	port := inside.URL[strings.LastIndexByte(inside.URL, ':'):]
	web := NewWeb(Public)
	for _, address := range []string{
		inside.URL, "http://localhost" + port, "http://[::1]" + port, "http://[::ffff:127.0.0.1]" + port, "http://127.1" + port, "http://0.0.0.0" + port,
		"http://169.254.169.254/latest/meta-data/", "https://10.0.0.1/", "http://[64:ff9b::7f00:1]" + port, "http://[fd00::1]/",
	} {
		_, err := web.Fetch(t.Context(), address, Given{})
		if told, ok := problem.As(err); !ok || told.Code != CodeNotAllowed && address != "http://127.1"+port {
			t.Errorf("%s: %v", address, err)
		}
	}
	if reached > 0 {
		t.Errorf("%d requests got through", reached)
	}
}

// The outer server stands for one on the internet: a redirect, and a name that
// leads inside, must not get past it.
func TestARedirectOrARebindingNameLeadsNowhereInside(t *testing.T) {
	reached := 0
	inside := site(t, map[string]http.HandlerFunc{"/": func(http.ResponseWriter, *http.Request) { reached++ }})
	outside := site(t, map[string]http.HandlerFunc{
		"/redirect": http.RedirectHandler(inside.URL, http.StatusFound).ServeHTTP,
		"/twice":    http.RedirectHandler("/redirect", http.StatusTemporaryRedirect).ServeHTTP,
		"/file":     http.RedirectHandler("file:///etc/passwd", http.StatusFound).ServeHTTP,
		"/login":    http.RedirectHandler("https://user:secret@example.com/", http.StatusFound).ServeHTTP,
		"/round":    http.RedirectHandler("/round", http.StatusFound).ServeHTTP,
	})
	// Only the first connection counts as one to the internet, as with a name
	// that resolves to another address the second time.
	for path, code := range map[string]problem.Code{
		"/redirect": CodeNotAllowed, "/file": CodeNotAllowed, "/login": CodeNotAllowed,
	} {
		connections := 0
		web := NewWeb(func(netip.Addr) bool { connections++; return connections == 1 })
		_, err := web.Fetch(t.Context(), outside.URL+path, Given{})
		wantCode(t, err, code)
	}
	connections := 0
	_, err := NewWeb(func(netip.Addr) bool { connections++; return connections < 3 }).Fetch(t.Context(), outside.URL+"/twice", Given{})
	wantCode(t, err, CodeNotAllowed)
	if reached > 0 {
		t.Errorf("%d requests got through", reached)
	}
	_, err = NewWeb(anywhere).Fetch(t.Context(), outside.URL+"/round", Given{})
	if told := wantCode(t, err, CodeUnavailable); !strings.Contains(told.Message, "redirects more than 5") {
		t.Error(told)
	}
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	reached := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(proxy.Close)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	if _, err := NewWeb(Public).Fetch(t.Context(), "http://203.0.113.7/x", Given{}); err == nil || reached {
		t.Errorf("reached the proxy: %v, %v", reached, err)
	}
	if transport := NewWeb(Public).client.Transport.(*http.Transport); transport.Proxy != nil {
		t.Error("the transport asks for a proxy")
	}
}

func TestSizeAndTimeOfAFetchAreBounded(t *testing.T) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(make([]byte, 5000))
	_ = zip.Close()
	server := site(t, map[string]http.HandlerFunc{
		"/fits": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1000)) },
		"/told": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1001)) },
		"/untold": func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				_, _ = w.Write(make([]byte, 500))
				w.(http.Flusher).Flush()
			}
		},
		"/bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		},
		"/hangs": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"/gone":  http.NotFound,
		"/cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "500")
			_, _ = w.Write([]byte("x"))
			panic(http.ErrAbortHandler)
		},
	})
	web := NewWeb(anywhere)
	web.max = 1000
	if file, err := web.Fetch(t.Context(), server.URL+"/fits", Given{}); err != nil || len(file.Content) != 1000 {
		t.Errorf("%d bytes, %v", len(file.Content), err)
	}
	for path, code := range map[string]problem.Code{
		"/told": CodeTooLarge, "/untold": CodeTooLarge, "/bomb": CodeTooLarge, "/gone": CodeUnavailable, "/cut": CodeUnavailable,
	} {
		_, err := web.Fetch(t.Context(), server.URL+path, Given{})
		wantCode(t, err, code)
	}
	web.timeout = 50 * time.Millisecond
	_, err := web.Fetch(t.Context(), server.URL+"/hangs", Given{})
	if told := wantCode(t, err, CodeUnavailable); !strings.Contains(told.Message, "took longer than 50ms") {
		t.Error(told)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewWeb(anywhere).Fetch(ctx, server.URL+"/hangs", Given{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled fetch: %v", err)
	}
}

func TestWhatIsNoWebAddressIsRefused(t *testing.T) {
	for _, address := range []string{
		"", "example.com", "//example.com/x", "file:///etc/passwd", "ftp://example.com", "javascript:alert(1)", "data:text/plain,x", "http://", "http:///x",
		"https://user:pass@example.com/", "https://user@example.com/", "http://exa mple.com/", "http://[::1", "https://example.com/" + strings.Repeat("x", maxAddress),
	} {
		_, err := NewWeb(anywhere).Fetch(t.Context(), address, Given{})
		wantCode(t, err, CodeInvalid)
	}
	_, err := NewWeb(anywhere).Fetch(t.Context(), "https://example.com/", Given{MediaType: "png"})
	wantCode(t, err, CodeInvalid)
}

func TestAFailedFetchDoesNotTellWhatANameResolvedTo(t *testing.T) {
	const nobody = "http://localhost:1/" // a port that nothing ever takes
	_, err := NewWeb(anywhere).Fetch(t.Context(), nobody, Given{})
	told := wantCode(t, err, CodeUnavailable)
	if strings.Contains(told.Message, "127.0.0.1") || strings.Contains(told.Message, "::1") {
		t.Error(told.Message)
	}
	_, err = NewWeb(Public).Fetch(t.Context(), nobody, Given{})
	if told = wantCode(t, err, CodeNotAllowed); strings.Contains(told.Message+problem.World{}.Say(told.Hint), "127.0.0.1") {
		t.Error(told.Message)
	}
}
