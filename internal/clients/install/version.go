package install

import (
	"cmp"
	"debug/buildinfo"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/internal/files"
)

// Release is what a release says of itself within its program, so that it is known without
// starting it: "roam-mcp-release/VERSION/COMMIT/DATE/".
type Release struct{ Version, Commit, Date string }

// releaseMark begins it.
const releaseMark = "roam-mcp-release/"

// ParseRelease reads what the linker has put into a program; all is empty where that is nothing.
func ParseRelease(text string) Release {
	parts := strings.Split(strings.TrimPrefix(text, releaseMark), "/")
	if len(parts) < 3 {
		return Release{Version: parts[0]}
	}
	return Release{parts[0], parts[1], parts[2]}
}

// VersionOf returns the version of a copy of this program as its file says, without starting it;
// known is false where the file does not say, and ours where it is another program.
func VersionOf(path string) (version string, ours, known bool) {
	info, err := buildinfo.ReadFile(path)
	if err != nil || info.Main.Path != "roam-mcp" {
		return "", false, false
	}
	if release, found := releaseIn(path); found {
		return release, true, true
	}
	if version = info.Main.Version; version == "" || version == "(devel)" {
		return "", true, false
	}
	return version, true, true
}

// releaseIn looks for the version of a release in a program.
func releaseIn(path string) (version string, found bool) {
	data, err := files.Read(path, mostProgram)
	if err != nil {
		return "", false
	}
	said := regexp.MustCompile(releaseMark + `(\d+\.\d+\.\d+[\w.-]*)/[0-9a-f]*/[\w:.+-]*/`).FindSubmatch(data)
	if said == nil {
		return "", false
	}
	return string(said[1]), true
}

// Newer reports whether a version is after another one, by the rules of semantic versions.
func Newer(version, than string) bool {
	a, aBefore := numbersOf(version)
	b, bBefore := numbersOf(than)
	if order := slices.Compare(a, b); order != 0 {
		return order > 0
	}
	if aBefore == "" || bBefore == "" { // what stands behind a hyphen comes before the version
		return aBefore == "" && bBefore != ""
	}
	return cmp.Compare(aBefore, bBefore) > 0
}

// numbersOf returns the numbers of a version, and what stands behind them.
func numbersOf(version string) (numbers []int, before string) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "+")
	version, before, _ = strings.Cut(version, "-")
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		numbers = append(numbers, n)
	}
	return numbers, before
}
