package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve"
)

// bundle is a file that Claude Desktop and others install, of the format MCPB: a zip
// archive with a manifest and the program of one system.
type bundle struct {
	name     string
	platform string // as Node.js calls it
	program  []byte
	goos     string
}

// bundles writes the bundles of the targets that were built, and returns their names. The
// two programs for macOS go into one bundle, since a manifest tells systems apart and not
// processors.
func (r *release) bundles() ([]string, error) {
	var all []bundle
	var mac [][]byte
	for _, t := range r.targets {
		program, err := os.ReadFile(r.program(t))
		if err != nil {
			return nil, err
		}
		switch t.goos {
		case "darwin":
			mac = append(mac, program)
		case "windows":
			all = append(all, bundle{t.goos + "_" + t.goarch, "win32", program, t.goos})
		default:
			all = append(all, bundle{t.goos + "_" + t.goarch, t.goos, program, t.goos})
		}
	}
	if len(mac) > 0 {
		program, err := universal(mac...)
		if err != nil {
			return nil, err
		}
		all = append(all, bundle{"darwin", "darwin", program, "darwin"})
	}
	template, err := os.ReadFile(filepath.Join(r.source, "tools", "release", "manifest.json"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, b := range all {
		manifest, err := manifestFor(template, b, r.version, r.repository)
		if err != nil {
			return nil, err
		}
		data, err := zipped([]file{
			{name: "manifest.json", data: manifest},
			{name: "server/" + programName(b.goos), data: b.program, runs: true},
		}, r.stamp)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("roam-mcp_%s_%s.mcpb", r.version, b.name)
		if err := r.publish(name, data); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// manifestFor fills in the manifest of a bundle: its system and program, the version, the
// tools that are offered unless something else is chosen, and the repository, if it has one.
func manifestFor(template []byte, b bundle, version, repository string) ([]byte, error) {
	if !json.Valid(template) {
		return nil, errors.New("tools/release/manifest.json is no JSON")
	}
	manifest := rawjson.Parse(template)
	server, compatibility := rawjson.Parse(manifest.Get("server")), rawjson.Parse(manifest.Get("compatibility"))
	program := "server/" + programName(b.goos)
	start := rawjson.Parse(server.Get("mcp_config")).With("command", "${__dirname}/"+program)
	server = server.With("entry_point", program).With("mcp_config", start.JSON())
	manifest = manifest.With("version", version).With("server", server.JSON()).With("tools", offered()).
		With("compatibility", compatibility.With("platforms", []string{b.platform}).JSON())
	if repository != "" {
		manifest = manifest.With("repository", map[string]string{"type": "git", "url": repository})
	}
	return indented(manifest)
}

// tool is a tool as a manifest lists it.
type tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// offered lists the tools of the default profile that are offered unless told otherwise.
func offered() []tool {
	profile := mcpserve.Profiles()[0]
	var tools []tool
	for _, each := range profile.Tools {
		for _, set := range profile.Toolsets {
			if set.Name == each.Toolset && set.On && each.ListedAs == "" {
				tools = append(tools, tool{each.Name, each.Title})
			}
		}
	}
	return tools
}

// registry writes server.json for the MCP registry, which leads to the bundles of a
// release in the repository. Without a repository there is nothing to lead to.
func (r *release) registry(bundles []string) error {
	if r.repository == "" {
		fmt.Println("server.json is left out: -repository says where the bundles can be had.")
		return nil
	}
	template, err := os.ReadFile(filepath.Join(r.source, "tools", "release", "server.json"))
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for _, name := range bundles {
		sums[name] = r.sums[name]
	}
	document, err := serverFor(template, r.version, r.repository, sums)
	if err != nil {
		return err
	}
	return r.publish("server.json", document)
}

// serverFor fills in server.json: the version, the repository, and for each bundle its
// address, which has the version in it, and digest.
func serverFor(template []byte, version, repository string, sums map[string]string) ([]byte, error) {
	if !json.Valid(template) {
		return nil, errors.New("tools/release/server.json is no JSON")
	}
	type transport struct {
		Type string `json:"type"`
	}
	type registered struct {
		RegistryType string    `json:"registryType"`
		Identifier   string    `json:"identifier"`
		FileSHA256   string    `json:"fileSha256"`
		Transport    transport `json:"transport"`
	}
	var packages []registered
	for name, sum := range sums {
		packages = append(packages, registered{"mcpb", repository + "/releases/download/v" + version + "/" + name, sum, transport{"stdio"}})
	}
	slices.SortFunc(packages, func(a, b registered) int { return strings.Compare(a.Identifier, b.Identifier) })
	server := rawjson.Parse(template)
	place := rawjson.Parse(server.Get("repository")).With("url", repository)
	return indented(server.With("name", "io.github."+strings.TrimPrefix(repository, "https://github.com/")).
		With("version", version).With("repository", place.JSON()).With("packages", packages))
}

// indented returns a document for people to read.
func indented(o rawjson.Object) ([]byte, error) {
	var out bytes.Buffer
	err := json.Indent(&out, o.JSON(), "", "  ")
	out.WriteByte('\n')
	return out.Bytes(), err
}
