package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// documents returns what goes into every archive beside the program: what is read, and
// what the program of this system prints about itself.
func (r *release) documents(ctx context.Context) ([]file, error) {
	documents, err := r.texts()
	if err != nil {
		return nil, err
	}
	commands, err := os.ReadFile(filepath.Join(r.source, "docs", "COMMANDS.md"))
	if err != nil {
		return nil, err
	}
	documents = append(documents, file{name: "man/man1/roam-mcp.1", data: r.manual(commands)})
	host := filepath.Join(r.work, "host-roam-mcp.exe")
	if err := r.build(ctx, target{}, host); err != nil {
		return nil, err
	}
	for _, each := range []struct {
		name string
		args []string
	}{
		{"completions/roam-mcp.bash", []string{"completion", "bash"}},
		{"completions/_roam-mcp", []string{"completion", "zsh"}},
		{"completions/roam-mcp.fish", []string{"completion", "fish"}},
		{"completions/roam-mcp.ps1", []string{"completion", "powershell"}},
	} {
		printed, err := exec.CommandContext(ctx, host, each.args...).Output()
		if err != nil {
			return nil, fmt.Errorf("roam-mcp %s: %w", strings.Join(each.args, " "), err)
		}
		documents = append(documents, file{name: each.name, data: printed})
	}
	return documents, nil
}

// manual returns the manual page, made from the page about the commands, which tests hold against the
// commands themselves.
func (r *release) manual(commands []byte) []byte {
	page := regexp.MustCompile(`(?s)^# [^\n]*\n|<!--.*?-->`).ReplaceAll(linked(commands, "", nil), nil)
	title := "# roam-mcp 1 \"\" \"roam-mcp " + r.version + "\"\n\n## NAME\n\nroam-mcp - connect AI agents to Roam graphs\n\n## DESCRIPTION\n"
	return regexp.MustCompile(`\\?-`).ReplaceAll(md2man.Render(append([]byte(title), page...)), []byte(`\-`)) // to be copied into a shell
}

// texts returns the texts of the source that go into every archive, those that there are. What the README
// links to leads somewhere.
func (r *release) texts() (texts []file, err error) {
	for _, name := range []string{"LICENSE", "CHANGELOG.md", "README.md"} {
		data, err := os.ReadFile(filepath.Join(r.source, name))
		if errors.Is(err, fs.ErrNotExist) && name != "README.md" {
			continue
		}
		if err != nil {
			return nil, err
		}
		texts = append(texts, file{name: name, data: data})
	}
	base := ""
	if r.repository != "" {
		base = r.repository + "/blob/v" + r.version + "/"
	}
	for i, text := range texts {
		if strings.HasSuffix(text.name, ".md") {
			texts[i].data = linked(text.data, base, texts)
		}
	}
	return texts, nil
}

// linked returns a text in Markdown of whose links none leads to where there is nothing in an archive: one to
// another file of the archive stays, others begin with base. Without that they are left out, and what they
// are links of stays; pictures go.
func linked(text []byte, base string, there []file) []byte {
	leads := func(target string) (string, bool) {
		if regexp.MustCompile(`^([a-z]+:|#)`).MatchString(target) {
			return target, true
		}
		for _, f := range there {
			if name, _, _ := strings.Cut(target, "#"); f.name == name {
				return target, true
			}
		}
		return base + strings.TrimPrefix(target, "./"), base != ""
	}
	inText := regexp.MustCompile(`(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)`)
	text = inText.ReplaceAllFunc(text, func(link []byte) []byte {
		parts := inText.FindSubmatch(link)
		target, ok := leads(string(parts[3]))
		switch {
		case ok && len(parts[1]) > 0:
			return fmt.Appendf(nil, "![%s](%s)", parts[2], raw(target))
		case ok:
			return fmt.Appendf(nil, "[%s](%s)", parts[2], target)
		case len(parts[1]) > 0:
			return nil
		}
		return parts[2]
	})
	inTag := regexp.MustCompile(`(src|srcset|href)="([^"]+)"`)
	tags := regexp.MustCompile(`[ \t]*<(img|source)\b[^>]*>\n?|</?picture>\n?`)
	return tags.ReplaceAllFunc(text, func(tag []byte) []byte {
		whole := inTag.ReplaceAllFunc(tag, func(attribute []byte) []byte {
			parts := inTag.FindSubmatch(attribute)
			target, _ := leads(string(parts[2]))
			return fmt.Appendf(nil, `%s="%s"`, parts[1], raw(target))
		})
		if base == "" && (bytes.Contains(tag, []byte("picture>")) || bytes.Equal(whole, tag)) {
			return nil
		}
		return whole
	})
}

// raw returns the address of a picture itself, of one that leads to its page.
func raw(target string) string { return strings.Replace(target, "/blob/", "/raw/", 1) }

// notes returns what a release is announced with: its section of the list of changes, or that of what comes
// next.
func notes(changes []byte, version string) string {
	sections := map[string]string{}
	title := ""
	for line := range strings.Lines(string(changes)) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			title, _, _ = strings.Cut(strings.Trim(strings.TrimSpace(heading), "[]"), " ")
			continue
		}
		sections[title] += line
	}
	for _, title := range []string{version, "v" + version, "Next"} {
		if text := strings.TrimSpace(sections[title]); text != "" {
			return text + "\n"
		}
	}
	return "No changes are listed.\n"
}
