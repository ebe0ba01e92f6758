//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"roam-mcp/localapi"
)

// standIn is a sandbox in a process of its own, at a person's home: to the setup
// program it is Roam.
type standIn struct {
	*testing.T
	home    string
	process *exec.Cmd
}

// startRoam starts one and waits until it answers.
func startRoam(t *testing.T, home string, args ...string) *standIn {
	t.Helper()
	command := roamMCP(t, home, append([]string{"sandbox", "--home", home}, args...)...)
	output, err := os.OpenFile(filepath.Join(home, "sandbox-output"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	command.Stdout, command.Stderr = output, output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
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
	if err := within(3*patience, try); err != nil {
		r.Fatalf("%s: %v", what, err)
	}
}

// within polls until there is no error, and returns the last one where the time
// is over.
func within(limit time.Duration, try func() error) error {
	for deadline := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		err := try()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not so after %v: %w", limit, err)
		}
	}
}

// pending reports whether Roam holds a request for the graph open, by asking
// another one, which Roam refuses at once then.
func (r *standIn) pending(graph string) error {
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(r.home, localapi.PortFileName), Strict: true}})
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := client.RequestToken(ctx, localapi.TokenRequest{
		Graph: localapi.Graph{Name: graph, Type: localapi.Hosted}, AccessLevel: localapi.ReadOnly, Description: "a second one",
	})
	var e *localapi.Error
	if errors.As(err, &e) && e.Code == localapi.CodeRequestInProgress {
		return nil
	}
	return fmt.Errorf("no request is open: %w", err)
}

func portOf(t *testing.T, home string) int {
	t.Helper()
	port, err := localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}.Read()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// holdPort takes a port that was left a moment ago, and hangs up on who calls.
func holdPort(t *testing.T, port int) {
	t.Helper()
	var listener net.Listener
	err := within(patience, func() (err error) {
		listener, err = net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
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
