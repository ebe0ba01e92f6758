package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"roam-mcp/sandbox"
	"roam-mcp/sandbox/desk"
)

func sandboxWorld(t *testing.T) world {
	t.Helper()
	home := t.TempDir()
	return world{home: home, config: filepath.Join(home, configName), sandbox: true}
}

func TestThoseWhoNeedTheSandboxAtTheSameTimeShareOne(t *testing.T) {
	w := sandboxWorld(t)
	const users = 4
	type hosted struct {
		server *sandbox.Server
		err    error
	}
	all := make(chan hosted, users)
	for range users {
		go func() {
			server, err := w.hostSandbox(t.Context(), desk.Ask, slog.New(slog.DiscardHandler))
			all <- hosted{server, err}
		}()
	}
	servers := 0
	for range users {
		one := <-all
		if one.err != nil {
			t.Errorf("one is left without: %v", one.err)
		}
		if one.server != nil {
			servers++
			defer one.server.Close(context.Background())
		}
	}
	if servers != 1 {
		t.Errorf("%d sandboxes were started", servers)
	}
	if _, err := w.client().OpenGraphs(t.Context()); err != nil {
		t.Error(err)
	}
}
