package ops

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func write(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// below returns Folders that permit one folder.
func pathBelow(t *testing.T, dir string, forbidden ...string) *Folders {
	t.Helper()
	folders, err := OpenFolders([]string{dir}, forbidden)
	require.NoError(t, err)
	return folders
}

func TestARegularFileIsRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	png := write(t, filepath.Join(dir, "dot"), "\x89PNG\x0D\x0A\x1A\x0A")
	note := write(t, filepath.Join(dir, "Einkauf für heute.MD"), "Brot")
	link, other := filepath.Join(dir, "link.txt"), filepath.Join(t.TempDir(), "other")
	if err := os.Symlink("Einkauf für heute.MD", link); err != nil {
		t.Skip("no links here")
	}
	require.NoError(t, os.Symlink(dir, other))
	for _, tc := range []struct {
		path, kind, name string
		given            Given
	}{
		{path: png, kind: "image/png", name: "dot"},
		{path: note, kind: "text/markdown", name: "Einkauf für heute.MD"},
		{path: "~/dot", kind: "image/png", name: "dot"},
		{path: filepath.Join(other, "dot"), kind: "image/png", name: "dot"},
		{path: "  " + link + "\n", kind: "text/plain", name: "link.txt"},
		{path: note, kind: "application/x-list", name: "list", given: Given{MediaType: "application/x-list", Name: "list"}},
		{path: note, kind: "application/octet-stream", name: "Einkauf für heute.MD", given: Given{MediaType: "application/octet-stream"}},
		{path: write(t, filepath.Join(dir, "empty.zip"), ""), kind: "application/zip", name: "empty.zip"},
	} {
		file, err := pathBelow(t, filepath.Dir(strings.TrimSpace(strings.Replace(tc.path, "~", dir, 1)))).Read(tc.path, tc.given)
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
		_, err := pathBelow(t, filepath.Dir(dir)).Read(path, Given{})
		if told := wantCode(t, err, code); told.Message == "" {
			t.Errorf("%q says nothing", path)
		}
	}
	_, err := pathBelow(t, dir).Read(write(t, filepath.Join(dir, "x"), "x"), Given{MediaType: "text"})
	wantCode(t, err, CodeInvalid)
}

func TestAFileThatIsTooLargeIsRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x"), "12345")
	folders := pathBelow(t, dir)
	if content, err := folders.read(folders.permitted[0], "x", 5); err != nil || string(content) != "12345" {
		t.Errorf("%q, %v", content, err)
	}
	_, err := folders.read(folders.permitted[0], "x", 4)
	wantCode(t, err, CodeTooLarge)
	large := filepath.Join(dir, "large")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	if err := os.Truncate(large, MaxBytes+1); err != nil { // takes no room on the disk
		t.Fatal(err)
	}
	_, err = folders.Read(large, Given{})
	wantCode(t, err, CodeTooLarge)
}

