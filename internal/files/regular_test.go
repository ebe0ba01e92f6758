package files

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// Whatever is at a path, nothing waits: each way to open it gives the file, or says
// what is there instead.
func TestOpening(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.WriteFile(in("file"), []byte("content"), 0o600))
	require.NoError(t, os.Mkdir(in("folder"), 0o700))
	cases := map[string]struct{ path, want string }{
		"a file":           {in("file"), ""},
		"a folder":         {in("folder"), "it is a folder"},
		"a missing file":   {in("missing"), "missing"},
		"a missing folder": {in("missing/file"), "missing"},
	}
	if os.Symlink(in("file"), in("link")) == nil {
		cases["a link to a file"] = struct{ path, want string }{in("link"), ""}
		require.NoError(t, os.Symlink(in("loop"), in("loop")))
		cases["a link to itself"] = struct{ path, want string }{in("loop"), "loop"}
	}
	if makePipe(in("pipe")) == nil {
		cases["a named pipe"] = struct{ path, want string }{in("pipe"), "it is a named pipe"}
	}
	if listener, err := net.Listen("unix", in("socket")); err == nil {
		defer listener.Close()
		cases["a socket"] = struct{ path, want string }{in("socket"), "it is a socket"}
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		cases["a device"] = struct{ path, want string }{"/dev/zero", "it is a device"}
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ways := map[string]func() error{
				"Read":     func() error { _, err := Read(tc.path, 100); return err },
				"ReadOwn":  func() error { _, err := ReadOwn(tc.path, 100); return err },
				"CheckOwn": func() error { return CheckOwn(tc.path) },
				"Truncate": func() error { return Truncate(tc.path, 7) },
				"Write":    func() error { return Overwrite(tc.path, []byte("content")) },
				"Update": func() error {
					file, err := Update(tc.path)
					if err == nil {
						defer file.Close()
					}
					return err
				},
				"Append": func() error {
					file, err := Append(tc.path)
					if err == nil {
						defer file.Close()
					}
					return err
				},
				"Lock": func() error {
					lock, err := Lock(tc.path)
					if err == nil {
						_, err = lock.TryLock()
						defer lock.Close()
					}
					return err
				},
			}
			makes := map[string]bool{"Append": true, "Lock": true, "Update": true, "Write": true}
			for way, open := range ways {
				err := open()
				if name == "a missing file" {
					if got := errors.Is(err, fs.ErrNotExist); got == makes[way] {
						t.Errorf("%s: %v", way, err)
					}
					_ = os.Remove(tc.path)
					continue
				}
				if way != "Read" && strings.HasPrefix(name, "a link") { // which of our own files none is
					if err == nil || !strings.Contains(err.Error(), "it is a link") {
						t.Errorf("%s: %v", way, err)
					}
					continue
				}
				if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
					t.Errorf("%s: %v; want %q", way, err, tc.want)
				}
			}
		})
	}
}

func TestReadRefusesWhatIsTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("content"), 0o600))
	if text, err := Read(path, 7); err != nil || string(text) != "content" {
		t.Errorf("%q, %v", text, err)
	}
	var large *TooLargeError
	if text, err := Read(path, 6); !errors.As(err, &large) || text != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestAppendTakesTheNullDevice(t *testing.T) {
	file, err := Append(os.DevNull)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func TestWriteLeavesNothingOfALongerFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, content := range []string{"a longer one", "short", ""} {
		require.NoError(t, Overwrite(path, []byte(content)))
		if text, err := ReadOwn(path, 100); err != nil || string(text) != content {
			t.Errorf("%q, %v", text, err)
		}
	}
}

func TestCreateTakesNothingThatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	file, err := Create(path)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	if _, err := Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("again: %v", err)
	}
}

// A link that takes the place of a file between the look and the opening is not followed.
func TestALinkIsNotFollowedBehindTheLook(t *testing.T) {
	folder := t.TempDir()
	canary, link := filepath.Join(folder, "canary"), filepath.Join(folder, "link")
	require.NoError(t, os.WriteFile(canary, []byte("content"), 0o600))
	if err := os.Symlink(canary, link); err != nil {
		t.Skip(err)
	}
	if file, err := os.OpenFile(link, os.O_RDONLY|withoutWaiting|withoutFollowing, 0); err == nil {
		info, err := file.Stat()
		require.NoError(t, errors.Join(err, file.Close()))
		if isOwn(link, info) == nil {
			t.Error("it was followed")
		}
	}
}
