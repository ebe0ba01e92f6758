package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// roam is the embedded Roam with the notes, in a process of its own, and what counts the
// calls to it.
type roam struct {
	program string // roam-mcp
	home    string // of the servers
	process *exec.Cmd
	counted atomic.Int64
	proxy   *http.Server
}

// graphName is the name of the graph with the notes.
const graphName = "peers"

// startRoam imports the vault and connects the graph.
func startRoam(ctx context.Context, program, vault, folder string) (*roam, error) {
	r := &roam{program: program, home: filepath.Join(folder, "home")}
	own := filepath.Join(folder, "sandbox")
	if err := errors.Join(os.MkdirAll(r.home, 0o700), os.MkdirAll(own, 0o700)); err != nil {
		return nil, err
	}
	r.process = exec.Command(program, "sandbox", "--home", own, "--port", "0", "--approve", "allow", "--import", vault, "--graph-name", graphName)
	out, err := r.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.process.Stderr = os.Stderr
	if err := r.process.Start(); err != nil {
		return nil, err
	}
	port, err := waitForPort(ctx, own)
	if err != nil {
		return nil, errors.Join(err, r.process.Process.Kill())
	}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); { // it goes on once somebody reads what it says
		}
	}()
	if err := r.count(port); err != nil {
		return nil, err
	}
	connect := exec.CommandContext(ctx, program, "connect", graphName, "--nickname", graphName, "--access", "full")
	connect.Env = append(os.Environ(), r.env()...)
	if told, err := connect.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("connect: %w: %s", err, told)
	}
	return r, r.edit(ctx)
}

// edit makes an edit that is later than the import, as there is one in every graph that
// somebody uses: else all of it would count as edited last.
func (r *roam) edit(ctx context.Context) error {
	time.Sleep(10 * time.Second)
	s := r.serving("notes", nil)
	defer s.close()
	if err := s.start(ctx); err != nil {
		return err
	}
	_, err := s.call(ctx, "create_note", map[string]any{"content": "Imported."})
	return err
}

// waitForPort waits until the sandbox has written its port, and returns it as it is in the
// file.
func waitForPort(ctx context.Context, home string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	for {
		text, err := os.ReadFile(filepath.Join(home, ".roam-local-api.json"))
		if err == nil {
			if _, rest, found := strings.Cut(string(text), `"port":`); found {
				return strings.Trim(rest, " }\n"), nil
			}
		}
		select {
		case <-ctx.Done():
			return "", errors.New("the sandbox did not start")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// count puts a proxy in front of the sandbox that counts calls.
func (r *roam) count(port string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	pass := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "127.0.0.1:" + port})
	r.proxy = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.counted.Add(1)
		request.Host = "127.0.0.1:" + port
		pass.ServeHTTP(w, request)
	})}
	go func() { _ = r.proxy.Serve(listener) }() // until it is closed
	own := listener.Addr().(*net.TCPAddr).Port
	return os.WriteFile(filepath.Join(r.home, ".roam-local-api.json"), fmt.Appendf(nil, `{"port":%d}`, own), 0o600)
}

func (r *roam) env() []string {
	return []string{"HOME=" + r.home, "XDG_STATE_HOME=" + filepath.Join(r.home, "state"), "XDG_CONFIG_HOME=" + filepath.Join(r.home, "config"), "ROAM_MCP_CONFIG="}
}

func (r *roam) close() {
	_ = r.proxy.Close()
	_ = r.process.Process.Kill()
	_ = r.process.Wait()
}

// serving returns a server of a profile.
func (r *roam) serving(profile string, tools map[kind]tool) *server {
	return &server{
		command: []string{r.program, "serve", "--profile", profile, "--graph", graphName, "--max-reply", "100000"}, env: r.env(),
		asked: func() int { return int(r.counted.Load()) }, tools: tools,
	}
}
