package actions

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

func TestFiles(t *testing.T) {
	c := start(t, Options{})
	for mediaType, before := range map[string]string{
		"image/png": "![](", "application/pdf": "{{[[pdf]]: ", "audio/mpeg": "{{[[audio]]: ", "video/mp4": "{{[[video]]: ", "text/plain; charset=utf-8": "",
	} {
		var shown string
		require.NoError(t, json.Unmarshal([]byte(c.do("file.upload", fmt.Sprintf(`{"base64":"aGVsbG8K","mimetype":%q,"filename":"C:\\x\\my notes.bin"}`, mediaType))), &shown))
		address, ok := strings.CutPrefix(strings.TrimRight(shown, ")}"), before)
		if !ok || !strings.HasSuffix(address, "/my%20notes.bin") {
			t.Errorf("%s: %s", mediaType, shown)
		}
		asked := fmt.Sprintf(`{"url":%q,"format":"base64"}`, address)
		bare, _, _ := strings.Cut(mediaType, ";")
		if got, want := c.do("file.get", asked), fmt.Sprintf(`{"base64":"aGVsbG8K","mimetype":%q,"filename":"my notes.bin"}`, bare); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		c.do("file.delete", asked)
		if _, err := c.try("file.get", asked); err == nil || !strings.Contains(err.Error(), "exist") {
			t.Errorf("after its deletion: %v", err)
		}
	}
	if _, err := fileContent(strings.Repeat("AAAA", maxFile/3+2)); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("a file that is too large: %v", err)
	}
}

func TestFileName(t *testing.T) {
	long := strings.Repeat("a long title ", 20) + ".pdf"
	for sent, want := range map[string]string{
		"notes.pdf":          "notes.pdf",
		long[len(long)-100:]: long[len(long)-100:],
		long:                 long[len(long)-maxFileName:],
		strings.Repeat("/home/me/notes", 20) + "/a.b": "a.b",
		"a\x00b\u202e.pdf":                            "a b .pdf",
		localapi.TokenPrefix + "x.pdf":                "[redacted]",
	} {
		if got := fileName(sent, "application/pdf"); got != want {
			t.Errorf("%q is kept as %q, want %q", sent, got, want)
		}
	}
}
