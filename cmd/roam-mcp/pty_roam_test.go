//go:build unix

package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/cookiebrowser"
	"roam-mcp/internal/testutil/require"
)

// standIn is a sandbox in a process of its own, at a person's home: to the setup
// program it is Roam.
type standIn struct {
	*testing.T
	home    string
	process *exec.Cmd
}

// sandboxOutput is the file in its home with all that it prints.
const sandboxOutput = "sandbox-output"

// startRoam starts one and waits until it answers.
func startRoam(t *testing.T, home string, args ...string) *standIn {
	t.Helper()
	command := roamMCP(t, home, append([]string{"sandbox", "--home", home}, args...)...)
	output, err := os.OpenFile(filepath.Join(home, sandboxOutput), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer output.Close()
	command.Stdout, command.Stderr = output, output
	require.NoError(t, command.Start())
	r := &standIn{T: t, home: home, process: command}
	t.Cleanup(r.dies)
	r.until("Roam answers", func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
		defer client.CloseIdleConnections()
		_, err := client.OpenGraphs(ctx)
		return err
	})
	return r
}

// dies is kill -9.
func (r *standIn) dies() {
	_ = r.process.Process.Kill() // it may be dead already
	_ = r.process.Wait()
}

// switches sets the sandbox's switches while it runs.
func (r *standIn) switches(settings ...string) {
	r.Helper()
	r.command(append([]string{"sandbox", "switch", "--home", r.home}, settings...)...)
}

// command runs another roam-mcp at the same home.
func (r *standIn) command(args ...string) {
	r.Helper()
	if out, err := roamMCP(r.T, r.home, args...).CombinedOutput(); err != nil {
		r.Fatalf("roam-mcp %v: %v\n%s", args, err, out)
	}
}

// until polls until the reason is gone.
func (r *standIn) until(what string, try func() error) {
	r.Helper()
	if err := await.NoError(patience, try); err != nil {
		r.Fatalf("%s: %v", what, err)
	}
}

// pending reports whether Roam holds a request for the graph open, as the sandbox's
// page shows it: to ask Roam itself would be a request of its own, which may come
// before the one that is looked for and keep that out.
func (r *standIn) pending(graph string) error {
	r.Helper()
	output, err := os.ReadFile(filepath.Join(r.home, sandboxOutput))
	require.NoError(r, err)
	addresses := regexp.MustCompile(`http://\S+/\?key=\S+`).FindAllString(string(output), -1)
	if len(addresses) == 0 {
		return errors.New("the sandbox has not said where its page is")
	}
	browser, err := cookiebrowser.New()
	require.NoError(r, err)
	page, _, err := browser.Visit(r.Context(), addresses[len(addresses)-1]) // of the sandbox that was started last
	if err != nil {
		return err
	}
	if !strings.Contains(page, "A token for <b>"+graph+"</b>") {
		return errNotOpen
	}
	return nil
}

var errNotOpen = errors.New("no request is open")

func portOf(t *testing.T, home string) int {
	t.Helper()
	port, err := localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}.Read()
	require.NoError(t, err)
	return port
}

// holdPort takes a port that was left a moment ago, and hangs up on who calls.
func holdPort(t *testing.T, port int) {
	t.Helper()
	var listener net.Listener
	err := await.NoError(patience, func() (err error) {
		listener, err = net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		return err
	})
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			caller, err := listener.Accept()
			if err != nil {
				return
			}
			caller.Close()
		}
	}()
}
