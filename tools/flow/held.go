package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/tools/evaluation"
)

// framesHeld returns the frames of our own on the stack of the goroutine that asks
// Roam for what the call is about, while Roam holds that.
func (m measurement) framesHeld(ctx context.Context, f flow) (frames []string, err error) {
	w, err := m.world(ctx, f)
	if err != nil {
		return nil, err
	}
	defer func() {
		_, ended := w.Finish(context.WithoutCancel(ctx), "")
		err = errors.Join(err, ended)
	}()
	held, close, err := hold(w, f.holds)
	if err != nil {
		return nil, err
	}
	defer close()
	server := m.server(ctx, f, w, m.folder)
	var stacks bytes.Buffer
	server.Stderr = &stacks
	session, err := connect(ctx, server)
	if err != nil {
		return nil, err
	}
	called := make(chan error, 1)
	go func() { called <- f.call(ctx, session, f.args) }()
	select {
	case <-held:
	case err := <-called:
		return nil, fmt.Errorf("none of %v was asked for: %w", f.holds, errors.Join(err, session.Close()))
	case <-time.After(time.Minute):
		return nil, errors.Join(errors.New("the call hangs"), server.Process.Kill())
	}
	if err := server.Process.Signal(syscall.SIGQUIT); err != nil {
		return nil, err
	}
	<-called
	_ = session.Close() // the server has ended with its stacks
	return deepest(stacks.String()), nil
}

// hold puts itself in the place of a world's Roam, and holds the first request for one of
// some actions; held is closed then.
func hold(w *evaluation.World, actions []string) (held chan struct{}, end func(), err error) {
	path := filepath.Join(w.Home, localapi.PortFileName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	port, err := localapi.ParsePort(text)
	if err != nil {
		return nil, nil, err
	}
	target := &url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = target.Host }}
	held, released := make(chan struct{}), make(chan struct{})
	var once sync.Once
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body := new(bytes.Buffer)
		_, _ = body.ReadFrom(r.Body)
		r.Body = http.NoBody
		var sent struct{ Action string }
		if json.Unmarshal(body.Bytes(), &sent) == nil && slices.Contains(actions, sent.Action) {
			once.Do(func() { close(held) })
			<-released
			return
		}
		again := r.Clone(r.Context())
		again.Body = readCloser{body}
		forward.ServeHTTP(rw, again)
	}))
	_, own, _ := strings.Cut(strings.TrimPrefix(front.URL, "http://"), ":")
	text = bytes.Replace(text, fmt.Appendf(nil, "%d", port), []byte(own), 1)
	end = func() { close(released); front.Close() }
	if err := os.WriteFile(path, text, 0o600); err != nil {
		end()
		return nil, nil, err
	}
	return held, end, nil
}

type readCloser struct{ *bytes.Buffer }

func (readCloser) Close() error { return nil }

// deepest returns the frames of our own on a stack of a goroutine that is in localapi, of
// several the one with the most.
func deepest(stacks string) (most []string) {
	for _, stack := range strings.Split(stacks, "\n\n") {
		if !strings.Contains(stack, "\nroam-mcp/internal/localapi.") {
			continue
		}
		var own []string
		for line := range strings.Lines(stack) {
			if strings.HasPrefix(line, "roam-mcp/") {
				own = append(own, line[:strings.LastIndex(line, "(")])
			}
		}
		if len(own) > len(most) {
			most = own
		}
	}
	return most
}
