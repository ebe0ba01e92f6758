package clients

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
)

// TestDocument holds the table of docs/CLIENTS.md against the program's.
func TestDocument(t *testing.T) {
	golden.Section(t, "../../docs/CLIENTS.md", "<!-- clients -->\n", "<!-- /clients -->", documentTable())
}

func documentTable() string {
	var text strings.Builder
	text.WriteString("| client | name for commands | file | servers stand in | in a project | way | link |\n|---|---|---|---|---|---|---|\n")
	formats := map[fileFormat]string{formatJSON: "JSON", formatJSONC: "JSONC", formatTOML: "TOML", formatYAML: "YAML"}
	systems := strings.NewReplacer(mac, "macOS", linux, " Linux", windows, " Windows")
	for _, c := range All() {
		var files []string
		for _, p := range c.files {
			file := "`" + p.at + "`"
			if p.on != "" {
				file = strings.Join(strings.Fields(systems.Replace(p.on)), ", ") + ": " + file
			}
			if p.exists {
				file += " if it is there"
			}
			files = append(files, file)
		}
		way := "its file is edited"
		switch {
		case c.add != nil:
			way = "`" + strings.Join(c.add[:3], " ") + "`, or its file is edited"
		case len(c.files) == 0 && c.link != "":
			way = "a link"
		case len(c.files) == 0:
			way = "a text to paste"
		case c.paste:
			way = "a text to paste into it"
		case c.script != nil:
			way += "; a line to paste where there is `" + c.script[0].at + "`"
		}
		at := formats[c.servers[0].format]
		if keys := c.servers[0].path; len(keys) > 0 {
			at += " `" + strings.Join(keys, "` `") + "`"
		}
		if c.servers[0].list {
			at += ", a list"
		}
		project := ""
		if len(c.project) > 0 {
			project = "`" + strings.Join(c.project, "` `") + "`"
		}
		link, _, _ := strings.Cut(c.link, "?")
		if link != "" {
			link = "`" + link + "`"
		}
		names := strings.Join(append([]string{"`" + c.ID + "`"}, c.Aliases...), ", ")
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s | %s |\n", c.Name, names, strings.Join(files, "<br>"), at, project, way, link)
	}
	return text.String()
}
