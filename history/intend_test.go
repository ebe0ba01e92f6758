package history

import (
	"context"
	"path/filepath"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestSmoke(t *testing.T) {
	j := New(Options{Folder: filepath.Join(t.TempDir(), "history"), Kind: KindStdio, Program: "test"})
	ctx := context.Background()
	m, err := j.Mark(ctx)
	require.NoError(t, err)
	c, err := j.Intend(ctx, Intent{Who: Who{Agent: "a"}, Graph: Graph{"g", "hosted"}, Tool: "x", Args: []byte("{}"), Request: []byte("[]"), Class: ClassText, Before: []byte(`{"a":1}`), Touches: []Touch{{"u", Target, "p"}}, Mark: m})
	require.NoError(t, err)
	require.NoError(t, j.Finish(ctx, c, Outcome{State: StateDone, Summary: "did"}))
	require.NoError(t, j.After(ctx, c, Aftermath{Facts: []byte("{}"), By: BySoon, Pages: map[string]string{"p": "T"}}))
	s, err := j.Servers(ctx)
	t.Log(c, s, err)
	n, err := j.Notices(ctx)
	t.Log(n, err)
	require.NoError(t, j.Close(ctx))
	s, err = j.Servers(ctx)
	t.Log(c, s, err)
}
