package clients

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
)

// OwnProgram returns the path by which clients are to start this program, and a note
// where that is not the program that runs; arg0 is what it was started as, os.Args[0].
//
// The path is absolute, and the one that the user called: a symbolic link stays a link,
// since what it leads to goes away with the next version where an installation keeps
// versions apart. A program that "go run" has built is gone afterwards; in its place comes
// the one that "go install" makes, which may have to be made first. The note says so.
func OwnProgram(arg0 string) (path, note string) {
	path, err := calledAs(arg0)
	if err != nil {
		return "roam-mcp", ""
	}
	if !inBuildCache(path, os.Getenv("GOCACHE")) {
		return path, goingAway(path)
	}
	name := strings.TrimSuffix(filepath.Base(path), ".test")
	path = filepath.Join(installFolder(os.Getenv("GOBIN"), build.Default.GOPATH), name)
	if _, err := os.Stat(path); err == nil {
		return path, `This program was started by "go run" and is gone afterwards: clients start the one that is installed.`
	}
	return path, `This program was started by "go run" and is gone afterwards. In the folder of this project, run first: ` + goInstall
}

// goingAway returns a note where a program lies in a folder that is going away: a temporary
// one, or one of an image or a disk that is mounted. "" where it does not.
func goingAway(path string) string {
	below := func(folder string) bool {
		rest, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rest)
	}
	what := ""
	switch {
	case below(os.TempDir()):
		what = "a temporary folder"
	case slices.ContainsFunc([]string{"/Volumes", "/media", "/run/media"}, below):
		what = "the folder of a disk or an image that is mounted"
	default:
		return ""
	}
	return "This program lies in " + what + ", and no client can start it once that is gone. First put it in a lasting place, and start it from there. Run: " +
		problem.ShellOf(runtime.GOOS).Join(path, "self", "install")
}

// IsLasting reports whether a program is there, and in a place where it stays: in no build cache,
// no temporary folder and no image that is mounted.
func IsLasting(path string) bool {
	return there(path) && goingAway(path) == "" && !inBuildCache(path, os.Getenv("GOCACHE"))
}

// goInstall is the command that installs the program from its source.
const goInstall = "go install ./cmd/roam-mcp"

// calledAs returns the absolute path that arg0 names, unless it leads to another program
// than the one that runs.
func calledAs(arg0 string) (string, error) {
	running, err := os.Executable()
	called, _ := exec.LookPath(arg0) // with .exe, where arg0 is without; also what is found in this very folder
	if called == "" {
		return running, err
	}
	called, absErr := filepath.Abs(called)
	there, statErr := os.Stat(called)
	if absErr != nil || statErr != nil {
		return running, err
	}
	if here, statErr := os.Stat(running); err == nil && statErr == nil && !os.SameFile(here, there) {
		return running, nil
	}
	return called, nil // also where an update has taken away what runs
}

// inBuildCache reports whether a program is below one of the folders of "go run": the one
// in which it is built, and the cache.
func inBuildCache(path, cache string) bool {
	if cache != "" {
		if below, err := filepath.Rel(cache, path); err == nil && filepath.IsLocal(below) {
			return true
		}
	}
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(filepath.Dir(path)), "/"), func(folder string) bool {
		return strings.HasPrefix(folder, "go-build")
	})
}

// installFolder is where "go install" puts a program. Of several folders in
// gopath it is the first one.
func installFolder(gobin, gopath string) string {
	if gobin != "" {
		return gobin
	}
	first, _, _ := strings.Cut(gopath, string(filepath.ListSeparator))
	return filepath.Join(first, "bin")
}
