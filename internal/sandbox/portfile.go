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

	"roam-mcp/internal/files"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// homeHeader is a header of every reply, by which a sandbox is recognized. Its value is
// homeID.
const homeHeader = "Roam-Sandbox"

// probeLimit is how long whatever listens on a port may take to identify itself.
const probeLimit = 10 * time.Second

// homeID identifies a home folder without revealing its path.
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
	if err := files.ReplaceAtomically(portFilePath(home), fmt.Appendf(nil, "{\"port\": %d}\n", port)); err != nil {
		return homeUnusable(home, err)
	}
	return nil
}

// Running returns the port of the sandbox that runs for a home folder, if one does.
func Running(ctx context.Context, home string) (port int, ok bool) {
	port, err := localapi.PortFile{Path: portFilePath(home), Strict: true}.Read()
	if err != nil {
		return 0, false
	}
	if id, _ := sandboxOn(ctx, home, port); id != homeID(home) {
		return 0, false
	}
	return port, true
}

// sandboxOn returns the homeID of the sandbox on the port that a home's port file
// names; empty if something else answers. It uses a route that no switch makes slow and that Roam does not have.
// An error means that the connection failed.
func sandboxOn(ctx context.Context, home string, port int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/sandbox/switches", port), nil)
	if err != nil {
		return "", err
	}
	transport := &http.Transport{DialContext: dialerOf(home), DisableKeepAlives: true} // no proxy either
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return response.Header.Get(homeHeader), nil
}

// checkPortFile returns an error if the home's port file belongs to a running Roam or
// sandbox, and so must not be overwritten. A file is stale if nothing listens on its
// port, or a sandbox of another home, or something that is certainly not Roam.
func checkPortFile(ctx context.Context, home string) error {
	file := localapi.PortFile{Path: portFilePath(home), Strict: true}
	port, err := file.Read()
	if err != nil {
		return nil
	}
	id, err := sandboxOn(ctx, home, port)
	if id == homeID(home) {
		return roamRuns("A sandbox of this home runs already, on port %d.", port, problem.Say("Use that one, or stop it first."))
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
	if e, ok := problem.AsCall(err); ok && (e.Code == localapi.CodeNotRoam || e.Code == localapi.CodeOtherUser || e.Code == localapi.CodeConnectionFailed && !e.Sent()) {
		return nil
	}
	return roamRuns("The port file of this home belongs to a Roam that runs, on port %d.", port,
		problem.Say("Give the sandbox a home of its own, or quit Roam Desktop first."))
}

func roamRuns(format string, port int, hint problem.Hint) *problem.Error {
	return &problem.Error{Code: CodeRoamRuns, Message: fmt.Sprintf(format, port), Hint: hint}
}
