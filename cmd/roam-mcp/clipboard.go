package main

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
)

// clipboardTools are the programs that put their standard input into the
// clipboard, the most fitting first. A tool of a display is of use only where
// there is that display.
func clipboardTools(system string, environment func(string) string) [][]string {
	switch system {
	case "darwin":
		return [][]string{{"pbcopy"}}
	case "windows":
		return [][]string{{"clip.exe"}}
	}
	var tools [][]string
	if environment("WAYLAND_DISPLAY") != "" {
		tools = append(tools, []string{"wl-copy", "--type", "text/plain"})
	}
	if environment("DISPLAY") != "" {
		tools = append(tools, []string{"xclip", "-selection", "clipboard"}, []string{"xsel", "--clipboard", "--input"})
	}
	if environment("TERMUX_VERSION") != "" {
		tools = append(tools, []string{"termux-clipboard-set"})
	}
	return append(tools, []string{"clip.exe"}) // Windows around a Linux of its own
}

// forTool writes a text as the tool reads it: Windows takes anything beyond ASCII
// as UTF-16 alone.
func forTool(tool, text string) string {
	if tool != "clip.exe" || strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return text
	}
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

// copyText hands the text to the first of the system's tools that is here
// and takes it. The tools are found by name at every call: they may be installed
// while the program runs.
func copyText(ctx context.Context, text string) error {
	err := errors.New("this machine has no tool for the clipboard")
	for _, tool := range clipboardTools(runtime.GOOS, os.Getenv) {
		path, missing := exec.LookPath(tool[0])
		if missing != nil {
			continue
		}
		// The tool's own output is left alone: some stay behind to serve the
		// clipboard, and would hold a pipe open.
		command := exec.CommandContext(ctx, path, tool[1:]...)
		command.Stdin, command.WaitDelay = strings.NewReader(forTool(tool[0], text)), time.Second
		if err = command.Run(); err == nil {
			return nil
		}
	}
	return err
}
