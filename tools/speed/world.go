package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
)

const graphName = "speed"

// world is a sandbox in a process of its own, an echo of it, and two users: one whose Roam is
// the sandbox, and one whose Roam is the echo.
type world struct {
	sandbox  *exec.Cmd
	direct   string // where the sandbox is
	echo     *httptest.Server
	recorded *recorded
	token    localapi.Token

	homeOfSandbox, homeOfEcho string
}

func startWorld(ctx context.Context, program, folder string) (*world, error) {
	w := &world{homeOfSandbox: filepath.Join(folder, "sandbox"), homeOfEcho: filepath.Join(folder, "echo")}
	if err := errors.Join(os.Mkdir(w.homeOfSandbox, 0o700), os.Mkdir(w.homeOfEcho, 0o700)); err != nil {
		return nil, err
	}
	pages, err := json.Marshal(makePages())
	if err != nil {
		return nil, err
	}
	export := filepath.Join(folder, graphName+".json")
	if err := os.WriteFile(export, pages, 0o600); err != nil {
		return nil, err
	}
	w.sandbox = exec.CommandContext(ctx, program, "sandbox", "--home", w.homeOfSandbox, "--port", "0", "--approve", "allow", "--import", export, "--graph-name", graphName)
	w.sandbox.Env = append(os.Environ(), userEnv(w.homeOfSandbox)...)
	if err := w.sandbox.Start(); err != nil {
		return nil, err
	}
	port, err := waitForPort(ctx, w.homeOfSandbox)
	if err != nil {
		return nil, errors.Join(err, w.sandbox.Process.Kill())
	}
	w.direct = fmt.Sprintf("http://127.0.0.1:%d", port)
	w.recorded = &recorded{from: w.direct, replies: map[string]reply{}}
	w.echo = httptest.NewUnstartedServer(w.recorded)
	w.echo.Config.IdleTimeout = 5 * time.Second // as Roam has it
	w.echo.Start()
	if err := writePort(w.homeOfEcho, w.echo.URL); err != nil {
		return nil, err
	}
	return w, w.connect(ctx)
}

func (w *world) close() {
	w.echo.Close()
	_ = w.sandbox.Process.Signal(os.Interrupt)
	_ = w.sandbox.Wait()
}

// connect asks for a token, and writes the configurations of both users, ours and the
// official one.
func (w *world) connect(ctx context.Context) error {
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(w.homeOfSandbox, localapi.PortFileName), Strict: true}})
	defer client.CloseIdleConnections()
	graph := localapi.Graph{Name: graphName, Type: localapi.Hosted}
	grant, err := client.RequestToken(ctx, localapi.TokenRequest{Graph: graph, AccessLevel: localapi.Full, Description: "A measurement"})
	if err != nil {
		return err
	}
	w.token = grant.Token
	official, err := json.Marshal(map[string]any{"version": 1, "graphs": []any{map[string]any{
		"name": graphName, "type": graph.Type, "token": grant.Token.Reveal(), "nickname": graphName, "accessLevel": grant.AccessLevel,
	}}})
	if err != nil {
		return err
	}
	for _, home := range []string{w.homeOfSandbox, w.homeOfEcho} {
		entry := configstore.Entry{Name: graph.Name, Type: graph.Type, Token: grant.Token, Nickname: graphName, AccessLevel: grant.AccessLevel}
		if err := configstore.New(filepath.Join(home, ".roam-mcp.json")).Save(ctx, entry); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(home, ".roam-tools.json"), official, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// anotherUser returns the home of a user of the sandbox who has not written yet.
func (w *world) anotherUser(name string) (string, error) {
	home := w.homeOfSandbox + "-" + name
	if err := os.Mkdir(home, 0o700); err != nil {
		return "", err
	}
	for _, file := range []string{".roam-mcp.json", ".roam-tools.json"} {
		text, err := os.ReadFile(filepath.Join(w.homeOfSandbox, file))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(home, file), text, 0o600); err != nil {
			return "", err
		}
	}
	return home, writePort(home, w.direct)
}

func writePort(home, url string) error {
	return os.WriteFile(filepath.Join(home, localapi.PortFileName), []byte(`{"port":`+url[strings.LastIndexByte(url, ':')+1:]+`}`), 0o600)
}

// waitForPort waits until a sandbox has written its port.
func waitForPort(ctx context.Context, home string) (int, error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	for {
		var file struct{ Port int }
		text, err := os.ReadFile(filepath.Join(home, localapi.PortFileName))
		if err == nil && json.Unmarshal(text, &file) == nil && file.Port != 0 {
			return file.Port, nil
		}
		select {
		case <-ctx.Done():
			return 0, errors.New("the sandbox did not start")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// recorded answers a request as the sandbox has answered the same one before, and asks it
// for one that is new.
type recorded struct {
	from string

	mu      sync.Mutex
	replies map[string]reply
	last    []byte // the last body that was sent
}

type reply struct {
	status int
	body   []byte
}

func (e *recorded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // who has asked has gone
	}
	key := r.Method + r.URL.String() + string(body)
	e.mu.Lock()
	known, there := e.replies[key]
	e.last = body
	e.mu.Unlock()
	if !there {
		if known, err = forward(r, e.from, body); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		e.mu.Lock()
		e.replies[key] = known
		e.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(known.status)
	_, _ = w.Write(known.body)
}

// forward makes a request of another server.
func forward(r *http.Request, to string, body []byte) (reply, error) {
	request, err := http.NewRequestWithContext(r.Context(), r.Method, to+r.URL.String(), bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	request.Header = r.Header.Clone()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, text}, err
}
