package filesource

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/problem"
)

func write(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestARegularFileIsRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	png := write(t, filepath.Join(dir, "dot"), "\x89PNG\x0D\x0A\x1A\x0A")
	note := write(t, filepath.Join(dir, "Einkauf für heute.MD"), "Brot")
	link := filepath.Join(dir, "link.txt")
	if err := os.Symlink(note, link); err != nil {
		t.Skip("no links here")
	}
	for _, tc := range []struct {
		path, kind, name string
		given            Given
	}{
		{path: png, kind: "image/png", name: "dot"},
		{path: note, kind: "text/markdown", name: "Einkauf für heute.MD"},
		{path: "~/dot", kind: "image/png", name: "dot"},
		{path: "  " + link + "\n", kind: "text/plain", name: "link.txt"},
		{path: note, kind: "application/x-list", name: "list", given: Given{MediaType: "application/x-list", Name: "list"}},
		{path: note, kind: "application/octet-stream", name: "Einkauf für heute.MD", given: Given{MediaType: "application/octet-stream"}},
		{path: write(t, filepath.Join(dir, "empty.zip"), ""), kind: "application/zip", name: "empty.zip"},
	} {
		file, err := ReadLocal(tc.path, tc.given)
		if err != nil || file.MediaType != tc.kind || file.Name != tc.name {
			t.Errorf("%q: %s %q, %v", tc.path, file.MediaType, file.Name, err)
		}
	}
}

func TestWhatIsNoRegularFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	for path, code := range map[string]problem.Code{
		dir: CodeNotAllowed, filepath.Join(dir, "none"): CodeUnavailable, "notes.txt": CodeInvalid, "../x": CodeInvalid, "": CodeInvalid,
		"~other/x": CodeInvalid, dir + "/a\x00b": CodeInvalid, "file:///etc/hosts": CodeInvalid,
	} {
		_, err := ReadLocal(path, Given{})
		if told := wantCode(t, err, code); told.Message == "" {
			t.Errorf("%q says nothing", path)
		}
	}
	_, err := ReadLocal(write(t, filepath.Join(dir, "x"), "x"), Given{MediaType: "text"})
	wantCode(t, err, CodeInvalid)
}

func TestAFileThatIsTooLargeIsRefused(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "x"), "12345")
	if content, err := readRegular(path, 5); err != nil || string(content) != "12345" {
		t.Errorf("%q, %v", content, err)
	}
	_, err := readRegular(path, 4)
	wantCode(t, err, CodeTooLarge)
	large := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	if err := os.Truncate(large, MaxBytes+1); err != nil { // takes no room on the disk
		t.Fatal(err)
	}
	_, err = ReadLocal(large, Given{})
	wantCode(t, err, CodeTooLarge)
}

func TestBase64IsReadAsModelsWriteIt(t *testing.T) {
	bytesWanted := []byte{0xfb, 0xef, 0xbe, 'x'}
	for _, text := range []string{"++++eA==", "----eA", "++++\n eA=", "data:application/x-y;base64,++++eA==", "data:;base64,----eA=="} {
		file, err := Decode(text, Given{})
		if err != nil || !bytes.Equal(file.Content, bytesWanted) {
			t.Errorf("%q: %x, %v", text, file.Content, err)
		}
	}
	for text, kind := range map[string]string{
		"data:application/x-y;base64,eA==": "application/x-y", "SUkqAHg=": "image/tiff", "AAABAA==": "image/vnd.microsoft.icon", "UklGRgAAAABXQVZFZm10IA==": "audio/wave",
		"Qk1lYW4=": "image/bmp", "AAE=": "application/octet-stream",
	} {
		if file, err := Decode(text, Given{}); err != nil || file.MediaType != kind {
			t.Errorf("%q: %s, %v", text, file.MediaType, err)
		}
	}
	if file, _ := Decode("UEsDBA==", Given{Name: "plan.docx"}); !strings.HasSuffix(file.MediaType, "wordprocessingml.document") {
		t.Errorf("a document is %s", file.MediaType)
	}
	for _, text := range []string{"", " ", "%%%", "a", "data:image/png,x", "data:nonsense", "data:png;base64,eA=="} {
		_, err := Decode(text, Given{})
		wantCode(t, err, CodeInvalid)
	}
	_, err := Decode(base64.StdEncoding.EncodeToString(make([]byte, MaxBytes+1)), Given{})
	wantCode(t, err, CodeTooLarge)
}

func TestTheNameOfAFileHasNoFolders(t *testing.T) {
	for name, want := range map[string]string{"../../etc/passwd": "....etcpasswd", `a\b`: "ab", "..": "", "x\ny": "xy", strings.Repeat("ü", 200) + ".md": strings.Repeat("ü", 117) + ".md"} {
		if got := (Given{Name: name}).file(nil, "z").Name; got != want {
			t.Errorf("%q becomes %q", name, got)
		}
	}
}

func TestImagesForModelsAreThoseThatModelsRead(t *testing.T) {
	for content, want := range map[string]string{
		"\x89PNG\x0D\x0A\x1A\x0A": "image/png", "\xFF\xD8\xFF": "image/jpeg", "GIF89a": "image/gif", "RIFF\x00\x00\x00\x00WEBPVP8 ": "image/webp",
		"BMxx": "", "<svg>": "", "%PDF-": "", "": "",
	} {
		if got := ImageForModels([]byte(content)); got != want {
			t.Errorf("%q is %q", content, got)
		}
	}
}
