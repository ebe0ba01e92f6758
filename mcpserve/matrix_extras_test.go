package mcpserve

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/require"
)

// What the kitchen has for the toolsets files and developer: two uploaded files,
// and an extension with tools.

// fileAt is the address of a file in alpha; keepFiles puts note.txt and dot.png
// there, which have these names as ids.
func fileAt(name string) string {
	return "https://files.sandbox.invalid/hosted/alpha/" + base64.RawURLEncoding.EncodeToString([]byte(name)) + "/" + name
}

// onePixel is a PNG image.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// keepFiles uploads files and gives them ids that a test knows.
func (k *kitchen) keepFiles() {
	k.t.Helper()
	alpha, token := localapi.Graph{Name: "alpha", Type: localapi.Hosted}, k.token("alpha", localapi.Full)
	for _, file := range [][3]string{
		{"note.txt", "text/plain", base64.StdEncoding.EncodeToString([]byte("Knead well.\nBake hot.\n"))},
		{"dot.png", "image/png", onePixel},
	} {
		before := k.files()
		_, err := k.direct.Call(k.t.Context(), alpha, token, "file.upload", map[string]any{"filename": file[0], "mimetype": file[1], "base64": file[2]})
		require.NoError(k.t, err)
		for _, path := range k.files() {
			if !slices.Contains(before, path) {
				require.NoError(k.t, os.Rename(path, filepath.Join(filepath.Dir(path), base64.RawURLEncoding.EncodeToString([]byte(file[0])))))
			}
		}
	}
}

// windows are what is open in alpha.
func (k *kitchen) windows() string {
	k.t.Helper()
	return k.ask("ui.mainWindow.getOpenView") + k.ask("ui.rightSidebar.getWindows")
}

// files are the paths of alpha's files.
func (k *kitchen) files() []string {
	k.t.Helper()
	paths, err := filepath.Glob(filepath.Join(k.dir, "home", ".roam-sandbox", "*alpha*.files", "*"))
	require.NoError(k.t, err)
	return paths
}

// extension has one tool that makes something, and one that answers what it was
// sent.
func (k *kitchen) extension() actions.Extension {
	return actions.Extension{ID: "cards", Name: "Cards", Developer: true, Tools: []actions.ExtensionTool{
		{
			Name: "make", Description: "Makes a card.", Scope: desk.Append,
			InputSchema: json.RawMessage(`{"type":"object","required":["front"],"properties":{"front":{"type":"string"},"weight":{"type":"number"}}}`),
			Run: func(_ context.Context, args map[string]any) (any, error) {
				fmt.Fprintf(k.cards, "card %v;", args["front"])
				return map[string]any{"made": args["front"]}, nil
			},
		},
		{Name: "echo", Description: "Answers its arguments.", Run: func(_ context.Context, args map[string]any) (any, error) { return args, nil }},
		{Name: "fail", Description: "Fails.", Run: func(context.Context, map[string]any) (any, error) { return nil, fmt.Errorf("no more ink") }},
	}}
}
