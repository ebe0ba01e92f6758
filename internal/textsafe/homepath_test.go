package textsafe_test

import (
	"path/filepath"
	"testing"

	"roam-mcp/internal/textsafe"
)

func TestShort(t *testing.T) {
	home := filepath.FromSlash("/home/ada")
	for name, tc := range map[string]struct{ home, path, want string }{
		"a file at home":              {home, home + "/.roam-mcp.json", "~/.roam-mcp.json"},
		"a home with a slash":         {home + "/", home + "/x/y", "~/x/y"},
		"somewhere else":              {home, "/etc/hosts", "/etc/hosts"},
		"a name that begins so":       {home, "/home/adam/x", "/home/adam/x"},
		"a home that is not known":    {"", "/home/ada/x", "/home/ada/x"},
		"a path of another folder":    {home, "x/y", "x/y"},
		"no path":                     {home, "", ""},
		"a path that leads out of it": {home, "/home/ada/../eve/x", "/home/ada/../eve/x"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := textsafe.ShortPath(tc.home, filepath.FromSlash(tc.path)); got != filepath.FromSlash(tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
