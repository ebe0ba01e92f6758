package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

func TestFilesAreKeptPerGraphAndSurviveARestart(t *testing.T) {
	path := t.TempDir()
	folder, err := OpenFolder(path)
	require.NoError(t, err)
	notes := localapi.Graph{Name: "Notes", Type: localapi.Hosted}
	put := File{MediaType: "image/png", Name: "a\nb.png", Content: []byte("line\nline\x00\xff")}
	require.NoError(t, folder.Files(notes).Put("abc-1", put))
	require.NoError(t, folder.Close())
	if folder, err = OpenFolder(path); err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	got, err := folder.Files(notes).Get("abc-1")
	if err != nil || got.MediaType != put.MediaType || got.Name != put.Name || !bytes.Equal(got.Content, put.Content) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, other := range []localapi.Graph{{Name: "notes", Type: localapi.Hosted}, {Name: "Notes", Type: localapi.Offline}} {
		if _, err := folder.Files(other).Get("abc-1"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v has the file of another graph: %v", other, err)
		}
	}
	if graphs, err := folder.Graphs(); err != nil || len(graphs) != 0 {
		t.Errorf("the folder of files counts as a graph: %v, %v", graphs, err)
	}
	for range 2 {
		if err := folder.Files(notes).Delete("abc-1"); err != nil {
			t.Error(err)
		}
	}
	if _, err := folder.Files(notes).Get("abc-1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after its deletion: %v", err)
	}
}

func TestFilesStayInTheirFolder(t *testing.T) {
	path := t.TempDir()
	folder, err := OpenFolder(path)
	require.NoError(t, err)
	defer folder.Close()
	outside := filepath.Join(path, "outside")
	require.NoError(t, os.WriteFile(outside, []byte("{}\nsecret"), 0o600))
	files := folder.Files(localapi.Graph{Name: "notes", Type: localapi.Hosted})
	for _, id := range []string{"../outside", "", ".", "..", "a/b", `a\b`, "a.b", "ü"} {
		if err := files.Put(id, File{}); err == nil {
			t.Errorf("%q was written", id)
		}
		if _, err := files.Get(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", id, err)
		}
		if err := files.Delete(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	if err := (Files{}).Put("abc", File{}); err == nil {
		t.Error("files were kept nowhere")
	}
}
