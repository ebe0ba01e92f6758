package main

import (
	"path/filepath"
	"testing"
)

func TestClientsAreLedToWhereGoInstallPutsTheProgram(t *testing.T) {
	tools, work, more := filepath.FromSlash("/opt/tools"), filepath.FromSlash("/home/ada/go"), filepath.FromSlash("/srv/go")
	for name, test := range map[string]struct{ gobin, gopath, want string }{
		"the workspace":              {"", work, filepath.Join(work, "bin")},
		"the first of several":       {"", work + string(filepath.ListSeparator) + more, filepath.Join(work, "bin")},
		"the folder that GOBIN says": {tools, work, tools},
	} {
		if got := installFolder(test.gobin, test.gopath); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
