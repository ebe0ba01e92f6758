package install

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// variable returns the value of a variable of an environment in the form of os.Environ.
// Of several the last one counts.
func variable(environ []string, name string) string {
	value := ""
	for _, pair := range environ {
		key, v, _ := strings.Cut(pair, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			value = v
		}
	}
	return value
}

// candidates returns the paths at which a program is looked for, in their order.
func candidates(folders, name, extensions string) []string {
	names := []string{name}
	if runtime.GOOS == "windows" && filepath.Ext(name) == "" {
		if extensions == "" {
			extensions = ".com;.exe;.bat;.cmd"
		}
		names = nil
		for _, extension := range strings.Split(extensions, ";") {
			names = append(names, name+strings.ToLower(extension))
		}
	}
	var paths []string
	for _, folder := range filepath.SplitList(folders) {
		for _, name := range names {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	return paths
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// inFolder returns a path as a process in that folder sees it.
func inFolder(folder, path string) string {
	if folder == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