func TestFolders(t *testing.T) {
	base := t.TempDir()
	named, outside := filepath.Join(base, "named"), filepath.Join(base, "outside")
	for _, dir := range []string{"named/sub", "named/.ssh", "named/Deep/.gnupg/private", "named/.config/gcloud", "named/app", "outside", "named-too"} {
		require.NoError(t, os.MkdirAll(filepath.Join(base, dir), 0o700))
	}
	secret := write(t, filepath.Join(outside, "id_rsa"), "KEY")
	for _, path := range []string{"named/ok.txt", "named/.env", "named/.ssh/id_rsa", "named/Deep/.gnupg/private/key", "named/.config/gcloud/creds", "named/app/config.json", "named-too/x"} {
		write(t, filepath.Join(base, path), "text")
	}
	for link, target := range map[string]string{
		"sub/to-file": secret, "sub/to-folder": outside, "sub/up": "../../outside/id_rsa", "sub/hidden": "../.ssh/id_rsa", "sub/within": "../ok.txt", "sub/whole": filepath.Join(named, "ok.txt"), "sub/app": "../app", "sub/proc": "/proc/self",
	} {
		if err := os.Symlink(target, filepath.Join(named, link)); err != nil {
			t.Skip("no links here")
		}
	}
	require.NoError(t, os.Link(filepath.Join(named, "app/config.json"), filepath.Join(named, "sub/hard")))
	own := filepath.Join(named, "app", "config.json")
	for name, tc := range map[string]struct {
		folders *Folders
		path    string
		want    problem.Code
	}{
		"reads what is below":                              {pathBelow(t, named), "named/ok.txt", ""},
		"reads what a link within leads to":                {pathBelow(t, named), "named/sub/within", ""},
		"reads what a link with a whole path leads to":     {pathBelow(t, named), "named/sub/whole", ""},
		"reads nothing unless a folder is named":           {nil, "named/ok.txt", CodeNotAllowed},
		"reads nothing beside the folder":                  {pathBelow(t, named), "outside/id_rsa", CodeNotAllowed},
		"does not tell what is beside the folder":          {pathBelow(t, named), "outside/none", CodeNotAllowed},
		"takes names as a whole":                           {pathBelow(t, named), "named-too/x", CodeNotAllowed},
		"reads nothing above by dots":                      {pathBelow(t, named), "named/sub/../../outside/id_rsa", CodeNotAllowed},
		"refuses a link to a file outside":                 {pathBelow(t, named), "named/sub/to-file", CodeNotAllowed},
		"refuses a file behind a link to a folder outside": {pathBelow(t, named), "named/sub/to-folder/id_rsa", CodeNotAllowed},
		"refuses a link that climbs out":                   {pathBelow(t, named), "named/sub/up", CodeNotAllowed},
		"refuses a hidden file":                            {pathBelow(t, named), "named/.env", CodeNotAllowed},
		"refuses a folder of keys":                         {pathBelow(t, named), "named/.ssh/id_rsa", CodeNotAllowed},
		"refuses a folder of keys further below":           {pathBelow(t, named), "named/Deep/.gnupg/private/key", CodeNotAllowed},
		"refuses a folder of keys that is named":           {pathBelow(t, filepath.Join(named, ".ssh")), "named/.ssh/id_rsa", CodeNotAllowed},
		"refuses a folder within one of keys":              {pathBelow(t, filepath.Join(named, ".config", "gcloud")), "named/.config/gcloud/creds", CodeNotAllowed},
		"refuses a link to a hidden file":                  {pathBelow(t, named), "named/sub/hidden", CodeNotAllowed},
		"refuses an own file":                              {pathBelow(t, named, own), "named/app/config.json", CodeNotAllowed},
		"refuses an own file behind a link":                {pathBelow(t, named, own), "named/sub/app/config.json", CodeNotAllowed},
		"refuses an own file under another name":           {pathBelow(t, named, own), "named/sub/hard", CodeNotAllowed},
		"refuses what is in an own folder":                 {pathBelow(t, named, filepath.Dir(own)), "named/app/config.json", CodeNotAllowed},
		"refuses a folder":                                 {pathBelow(t, named), "named/sub", CodeNotAllowed},
		"refuses the folder itself":                        {pathBelow(t, named), "named", CodeNotAllowed},
		"tells what is not there":                          {pathBelow(t, named), "named/none", CodeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := tc.folders.Read(filepath.Join(base, filepath.FromSlash(tc.path)), Given{})
			if problem.CodeOf(err) != tc.want || err == nil && string(file.Content) != "text" {
				t.Errorf("got %q, %v", file.Content, err)
			}
		})
	}
	for _, path := range []string{"/proc/self/environ", "/dev/null", "/sys/kernel/notes", filepath.Join(named, "sub/proc/environ")} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if file, err := pathBelow(t, "/").Read(path, Given{}); err == nil {
			t.Errorf("%s was read: %q", path, file.Content)
		}
	}
	for _, path := range []string{"named", filepath.Join(base, "none"), filepath.Join(named, "ok.txt"), ""} {
		if _, err := OpenFolders([]string{path}, nil); problem.CodeOf(err) != CodeInvalid {
			t.Errorf("%q: %v", path, err)
		}
	}
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
