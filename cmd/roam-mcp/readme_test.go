package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"roam-mcp/internal/testutil/require"
)

// pages returns the pages that people read, by their path from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		require.NoError(t, err)
		for _, path := range found {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			pages[strings.TrimPrefix(filepath.ToSlash(path), "../../")] = strings.ReplaceAll(string(text), "\r\n", "\n")
		}
	}
	return pages
}

// shellLines returns the lines of the blocks of a page that are for a shell.
func shellLines(page string) (lines []string) {
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// Each command of each page is one that the command line takes.
func TestCommandsOfPagesAreCommands(t *testing.T) {
	span := regexp.MustCompile("`((?:\\./)?roam-mcp [^`\n]+)`")
	quoted := regexp.MustCompile(`'[^']*'|"[^"]*"`)
	checked := 0
	for name, page := range pages(t) {
		lines := shellLines(page)
		for _, found := range span.FindAllStringSubmatch(page, -1) {
			lines = append(lines, found[1])
		}
		for _, line := range lines {
			line, _, _ = strings.Cut(line, " #")
			line, _, _ = strings.Cut(line, " | ")
			line, _, _ = strings.Cut(line, " > ")
			words := strings.Fields(quoted.ReplaceAllString(line, "TEXT"))
			if len(words) == 0 || strings.TrimPrefix(words[0], "./") != "roam-mcp" {
				continue
			}
			checked++
			if err := takes(words[1:]); err != nil {
				t.Errorf("%s: %s: %v", name, line, err)
			}
		}
	}
	t.Logf("%d commands", checked)
	if checked < 100 {
		t.Errorf("only %d commands were found", checked)
	}
}

// takes returns why the command line does not take these words. A word in capitals stands for
// what is typed, and a flag may be named without its value.
func takes(words []string) error {
	root := (&app{}).rootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(words...)
	found, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	found.InitDefaultHelpFlag()
	var without *pflag.ValueRequiredError
	if err := found.ParseFlags(rest); err != nil && !errors.As(err, &without) {
		return err
	}
	if left := found.Flags().Args(); found.HasSubCommands() && len(left) > 0 && strings.ToUpper(left[0]) != left[0] && found.Args(found, left) != nil {
		return fmt.Errorf("there is no command %s", left[0])
	}
	return nil
}

// The commands of the README that need no terminal are run as they stand, one after the
// other, with a sandbox that grants what they ask for.
func TestTheReadmesCommandsRun(t *testing.T) {
	t.Parallel()
	script := "exec roam-mcp sandbox --approve allow --port 0 &sandbox&\nawait-roam $SANDBOX\n"
	others := []string{"go build ./cmd/roam-mcp", "./roam-mcp --sandbox"} // the second needs a terminal
	commands := 0
	for _, line := range shellLines(pages(t)["README.md"]) {
		if i := slices.Index(others, line); i >= 0 {
			others = slices.Delete(others, i, i+1)
			continue
		}
		script += "exec " + line + "\n"
		commands++
	}
	if commands < 5 || len(others) > 0 {
		t.Fatalf("README.md has %d commands to run, and lacks %q", commands, others)
	}
	file := filepath.Join(t.TempDir(), "readme.txtar")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
	runScripts(t, file)
}
