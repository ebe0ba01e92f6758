package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"roam-mcp/atomicfile"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// homeHeader is on every reply: by it a sandbox knows another one, and its own
// home. It holds homeID.
const homeHeader = "Roam-Sandbox"

// probeLimit is how long something that listens may take to say who it is.
const probeLimit = 10 * time.Second

// homeID tells homes apart without telling where they are.
func homeID(home string) string {
	if absolute, err := filepath.Abs(home); err == nil {
		home = absolute
	}
	if resolved, err := filepath.EvalSymlinks(home); err == nil {
		home = resolved
	}
	sum := sha256.Sum256([]byte(home))
	return hex.EncodeToString(sum[:8])
}

func portFilePath(home string) string { return filepath.Join(home, localapi.PortFileName) }

func writePortFile(home string, port int) error {
	if err := atomicfile.Write(portFilePath(home), fmt.Appendf(nil, "{\"port\": %d}\n", port)); err != nil {
		return homeUnusable(home, err)
	}
	return nil
}

// Running finds the sandbox of a home folder, where one answers.
func Running(ctx context.Context, home string) (port int, ok bool) {
	port, err := localapi.PortFile{Path: portFilePath(home), Strict: true}.Read()
	if err != nil {
		return 0, false
	}
	if id, _ := sandboxOn(ctx, port); id != homeID(home) {
		return 0, false
	}
	return port, true
}

// sandboxOn gives the homeID of the sandbox on a port; empty where none answers.
// It asks by a route that no switch makes slow, and that Roam does not have.
// The error is that of a connection which could not be made or used.
func sandboxOn(ctx context.Context, port int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	transport := &http.Transport{DisableKeepAlives: true} // no proxy either
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/sandbox/switches", port), nil)
	if err != nil {
		return "", err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return response.Header.Get(homeHeader), nil
}

// checkPortFile sees to it that the port file of a running Roam is never
// overwritten. One that leads nowhere, to a sandbox of another home, or to
// something that is clearly not Roam is left over from somebody who is gone.
func checkPortFile(ctx context.Context, home string) error {
	file := localapi.PortFile{Path: portFilePath(home), Strict: true}
	port, err := file.Read()
	if err != nil {
		return nil
	}
	id, err := sandboxOn(ctx, port)
	if id == homeID(home) {
		return roamRuns("A sandbox of this home runs already, on port %d.", port, "Use that one, or stop it first.")
	}
	if id != "" {
		return nil
	}
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		return checkStranger(ctx, file, port)
	}
	return ctx.Err()
}

func checkStranger(ctx context.Context, file localapi.PortFile, port int) error {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	client := localapi.New(localapi.Options{PortFile: file, DialTimeout: probeLimit})
	defer client.CloseIdleConnections()
	_, err := client.OpenGraphs(ctx)
	if e, ok := problem.AsCall(err); ok && (e.Code == localapi.CodeNotRoam || e.Code == localapi.CodeConnectionFailed && !e.Sent()) {
		return nil
	}
	return roamRuns("The port file of this home belongs to a Roam that runs, on port %d.", port,
		"Give the sandbox a home of its own, or quit Roam Desktop first.")
}

func roamRuns(format string, port int, advice string) *Error {
	return &Error{Code: CodeRoamRuns, Message: fmt.Sprintf(format, port), Advice: advice}
}
